"""Judges every past approval again: by today's rules and people, its evidence, and the configuration of its time.

One judge per question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from handoff_tui.changes.snapshots.snapshot import Snapshot, parse_snapshot
from handoff_tui.checks.facts.configuration_changes import compare_configuration, list_weaker, show_value
from handoff_tui.checks.report import CLOSED, CheckResult, Outcome, is_open
from handoff_tui.checks.run.baseline import ChosenBaseline
from handoff_tui.checks.run.choose import find_usual_severity
from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, HandoffError, SnapshotUnusableError, UnsafePathError
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.core.text.toml_text import parse_toml
from handoff_tui.git.history.commit_graph import find_ancestors
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.handoffs.scope.digests import build_scope_digest
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.history.metrics.facts import sort_key
from handoff_tui.history.past.checks import list_past_rules, run_rules
from handoff_tui.history.past.repository import PastRepositories, find_commit, list_limits
from handoff_tui.history.replay.page import (
    OtherDecision,
    ReplayAnswer,
    ReplayedApproval,
    ReplayQuestion,
    ReplayReport,
    ReplayVerdict,
)
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import APPROVING, PASSING, DecisionVerb, Work
from handoff_tui.log.gates.gate import GateQuestion, bound_files, find_change, judge_gate
from handoff_tui.log.gates.position import build_value_digest
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog, find_policy, open_log
from handoff_tui.log.policy.policy import GateRule, Policy, is_met
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.show.entries import RowBuilder, list_evidence
from handoff_tui.log.show.view import LogRow
from handoff_tui.log.storage.evidence import EvidenceFiles
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.probe import is_present
from handoff_tui.system.files.reader import FileReader


def _answer(
    question: ReplayQuestion, verdict: ReplayVerdict, summary: str, details: tuple[str, ...] = ()
) -> ReplayAnswer:
    return ReplayAnswer(question=question, standing=verdict, summary=summary, details=details)


_answer_people = partial(_answer, ReplayQuestion.PEOPLE)
_answer_rules = partial(_answer, ReplayQuestion.RULES)
_answer_configuration = partial(_answer, ReplayQuestion.CONFIGURATION)
_MOST_DOUBTFUL = 10
"""Up to this many results may have depended on more than the repository; all combinations are tried."""


class EvidenceNote(NamedTuple):
    """One observation about the evidence of a decision."""

    verdict: ReplayVerdict
    text: str


_holds = partial(EvidenceNote, ReplayVerdict.HOLDS)
_fails = partial(EvidenceNote, ReplayVerdict.FAILS)
_unknown = partial(EvidenceNote, ReplayVerdict.UNKNOWN)


class GatheredEvidence(NamedTuple):
    """The evidence of one decision, as far as it is here, and what is wrong with the rest."""

    record: ReviewRecord | None
    snapshot: Snapshot | None
    notes: tuple[EvidenceNote, ...]


class EvidenceJudge:
    """Is the evidence here, and does it say what the decision says? Reads the work tree and all branches."""

    def __init__(self, past: PastRepositories, log: OpenLog, behind: frozenset[str]) -> None:
        self._session = past.session
        self._store = past.store
        self._behind = behind
        self._files = EvidenceFiles(log.repository)
        self._tips = tuple(dict.fromkeys(log.blobs.read_listing().branches.refs.values()))

    def gather(self, decided: DecisionEntry) -> GatheredEvidence:
        """Reads every file a decision names."""
        notes: list[EvidenceNote] = []
        record: ReviewRecord | None = None
        snapshot: Snapshot | None = None
        for one in list_evidence(decided.entry):
            content = self._files.read(one.folder, one.digest, self._tips)
            named = f"the {one.name} {one.digest[:SHORT_DIGEST]}"
            if content is None:
                notes.append(self._explain_absence(named, self._files.build_path(one.folder, one.digest)))
                continue
            notes.append(_holds(f"{named} is stored and matches its digest"))
            try:
                if one.name == "review":
                    record = ReviewRecord.model_validate_json(content, strict=True)
                elif one.name == "snapshot":
                    snapshot = parse_snapshot(content, named)
            except (ValueError, SnapshotUnusableError):
                notes.append(_unknown(f"{named} can't be read by this version"))
        return GatheredEvidence(record, snapshot, tuple(notes))

    def judge(self, decided: DecisionEntry, gathered: GatheredEvidence) -> ReplayAnswer:
        notes = [*gathered.notes, *compare_record(decided, gathered), self._compare_tree(decided)]
        return build_evidence_answer(notes)

    def _explain_absence(self, named: str, path: str) -> EvidenceNote:
        """Missing evidence fails like changed evidence: deleting it must not help."""
        if is_present(self._session.repository.root, path):
            return _fails(f"{named}: the file with that name has different content")
        return _fails(f"{named} isn't here, neither in the work tree nor on a branch")

    def _compare_tree(self, decided: DecisionEntry) -> EvidenceNote:
        """Whether the decision's commit has the decision's files."""
        subject = decided.work.subject
        short = subject.commit[:SHORT_COMMIT]
        try:
            commit = find_commit(self._session, subject.commit)
            tree = self._store.build_work_tree(commit.tree)
        except HandoffError:
            lack = (
                "this clone is shallow" if self._session.repository.shallow else "history was rewritten, or not fetched"
            )
            return _unknown(f"the commit {short} isn't here ({lack}), so its files can't be compared")
        if tree != subject.tree:
            return _fails(f"the commit {short} has different files than the decision")
        if subject.commit not in self._behind:
            aside = "but isn't in the history of HEAD: rewritten, or on another branch"
            return _holds(f"the commit {short} has these files, {aside}")
        return _holds(f"the commit {short} has exactly these files")


def compare_record(decided: DecisionEntry, gathered: GatheredEvidence) -> Iterator[EvidenceNote]:
    """Compares the review record with the decision."""
    record = gathered.record
    if record is None:
        return
    work = decided.work
    shown = record.subject
    if work.subject.scope:  # the baseline is shown, but only entries of the first version bind it
        shown = shown.model_copy(update={"baseline": work.subject.baseline})
    if (record.handoff, record.phase, record.attempt, shown) != (*work.key, work.subject):
        yield _fails("the review record is about something other than the decision")
    if work.subject.scope:
        yield _compare_files(work, record)
    open_checks = {check.id for check in record.checks if check.blocking and check.outcome not in CLOSED}
    verb = decided.decision.verb
    if verb in APPROVING and open_checks:
        named = ", ".join(sorted(open_checks))
        yield _fails(f"decided {verb} although the record shows open blocking checks: {named}")
    elif verb is DecisionVerb.OVERRIDE and open_checks != set(record.overridden):
        yield _fails("the overridden checks aren't the ones the record shows open")
    else:
        yield _holds(f"the {len(record.checks)} results in the record match the decision")
    yield _compare_digest(decided, record, gathered.snapshot)


def _compare_files(work: Work, record: ReviewRecord) -> EvidenceNote:
    """Whether the handoff's files as the record lists them are those that the decision binds."""
    files = [] if record.scope is None else list(record.scope.files)
    if build_scope_digest(files) != work.subject.scope:
        return _fails("the files in the record aren't those the decision is about")
    return _holds(f"the files in the record ({len(files)}) match the signed scope")


