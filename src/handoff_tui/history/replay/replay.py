"""Every past approval judged again: by the rules and people of today, by its evidence, by the configuration of then."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from handoff_tui.checks.contract import Moment
from handoff_tui.checks.facts.configuration_changes import compare_configuration, list_weaker
from handoff_tui.checks.report import is_open
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import Baseline
from handoff_tui.checks.run.rule_overrides import find_usual_severity
from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE
from handoff_tui.core.errors import FileUnreadableError, HandoffError, UnsafePathError
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.git.objects.tree_reader import TreeReader
from handoff_tui.git.objects.tree_store import TreeStore
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.history.metrics.rounds import PASSING, sort_key
from handoff_tui.history.replay.evidence import EvidenceJudge
from handoff_tui.history.replay.report import Answer, OtherDecision, Question, ReplayedApproval, ReplayReport, Standing
from handoff_tui.history.travel.past_checks import list_suited_rules, run_rules
from handoff_tui.history.travel.past_session import PastDesk, TravelMemory, find_commit, open_desk_at
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.gates.gate import Target, find_change, judge_gate
from handoff_tui.log.index import LogIndex, Vote, build_log_index
from handoff_tui.log.open_log import OpenLog, find_policy, open_log
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.requirement import is_met
from handoff_tui.log.record import DecisionVerb, LogProblem, LogVerdict, ProblemLevel
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.log.show.entries import RowBuilder
from handoff_tui.log.show.view import LogRow
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.reader import FileReader


def judge_people(index: LogIndex, policy: Policy | None, vote: Vote) -> Answer:
    """The decision as the gate saw it when it was made, by the people and rules of today."""
    if index.is_void(vote.entry.id):
        return _build_people(Standing.FAILS, f"it counts for nothing: {index.verdict.void[vote.entry.id]}")
    rule = None if policy is None else policy.find_gate(vote.work.phase)
    if policy is None or rule is None:
        return _build_people(Standing.UNKNOWN, f"the policy has no gate for {vote.work.phase} any more")
    objection = _find_objection(index, policy, vote)
    if objection is not None:
        return _build_people(Standing.FAILS, objection)
    if rule.require_signed_submission and not _is_submitted(index, policy, vote):
        return _build_people(
            Standing.FAILS, "the gate asks for a signed submission of this very work today; there was none"
        )
    people = frozenset(
        other.entry.actor
        for other in _list_same(index, vote)
        if other is vote or _find_objection(index, policy, other) is None
    )
    if len(people) < rule.threshold or (rule.require is not None and not is_met(rule.require, people, policy.roles)):
        asked = f"{rule.threshold} needed" + (f", among them {rule.require}" if rule.require is not None else "")
        return _build_people(Standing.FAILS, f"{len(people)} decided so on these files, {asked} today")
    return _build_people(Standing.HOLDS, f"{', '.join(sorted(people))} would count today")


def _find_objection(index: LogIndex, policy: Policy, vote: Vote) -> str | None:
    """Why the vote would not count; nothing where it would."""
    report = judge_gate(_build_index_then(index, vote), policy, _build_target(vote))
    own = next((one for one in report.approvals if one.entry == vote.entry.id), None)
    if own is None:
        return "the same person had already said something else"
    return None if own.counted else own.why or "it is not counted"


def _list_same(index: LogIndex, vote: Vote) -> list[Vote]:
    """Every decision that let exactly these files pass, earlier or later, and was not taken back."""
    place = (vote.work.handoff, vote.work.phase)
    withdrawn = index.find_withdrawn(place)
    return [
        other
        for other in index.votes_at.get(place, ())
        if other.decision.verb in PASSING
        and other.work.attempt == vote.work.attempt
        and other.work.subject.tree == vote.work.subject.tree
        and not index.is_void(other.entry.id)
        and other.entry.id not in withdrawn
    ]


def _is_submitted(index: LogIndex, policy: Policy, vote: Vote) -> bool:
    target = _build_target(vote)
    made = (
        one
        for one in index.find_submissions(vote.work.handoff, vote.work.phase)
        if one.entry.seq < vote.entry.seq and policy.may_submit(one.entry.actor)
    )
    return any(not find_change(one.work, target) for one in made)


def _build_index_then(index: LogIndex, vote: Vote) -> LogIndex:
    """The log up to the vote, as far as this gate is concerned."""
    place = (vote.work.handoff, vote.work.phase)
    seq = vote.entry.seq
    votes = tuple(
        other for other in index.votes_at.get(place, ()) if other.entry.seq < seq or other.entry.id == vote.entry.id
    )
    made = tuple(one for one in index.submissions_at.get(place, ()) if one.entry.seq < seq)
    return LogIndex(
        verdict=index.verdict,
        entries=index.entries,
        votes={other.entry.id: other for other in votes},
        votes_at={place: votes},
        submissions_at={place: made},
    )


def _build_target(vote: Vote) -> Target:
    """Exactly what the vote is bound to, at its own time: nothing of it is stale or too old."""
    return Target(
        handoff=vote.work.handoff,
        phase=vote.work.phase,
        attempt=vote.work.attempt,
        subject=vote.work.subject,
        producers=frozenset(vote.work.producers),
        now=vote.entry.time,
        is_ancestor=lambda _: True,
    )


def _build_people(standing: Standing, summary: str) -> Answer:
    return Answer(question=Question.PEOPLE, standing=standing, summary=summary)


_CLOSED = frozenset({"pass", "not-applicable"})
_FAILED = frozenset({Outcome.FAIL})


class RuleJudge:
    """Runs the rules of today on old trees. Decisions on one commit share what was read of it."""

    def __init__(self, desk: Desk, memory: TravelMemory) -> None:
        self._desk = desk
        self._memory = memory
        self._last: PastDesk | None = None
        self._rules = tuple(rule for rule in list_suited_rules(desk) if Moment.GATE in rule.moments)

    def judge(self, vote: Vote, record: ReviewRecord | None) -> Answer:
        """What cannot be judged on a commit rests on the record of then; without one it is unknown."""
        if vote.decision.verb is DecisionVerb.SKIP:
            return _build_rules(Standing.HOLDS, "a skip claims nothing about the checks")
        try:
            past = self._open(vote.work.subject.commit)
            results = run_rules(past, self._rules, partial(self._find_baseline, record), vote.work.handoff)
            handoffs = {handoff.id for handoff in past.reading.harvest.handoffs}
        except HandoffError as missing:
            return _build_rules(Standing.UNKNOWN, f"the rules cannot run on its tree: {missing.message}")
        if vote.work.handoff not in handoffs:
            return _build_rules(
                Standing.UNKNOWN, f"{vote.work.handoff} is not read from that commit by the formats of today"
            )
        return build_rules_answer(results, record)

    def _open(self, commit: str) -> PastDesk:
        if self._last is None or self._last.commit.id != commit:
            self._last = open_desk_at(self._desk, commit, self._memory, self._desk.loaded)
        return self._last

    def _find_baseline(self, record: ReviewRecord | None) -> Baseline:
        """Changes are counted from where they were counted then; nothing where that is not known or not here."""
        named = record.check_baseline if record is not None else None
        found = resolve_commits(self._desk.repository.git, [named]).get(named) if named is not None else None
        return Baseline(found, "as in the record" if found else "not known")


def build_rules_answer(results: Sequence[CheckResult], record: ReviewRecord | None) -> Answer:
    """Fails where a blocking rule fails that nobody let past then; unknown where one can be told by nothing."""
    overridden = frozenset(record.overridden) if record is not None else frozenset()
    passed_then = {check.id for check in record.checks if check.outcome in _CLOSED} if record is not None else set()
    blocking = [result for result in results if result.blocking and is_open(result)]
    failing = [one for one in blocking if one.outcome in _FAILED and one.id not in overridden]
    known = [one for one in blocking if one.outcome in _FAILED and one.id in overridden]
    untold = [one for one in blocking if one.outcome not in _FAILED]
    unknown = [one for one in untold if one.id not in passed_then | overridden]
    details = (
        *(f"{one.id} fails: {one.summary}" for one in failing),
        *(f"{one.id} fails, and was overridden knowingly" for one in known),
        *(f"{one.id} cannot be judged: {one.summary}" for one in unknown),
        *(f"{one.id} rests on the record: {one.summary}" for one in untold if one not in unknown),
    )
    held = sum(result.outcome is Outcome.PASS for result in results)
    if failing:
        return _build_rules(Standing.FAILS, f"{_count(len(failing))} that would block today", details)
    if unknown:
        return _build_rules(Standing.UNKNOWN, f"{_count(len(unknown))} that cannot be judged on a commit", details)
    more = f", {len(known)} fail that were overridden knowingly" if known else ""
    more += f", {len(untold)} rest on the record" if untold else ""
    return _build_rules(Standing.HOLDS, f"{held} of today's rules hold{more}", details)


def _count(number: int) -> str:
    return "1 rule" if number == 1 else f"{number} rules"


def _build_rules(standing: Standing, summary: str, details: tuple[str, ...] = ()) -> Answer:
    return Answer(question=Question.RULES, standing=standing, summary=summary, details=details)


_SAME = "the same as now"


class ConfigurationJudge:
    """Compares the file of the repository at a commit with the one of now; the user's own file is in no commit."""

    def __init__(self, desk: Desk, store: TreeStore) -> None:
        self._desk = desk
        self._store = store
        self._now = _read_now(desk)
        self._known: dict[str, Answer] = {}

    def judge(self, vote: Vote) -> Answer:
        commit = vote.work.subject.commit
        if commit not in self._known:
            self._known[commit] = self._judge(commit)
        return self._known[commit]

    def _judge(self, commit: str) -> Answer:
        try:
            tree = find_commit(self._desk, commit).tree
            reader = TreeReader.open(self._desk.repository.root, MAX_BYTES, self._store, tree)
            then = reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else b""
        except HandoffError as missing:
            return _build(Standing.UNKNOWN, f"the configuration of then cannot be read: {missing.message}")
        usual = self._desk.loaded.usual
        return compare_then(then, self._now, lambda name: find_usual_severity(usual, name))


def compare_then(then: bytes, now: bytes, usual_severity: Callable[[str], str | None]) -> Answer:
    """From now back to then: what that way would loosen was looser then."""
    if then == now:
        return _build(Standing.HOLDS, _SAME)
    before, after = _parse(now), _parse(then)
    if before is None or after is None:
        return _build(Standing.UNKNOWN, f"{REPOSITORY_FILE} of {'now' if before is None else 'then'} is not valid TOML")
    weaker = tuple(
        f"{difference.name}: {_show(difference.now)} then, {_show(difference.before)} now"
        for difference, _ in list_weaker(compare_configuration(before, after, usual_severity))
    )
    if weaker:
        number = "1 setting was" if len(weaker) == 1 else f"{len(weaker)} settings were"
        return _build(Standing.WEAKER, f"{number} weaker then, or cannot be compared", weaker)
    return _build(Standing.HOLDS, "other than now, and no weaker")


def _parse(content: bytes) -> dict[str, object] | None:
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None


def _show(value: object) -> str:
    return "not set" if value is None else str(value)[:200]


def _read_now(desk: Desk) -> bytes:
    reader = FileReader(desk.repository.root, MAX_BYTES)
    try:
        return reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else b""
    except (FileUnreadableError, UnsafePathError):
        return b"\xff"  # no valid text: the comparison says that it cannot be read