def build_results_digest(checks: Iterable[ShownCheck]) -> str:
    """The digest of check results, from what a review record shows."""
    return build_value_digest(
        [
            {
                "id": check.id,
                "outcome": check.outcome,
                "severity": check.severity,
                "blocking": check.blocking,
                "findings": sorted({found.fingerprint for found in check.findings}),
            }
            for check in sorted(checks, key=lambda check: check.id)
        ]
    )


def build_evidence_answer(notes: Iterable[EvidenceNote]) -> ReplayAnswer:
    """The worst note decides; bad ones first."""
    order = list(ReplayVerdict)
    ordered = sorted(notes, key=lambda note: order.index(note.verdict))
    worst = ordered[0].verdict if ordered else ReplayVerdict.UNKNOWN
    bad = [note.text for note in ordered if note.verdict is not ReplayVerdict.HOLDS]
    summary = "everything is there and matches the decision"
    if bad:
        summary = bad[0] if len(bad) == 1 else f"{bad[0]} (and {len(bad) - 1} more)"
    details = tuple(note.text for note in ordered)
    return _answer(ReplayQuestion.EVIDENCE, worst, summary, details)


def _compare_digest(decided: DecisionEntry, record: ReviewRecord, snapshot: Snapshot | None) -> EvidenceNote:
    """The signed digest leaves out results that depend on the clock or the machine; the snapshot may lack them."""
    if snapshot is None:
        return _unknown("the digest of the results can't be recomputed without the snapshot")
    signed = decided.work.subject.checks
    doubtful = [check for check in record.checks if check.id not in snapshot.checks]
    sure = [check for check in record.checks if check.id in snapshot.checks]
    for number in range(len(doubtful) + 1) if len(doubtful) <= _MOST_DOUBTFUL else ():
        for some in combinations(doubtful, number):
            if build_results_digest((*sure, *some)) == signed:
                return _holds("the results in the record match the signed digest")
    return _unknown("the signed digest of the results can't be recomputed from the record")


def judge_people(index: LogIndex, policy: Policy | None, decided: DecisionEntry) -> ReplayAnswer:
    """Would the decision count at the gate as it was then, under today's policy?"""
    if index.is_void(decided.entry.id):
        return _answer_people(ReplayVerdict.FAILS, f"it doesn't count: {index.verdict.void[decided.entry.id]}")
    rule = None if policy is None else policy.find_gate(decided.work.phase)
    if policy is None or rule is None:
        return _answer_people(ReplayVerdict.UNKNOWN, f"the policy no longer has a gate for {decided.work.phase}")
    objection = _find_objection(index, policy, decided)
    if objection is not None:
        return _answer_people(ReplayVerdict.FAILS, objection)
    if rule.require_signed_submission and not _is_submitted(index, policy, decided):
        return _answer_people(
            ReplayVerdict.FAILS, "today the gate requires a signed submission of exactly this work; there was none"
        )
    people = frozenset(
        other.entry.actor
        for other in _list_same(index, decided)
        if other is decided or _find_objection(index, policy, other) is None
    )
    if len(people) < rule.threshold or (rule.require is not None and not is_met(rule.require, people, policy.roles)):
        asked = f"{rule.threshold} needed" + (f", including {rule.require}," if rule.require is not None else "")
        return _answer_people(ReplayVerdict.FAILS, f"{len(people)} decided so on these files; {asked} today")
    return _answer_people(ReplayVerdict.HOLDS, f"{', '.join(sorted(people))} would count today")


def _find_objection(index: LogIndex, policy: Policy, decided: DecisionEntry) -> str | None:
    """Why the decision wouldn't count; None if it would."""
    report = judge_gate(_build_index_at(index, decided), policy, _build_question(decided))
    own = next((one for one in report.approvals if one.entry == decided.entry.id), None)
    if own is None:
        return "the same person had already decided otherwise"
    return None if own.counted else own.why or "it isn't counted"


def _list_same(index: LogIndex, decided: DecisionEntry) -> list[DecisionEntry]:
    """Every decision, earlier or later, that approved exactly these files and wasn't withdrawn."""
    place = decided.work.key.place
    withdrawn = index.find_withdrawn(place)
    return [
        other
        for other in index.list_decisions(*place)
        if other.decision.verb in PASSING
        and other.work.attempt == decided.work.attempt
        and bound_files(other.work) == bound_files(decided.work)
        and not index.is_void(other.entry.id)
        and other.entry.id not in withdrawn
    ]


def _is_submitted(index: LogIndex, policy: Policy, decided: DecisionEntry) -> bool:
    target = _build_question(decided)
    made = (
        one
        for one in index.find_submissions(decided.work.handoff, decided.work.phase)
        if one.entry.seq < decided.entry.seq and policy.may_submit(one.entry.actor)
    )
    return any(not find_change(one.work, target, GateRule()) for one in made)