def _build(standing: Standing, summary: str, details: tuple[str, ...] = ()) -> Answer:
    return Answer(question=Question.CONFIGURATION, standing=standing, summary=summary, details=details)


Progress = Callable[[int, int], None]
"""Told after each approval: how many are done, and how many there are."""


def replay_at(start: Path, on_progress: Progress | None = None) -> ReplayReport:
    """The approvals of the repository around a folder."""
    desk = open_desk(start)
    return replay(desk, open_log(desk.repository), on_progress)


def replay(
    desk: Desk, log: OpenLog, on_progress: Progress | None = None, now: Callable[[], datetime] = read_now
) -> ReplayReport:
    """Nothing is written, and no command is run: only rules, on trees. Of a log that is not sound nothing is judged."""
    verdict = log.verify()
    rows = RowBuilder(verdict, log.find_candidates()).build_all()
    index = build_log_index(verdict)
    approvals = () if verdict.fatal else _judge_all(desk, log, index, on_progress)
    return ReplayReport(
        repo=str(desk.repository.root),
        head=desk.work_tree.facts.head,
        log=verdict.log,
        policy=verdict.policy,
        made_at=build_time(now()),
        fatal=verdict.fatal,
        approvals=approvals,
        others=() if verdict.fatal else _list_others(index),
        entries=_sort_rows(rows),
        problems=verdict.problems,
        notes=(*_list_notes(desk, verdict), *_count_unjudged(approvals)),
    )


def list_approvals(index: LogIndex) -> list[Vote]:
    """Every decision by which work passed, void and withdrawn ones too, oldest first."""
    votes = (vote for vote in index.votes.values() if vote.decision.verb in PASSING)
    return sorted(votes, key=lambda vote: sort_key(vote.entry))


def _judge_all(desk: Desk, log: OpenLog, index: LogIndex, on_progress: Progress | None) -> tuple[ReplayedApproval, ...]:
    approvals = list_approvals(index)
    withdrawn = index.find_withdrawn()
    votes = [vote for vote in approvals if vote.entry.id not in withdrawn]
    policy = find_policy(index.verdict)
    head = desk.work_tree.facts.head
    commits = [vote.work.subject.commit for vote in votes]
    behind = find_ancestors(desk.repository.git, commits) if head is not None else frozenset()
    memory = TravelMemory(desk.repository)
    rules, configuration = RuleJudge(desk, memory), ConfigurationJudge(desk, memory.store)
    evidence = EvidenceJudge(desk, log, memory.store, behind)
    judged = {
        vote.entry.id: _build_approval(vote).model_copy(update={"withdrawn": withdrawn[vote.entry.id]})
        for vote in approvals
        if vote.entry.id in withdrawn
    }
    try:
        # by commit, so that what is read of one is read once
        for number, vote in enumerate(sorted(votes, key=lambda vote: vote.work.subject.commit), start=1):
            gathered = evidence.gather(vote)
            answers = (
                rules.judge(vote, gathered.record),
                judge_people(index, policy, vote),
                evidence.judge(vote, gathered),
                configuration.judge(vote),
            )
            void = index.verdict.void.get(vote.entry.id, "")
            judged[vote.entry.id] = _build_approval(vote).model_copy(update={"answers": answers, "void": void})
            if on_progress is not None:
                on_progress(number, len(votes))
    finally:
        memory.close()
    return tuple(judged[vote.entry.id] for vote in approvals)


def _list_others(index: LogIndex) -> tuple[OtherDecision, ...]:
    votes = [
        one for one in index.votes.values() if one.decision.verb not in PASSING and not index.is_void(one.entry.id)
    ]
    return tuple(
        OtherDecision(
            entry=vote.entry.id,
            verb=vote.decision.verb.value,
            actor=vote.entry.actor,
            time=vote.entry.time,
            handoff=vote.work.handoff,
            phase=vote.work.phase,
            attempt=vote.work.attempt,
            reason=vote.decision.reason,
        )
        for vote in sorted(votes, key=lambda vote: sort_key(vote.entry))
    )


def _count_unjudged(approvals: Sequence[ReplayedApproval]) -> tuple[str, ...]:
    number = sum(one.standing is Standing.UNKNOWN for one in approvals)
    if not number:
        return ()
    what = "1 approval cannot" if number == 1 else f"{number:,} approvals cannot"
    return (f"{what} be judged here, which speaks neither for nor against; the answers say what is missing",)


def _sort_rows(rows: list[LogRow]) -> tuple[LogRow, ...]:
    """Oldest first; what could not be read has no time, and stays last."""
    unread = [row for row in rows if row.time is None]
    return (*reversed(rows[: len(rows) - len(unread)]), *unread)


def _build_approval(vote: Vote) -> ReplayedApproval:
    work = vote.work
    return ReplayedApproval(
        entry=vote.entry.id,
        verb=vote.decision.verb.value,
        actor=vote.entry.actor,
        time=vote.entry.time,
        handoff=work.handoff,
        phase=work.phase,
        attempt=work.attempt,
        reason=vote.decision.reason,
        commit=work.subject.commit,
        tree=work.subject.tree,
        snapshot=work.subject.snapshot,
        review=vote.decision.review,
        answers=(),
    )


def _list_notes(desk: Desk, verdict: LogVerdict) -> tuple[str, ...]:
    notes: list[str] = []
    if verdict.log is None and not verdict.fatal:
        notes.append("there is no signed log here yet; `handoff-tui init` begins one")
    if verdict.fatal:
        notes += [f"the log is not sound, so nothing is judged: {one.text}" for one in _list_fatal(verdict)]
    if desk.repository.shallow:
        notes.append(
            "this clone is shallow: approvals of commits that it lacks cannot be judged (git fetch --unshallow)"
        )
    return tuple(notes)


def _list_fatal(verdict: LogVerdict) -> list[LogProblem]:
    return [problem for problem in verdict.problems if problem.level is ProblemLevel.FATAL]