def _build_index_at(index: LogIndex, decided: DecisionEntry) -> LogIndex:
    """The log up to the decision, for this gate only."""
    place = decided.work.key.place
    seq = decided.entry.seq
    decisions = tuple(
        other for other in index.list_decisions(*place) if other.entry.seq < seq or other.entry.id == decided.entry.id
    )
    made = tuple(one for one in index.submissions_at.get(place, ()) if one.entry.seq < seq)
    return LogIndex(
        verdict=index.verdict,
        entries=index.entries,
        decisions={other.entry.id: other for other in decisions},
        decisions_at={place: decisions},
        submissions_at={place: made},
    )


def _build_question(decided: DecisionEntry) -> GateQuestion:
    """What the decision is bound to, at its own time: nothing is stale or too old."""
    return GateQuestion(
        key=decided.work.key,
        subject=decided.work.subject,
        producers=frozenset(decided.work.producers),
        now=decided.entry.time,
        whole_handoff=decided.work.subject.handoff,
    )


_FAILED = frozenset({Outcome.FAIL})


class RuleJudge:
    """Runs today's rules on old trees. Decisions on one commit share what was read of it."""

    def __init__(self, past: PastRepositories) -> None:
        self._past = past
        self._rules = tuple(rule for rule in list_past_rules(past.session) if CheckMoment.GATE in rule.moments)

    def judge(self, decided: DecisionEntry, record: ReviewRecord | None) -> ReplayAnswer:
        """Rules that can't run on a commit fall back to the review record; without one the answer is unknown."""
        if decided.decision.verb is DecisionVerb.SKIP:
            return _answer_rules(ReplayVerdict.HOLDS, "a skip claims nothing about the checks")
        try:
            past = self._past.open(decided.work.subject.commit)
            results = run_rules(past, self._rules, partial(self._find_baseline, record), decided.work.handoff)
            handoffs = {handoff.id for handoff in past.reading.result.handoffs}
        except HandoffError as missing:
            return _answer_rules(ReplayVerdict.UNKNOWN, f"the rules can't run on its tree: {missing.message}")
        if decided.work.handoff not in handoffs:
            return _answer_rules(
                ReplayVerdict.UNKNOWN, f"today's formats don't find {decided.work.handoff} in that commit"
            )
        return build_rules_answer(results, record)

    def _find_baseline(self, record: ReviewRecord | None) -> ChosenBaseline:
        """The baseline the checks had then; none if unknown or not here."""
        named = record.check_baseline if record is not None else None
        git = self._past.session.repository.git
        found = resolve_commits(git, [named]).get(named) if named is not None else None
        return ChosenBaseline(found, "as in the record" if found else "not known")


def build_rules_answer(results: Sequence[CheckResult], record: ReviewRecord | None) -> ReplayAnswer:
    """Fails if a blocking rule fails that wasn't overridden; unknown if one has no answer anywhere."""
    overridden = frozenset(record.overridden) if record is not None else frozenset()
    passed_then = {check.id for check in record.checks if check.outcome in CLOSED} if record is not None else set()
    blocking = [result for result in results if result.blocking and is_open(result)]
    failing = [one for one in blocking if one.outcome in _FAILED and one.id not in overridden]
    known = [one for one in blocking if one.outcome in _FAILED and one.id in overridden]
    untold = [one for one in blocking if one.outcome not in _FAILED]
    unknown = [one for one in untold if one.id not in passed_then | overridden]
    details = (
        *(f"{one.id} fails: {one.summary}" for one in failing),
        *(f"{one.id} fails and was overridden knowingly" for one in known),
        *(f"{one.id} can't be judged: {one.summary}" for one in unknown),
        *(f"{one.id} taken from the record: {one.summary}" for one in untold if one not in unknown),
    )
    held = sum(result.outcome is Outcome.PASS for result in results)
    if failing:
        return _answer_rules(ReplayVerdict.FAILS, f"{_count(len(failing))} that would block today", details)
    if unknown:
        return _answer_rules(ReplayVerdict.UNKNOWN, f"{_count(len(unknown))} that can't be judged on a commit", details)
    more = f", {len(known)} fail and were overridden knowingly" if known else ""
    more += f", {len(untold)} taken from the record" if untold else ""
    return _answer_rules(ReplayVerdict.HOLDS, f"{held} of today's rules hold{more}", details)


def _count(number: int) -> str:
    return "1 rule" if number == 1 else f"{number} rules"


_SAME = "the same as now"


class ConfigurationJudge:
    """Compares the repository's settings file at a commit with today's; the user's own file is in no commit."""

    def __init__(self, past: PastRepositories) -> None:
        self._past = past
        self._now = _read_now(past.session)
        self._known: dict[str, ReplayAnswer] = {}

    def judge(self, decided: DecisionEntry) -> ReplayAnswer:
        commit = decided.work.subject.commit
        if commit not in self._known:
            self._known[commit] = self._judge(commit)
        return self._known[commit]

    def _judge(self, commit: str) -> ReplayAnswer:
        try:
            then = self._past.read_configuration(commit) or b""
        except HandoffError as missing:
            return _answer_configuration(ReplayVerdict.UNKNOWN, f"the configuration can't be read: {missing.message}")
        usual = self._past.session.loaded.usual
        return compare_with_now(then, self._now, lambda name: find_usual_severity(usual, name))


def compare_with_now(then: bytes, now: bytes, usual_severity: Callable[[str], str | None]) -> ReplayAnswer:
    """Compares from now back to then: whatever that loosens was weaker then."""
    if then == now:
        return _answer_configuration(ReplayVerdict.HOLDS, _SAME)
    before, after = _parse(now), _parse(then)
    if before is None or after is None:
        return _answer_configuration(
            ReplayVerdict.UNKNOWN, f"{REPOSITORY_FILE} of {'now' if before is None else 'then'} isn't valid TOML"
        )
    weaker = tuple(
        f"{difference.name}: {show_value(difference.now)} then, {show_value(difference.before)} now"
        for difference, _ in list_weaker(compare_configuration(before, after, usual_severity))
    )
    if weaker:
        number = "1 setting was" if len(weaker) == 1 else f"{len(weaker)} settings were"
        return _answer_configuration(ReplayVerdict.WEAKER, f"{number} weaker then, or can't be compared", weaker)
    return _answer_configuration(ReplayVerdict.HOLDS, "different from now, but no weaker")


def _parse(content: bytes) -> dict[str, object] | None:
    try:
        return parse_toml(content)
    except ValueError:
        return None


def _read_now(session: Session) -> bytes:
    reader = FileReader(session.repository.root, MAX_BYTES)
    try:
        return reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else b""
    except (FileUnreadableError, UnsafePathError):
        return b"\xff"  # not valid text, so the comparison reports it


_LIMITS = (", so nothing was judged", "approvals of commits it lacks can't be judged")
Progress = Callable[[int, int], None]
"""Called after each approval: how many are done, and how many there are."""


def replay_at(start: Path, on_progress: Progress | None = None) -> ReplayReport:
    """Replays the approvals of the repository around a folder."""
    session = open_session(start)
    return replay(session, open_log(session.repository), on_progress)


def replay(
    session: Session, log: OpenLog, on_progress: Progress | None = None, now: Callable[[], datetime] = read_now
) -> ReplayReport:
    """Runs rules on past trees; writes nothing and runs no command. A log that isn't intact isn't judged."""
    verdict = log.verify()
    rows = RowBuilder(verdict, log.find_candidates()).build_all()
    index = build_log_index(verdict)
    approvals = () if verdict.fatal else _judge_all(session, log, index, on_progress)
    return ReplayReport(
        repo=str(session.repository.root),
        head=session.work_tree.facts.head,
        log=verdict.log,
        policy=verdict.policy,
        made_at=build_time(now()),
        fatal=verdict.fatal,
        approvals=approvals,
        others=() if verdict.fatal else _list_others(index),
        entries=_sort_rows(rows),
        problems=verdict.problems,
        notes=(*list_limits(session, verdict, *_LIMITS), *_count_unjudged(approvals)),
    )


def list_approvals(index: LogIndex) -> list[DecisionEntry]:
    """Every decision that let work go on, void and withdrawn ones too, oldest first."""
    decisions = (decided for decided in index.decisions.values() if decided.decision.verb in PASSING)
    return sorted(decisions, key=lambda decided: sort_key(decided.entry))


def _judge_all(
    session: Session, log: OpenLog, index: LogIndex, on_progress: Progress | None
) -> tuple[ReplayedApproval, ...]:
    approvals = list_approvals(index)
    withdrawn = index.find_withdrawn()
    decisions = [decided for decided in approvals if decided.entry.id not in withdrawn]
    policy = find_policy(index.verdict)
    head = session.work_tree.facts.head
    commits = [decided.work.subject.commit for decided in decisions]
    behind = find_ancestors(session.repository.git, commits) if head is not None else frozenset()
    past = PastRepositories(session, session.loaded)
    rules, configuration, evidence = RuleJudge(past), ConfigurationJudge(past), EvidenceJudge(past, log, behind)
    judged = {
        decided.entry.id: _build_approval(decided, withdrawn=withdrawn[decided.entry.id])
        for decided in approvals
        if decided.entry.id in withdrawn
    }
    try:
        # by commit, so each is read once
        for number, decided in enumerate(sorted(decisions, key=lambda decided: decided.work.subject.commit), start=1):
            gathered = evidence.gather(decided)
            answers = (
                rules.judge(decided, gathered.record),
                judge_people(index, policy, decided),
                evidence.judge(decided, gathered),
                configuration.judge(decided),
            )
            void = index.verdict.void.get(decided.entry.id, "")
            judged[decided.entry.id] = _build_approval(decided, answers, void)
            if on_progress is not None:
                on_progress(number, len(decisions))
    finally:
        past.close()
    return tuple(judged[decided.entry.id] for decided in approvals)


def _list_others(index: LogIndex) -> tuple[OtherDecision, ...]:
    decisions = [
        one for one in index.decisions.values() if one.decision.verb not in PASSING and not index.is_void(one.entry.id)
    ]
    ordered = sorted(decisions, key=lambda decided: sort_key(decided.entry))
    return tuple(OtherDecision(**_describe(decided)) for decided in ordered)


def _count_unjudged(approvals: Sequence[ReplayedApproval]) -> tuple[str, ...]:
    number = sum(one.standing is ReplayVerdict.UNKNOWN for one in approvals)
    if not number:
        return ()
    what = "1 approval cannot" if number == 1 else f"{number:,} approvals cannot"
    return (f"{what} be judged here; the answers say what is missing",)


def _sort_rows(rows: list[LogRow]) -> tuple[LogRow, ...]:
    """Oldest first; unreadable entries have no time and come last."""
    unread = [row for row in rows if row.time is None]
    return (*reversed(rows[: len(rows) - len(unread)]), *unread)


def _describe(decided: DecisionEntry) -> dict[str, Any]:
    """What every decision has."""
    entry, work = decided.entry, decided.work
    return {
        "entry": entry.id,
        "actor": entry.actor,
        "time": entry.time,
        "handoff": work.handoff,
        "phase": work.phase,
        "attempt": work.attempt,
        "verb": decided.decision.verb.value,
        "reason": decided.decision.reason,
    }


def _build_approval(
    decided: DecisionEntry, answers: tuple[ReplayAnswer, ...] = (), void: str = "", withdrawn: str = ""
) -> ReplayedApproval:
    subject = decided.work.subject
    return ReplayedApproval(
        **_describe(decided),
        commit=subject.commit,
        tree=subject.tree,
        snapshot=subject.snapshot,
        review=decided.decision.review,
        void=void,
        withdrawn=withdrawn,
        answers=answers,
    )
