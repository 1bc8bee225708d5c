"""One attempt: its sources (log entries, documents, agent runs), then what can be measured of it.

Measured are flipped checks and tests, commits, runs, and whether requests were addressed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from handoff_tui.agents.runs.observation import read_new_commits
from handoff_tui.agents.runs.reports import find_output, find_readable, load_report
from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.step.report import NewCommit
from handoff_tui.changes.comments import CommentFiles, judge_comment, read_comment_files
from handoff_tui.changes.comparison.compare import compare_snapshots
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.comparison.sides import Side
from handoff_tui.changes.comparison.snapshot_diff import ComparedSection
from handoff_tui.changes.diff import compare_sides
from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.checks.report import CLOSED, Outcome
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.decisions.threads import build_thread_id
from handoff_tui.git.history.commit_graph import find_ancestors, is_ancestor, list_work_commits
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts.report import (
    AttemptOutcome,
    AttemptRun,
    CommitPlace,
    PastAttempt,
    PointKind,
    RequestedPoint,
)
from handoff_tui.history.attempts.sources import AttemptContent, AttemptSources
from handoff_tui.history.past.repository import EntryEvidence
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.entry import SENDING_BACK, VETOES
from handoff_tui.log.review_record import Comment, ShownCheck
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.processes.output_reader import read_last_lines

_NO_ANSWER = (None, "no result in {later}: {outcome}")
_BY_OUTCOME: dict[str, tuple[bool | None, str]] = {
    Outcome.PASS.value: (True, "it passes in {later}"),
    Outcome.NOT_APPLICABLE.value: (True, "it no longer applies in {later}"),
    Outcome.SKIPPED.value: _NO_ANSWER,
    Outcome.CANCELLED.value: _NO_ANSWER,
    Outcome.UNKNOWN.value: _NO_ANSWER,
}
_NOTHING_FOLLOWED = "no attempt followed yet"


def read_points(
    session: Session,
    sources: AttemptSources,
    asked: AttemptContent,
    later: AttemptContent | None,
    settled: Mapping[str, str],
) -> tuple[RequestedPoint, ...]:
    """Everything the decisions on an attempt ask for, measured on a later one if there is one.

    `settled` says who settled a comment, by the id of its thread. A reply asks for nothing new.
    """
    found: list[RequestedPoint] = []
    for decided in sources.last_decisions:
        if decided.decision.verb in VETOES:
            build = partial(RequestedPoint, author=decided.entry.actor)
            unmeasured = "words aren't measured: read what was done"
            found.append(build(kind=PointKind.REASON, text=decided.decision.reason, evidence=unmeasured))
            record = EntryEvidence(session, decided).record
            if record is None:
                continue
            for check in filter(_is_blocking, record.checks):
                addressed, evidence = _judge_for(asked, check.id, later)
                judged: dict[str, Any] = {"subject": check.id, "addressed": addressed, "evidence": evidence}
                found.append(build(kind=PointKind.CHECK, text=check.summary, **judged))
            files = None if later is None else _read_files(session, record.comments, asked.tree, later.tree)
            for number, comment in enumerate(record.comments, 1):
                if comment.thread:
                    continue
                addressed, evidence = _judge_comment(comment, files, asked, later)
                if who := settled.get(build_thread_id(decided.entry.id, number)):
                    addressed, evidence = True, f"{who} settled it"
                judged = {"subject": comment.place, "addressed": addressed, "evidence": evidence}
                found.append(build(kind=PointKind.REMARK, text=comment.text, **judged))
    return tuple(found)


def has_lost_record(session: Session, sources: AttemptSources) -> bool:
    """Whether the review record of a decision that asks for something is missing."""
    asking = (decided for decided in sources.last_decisions if decided.decision.verb in VETOES)
    return any(EntryEvidence(session, decided).record is None for decided in asking)


def _is_blocking(check: ShownCheck) -> bool:
    return check.blocking and check.outcome not in CLOSED


def _judge_for(asked: AttemptContent, check: str, later: AttemptContent | None) -> tuple[bool | None, str]:
    if later is not None and later.handoff != asked.handoff:
        return None, f"{later.handoff} is another handoff, so its checks don't answer this"
    return judge_check(check, later)


def judge_check(check: str, later: AttemptContent | None) -> tuple[bool | None, str]:
    """Whether a blocking check has been fixed since, and what says so."""
    if later is None:
        return None, _NOTHING_FOLLOWED
    outcome = later.find_outcome(check)
    if outcome is None and later.shown is None:
        return None, f"the results of {later.words} aren't here"
    if outcome is None:
        return None, f"it wasn't among the checks of {later.words}"
    addressed, words = _BY_OUTCOME.get(outcome, (False, "it doesn't pass in {later} either: {outcome}"))
    return addressed, words.format(later=later.words, outcome=outcome)


def _judge_comment(
    comment: Comment, files: CommentFiles | None, asked: AttemptContent, later: AttemptContent | None
) -> tuple[bool | None, str]:
    if later is None and comment.path:
        return None, _NOTHING_FOLLOWED
    words = "" if later is None else later.words
    if files is None and comment.path:
        return None, f"the files of {'the attempt it was made on' if asked.tree is None else words} aren't here"
    return judge_comment(comment, files or CommentFiles(), words)


def _read_files(
    session: Session, comments: Sequence[Comment], then: str | None, now: str | None
) -> CommentFiles | None:
    """None if the files of one side aren't here."""
    if then is None or now is None:
        return None
    if not any(comment.path for comment in comments):
        return CommentFiles()
    repository = session.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    try:
        changes = list_changes(repository.git, then, now, extra=objects)
    except HandoffError:
        changes = []
    return read_comment_files(session, (then, now), comments, changes)


TAIL_LINES = 12
_NO_TREE = "0" * 40
_PLANNED = {"agent", "owner", "argv", "environment", "folder", "timeout_seconds", "prompt_sha256", "context_sha256"}


def find_places(session: Session, commits: Iterable[str]) -> dict[str, CommitPlace]:
    """Where each of many commits is, with three git calls in all."""
    wanted = list(dict.fromkeys(commits))
    here = {name for name, found in resolve_commits(session.repository.git, wanted).items() if found is not None}
    behind = find_ancestors(session.repository.git, here) if session.work_tree.facts.head is not None else frozenset()
    return {
        commit: CommitPlace.BEHIND if commit in behind else CommitPlace.ASIDE if commit in here else CommitPlace.MISSING
        for commit in wanted
    }


def compare_checks(before: AttemptContent, after: AttemptContent) -> ComparedSection | None:
    """Checks whose outcome differs. Compares results of the gate, else of the repository, never one with the other."""
    if before.shown is not None and after.shown is not None:
        return compare_outcomes(before.shown, after.shown)
    sides = [content.snapshot.checks if content.snapshot is not None else {} for content in (before, after)]
    return compare_outcomes(*sides) if all(sides) else None


def compare_outcomes(before: Mapping[str, str], after: Mapping[str, str]) -> ComparedSection:
    """Compares outcomes by check."""
    old, new = (Snapshot(tree=_NO_TREE, checks=dict(checks)) for checks in (before, after))
    return compare_snapshots(old, new, build_explanations([], [])).checks


def compare_tests(
    session: Session, reviewed: tuple[Handoff, tuple[Handoff, ...]], before: AttemptContent, after: AttemptContent
) -> tuple[ComparedSection | None, tuple[str, ...]]:
    """Tests by id that are new, fixed, failing, skipped or gone, and notes on how to read the numbers."""
    if before.snapshot is None or after.snapshot is None:
        return None, ()
    if not before.snapshot.tests and not after.snapshot.tests:
        return None, (f"no test report in {before.words} or {after.words}",)
    record, _ = compare_sides(session, reviewed, Side(before.snapshot), Side(after.snapshot))
    if record is None:
        return None, ()
    return record.tests, tuple(note for note in record.notes if "test" in note)


def read_work_since(session: Session, base: str | None, head: str | None) -> tuple[tuple[NewCommit, ...] | None, str]:
    """Work commits between two commits, newest first; None if unknown, and why."""
    if head is None:
        return None, ""
    if base is None:
        return None, "where it began isn't recorded, so its commits can't be told from earlier ones"
    if base == head:
        return (), ""
    git = session.repository.git
    found = resolve_commits(git, [base, head])
    gone = [name for name in (base, head) if found[name] is None]
    if gone:
        why = "this clone is shallow" if session.repository.shallow else "pruned, or never fetched"
        return None, f"the commit {gone[0][:12]} isn't here ({why}), so the commits in between are unknown"
    try:
        work = set(list_work_commits(git, base, head))
    except HandoffError as refused:
        return None, f"the commits in between are unknown: {refused.message}"
    commits = tuple(commit for commit in read_new_commits(git, base, head) if commit.id in work)
    notes = [] if is_ancestor(git, base, head) else ["history was rewritten in between: commits may appear twice"]
    if session.repository.shallow:
        notes.append("this clone is shallow: older commits in between may be missing")
    if len(commits) < len(work):
        notes.append(f"only the newest {len(commits):,} of {len(work):,} commits are listed")
    return commits, "; ".join(notes)


def find_first_head(runs: Iterable[RunState]) -> str | None:
    """The commit the first agent run started on; None if not recorded."""
    reports = (load_report(state) for state in runs)
    return next((report.head_before for report in reports if report is not None and report.head_before), None)


def read_attempt_run(state: RunState, *, tail_lines: int = TAIL_LINES) -> AttemptRun:
    """A run from its files; its last lines are only read if asked for."""
    plan, end, report = state.plan, state.end, load_report(state)
    status = state.status.value
    if report is not None:
        status = report.outcome.value
    elif end is not None:
        status = end.ending.value
    output = find_output(state)
    return AttemptRun(
        step=state.key.step,
        number=state.key.number,
        status=status,
        code=end.code if end else None,
        began=end.began if end else state.process.since if state.process else None,
        seconds=state.elapsed if end is not None or state.process is not None else None,
        why=report.why if report is not None else (),
        output=str(output),
        output_bytes=state.output_bytes,
        tail=tuple(read_last_lines(find_readable(state), tail_lines)) if tail_lines else (),
        usage=end.usage if end else None,
        **(plan.model_dump(include=_PLANNED) if plan else {}),
    )


_PLACES = {
    CommitPlace.ASIDE: "its commit isn't in the history of HEAD: rewritten, or on another branch",
    CommitPlace.MISSING: "its commit isn't in this clone: shallow, or pruned",
}
_NOT_APPLICABLE, _UNKNOWN = Outcome.NOT_APPLICABLE.value, Outcome.UNKNOWN.value


class Neighbours(NamedTuple):
    """The content of an attempt, and of those before and after it."""

    before: AttemptContent | None
    here: AttemptContent
    after: AttemptContent | None
    approved: frozenset[str] = frozenset()
    """Approved commits."""
    settled: Mapping[str, str] = {}
    """Who settled a comment, by the id of its thread."""


def build_attempt(
    name: str,
    sources: AttemptSources,
    before: AttemptSources | None,
    places: Mapping[str, CommitPlace],
    named: Sequence[str] = (),
) -> PastAttempt:
    """What the log, documents and runs say; nothing is measured. `named` are the handoff's agents."""
    work = sources.work
    commit = None if work is None else work.subject.commit
    handed_over = sources.submissions[-1].entry.time if sources.submissions else None
    decided = sources.living[0].entry.time if sources.living else None
    return PastAttempt(
        name=name,
        number=sources.number,
        outcome=sources.outcome,
        producers=_list_producers(sources, named),
        decisions=sources.list_decisions(),
        claimed=sources.claimed,
        handed_over=handed_over,
        decided=decided,
        ran_seconds=_add_seconds(sources.runs),
        worked_seconds=_count_seconds(_find_sent_back(before), handed_over or decided),
        waited_seconds=_count_seconds(handed_over, decided),
        commit=commit,
        commit_place=None if commit is None else places.get(commit, CommitPlace.MISSING),
        tree=None if work is None else work.subject.tree,
    )


def build_open_attempt(name: str, now: ExaminedGate, sources: AttemptSources | None = None) -> PastAttempt:
    """What is here now and not in the log; `sources` are what else mentions the same attempt."""
    return PastAttempt(
        name=name,
        number=now.key.attempt,
        outcome=AttemptOutcome.OPEN,
        producers=_sort_named(sorted(now.producers), (*_list_claimed(sources), *now.handoff.producers)),
        claimed=() if sources is None else sources.claimed,
        ran_seconds=None if sources is None else _add_seconds(sources.runs),
        commit=now.subject.commit,
        commit_place=CommitPlace.BEHIND,
        tree=now.snapshot.tree,
        notes=("includes uncommitted changes",) if now.uncommitted else (),
    )


def measure_attempt(
    session: Session,
    reviewed: tuple[Handoff, tuple[Handoff, ...]],
    record: PastAttempt,
    around: Neighbours,
    sources: AttemptSources | None,
) -> PastAttempt:
    """Adds what evidence, git and runs say; `sources` is None if there is only the work tree."""
    before, here, after = around[:3]
    base, since = _find_base(around, sources)
    commits, why = read_work_since(session, base, here.commit)
    changes, said = (None, ()) if before is None else compare_tests(session, reviewed, before, here)
    points = () if sources is None else read_points(session, sources, here, after, around.settled)
    checks = here.checks
    judged = None if checks is None else [outcome for outcome in checks.values() if outcome != _NOT_APPLICABLE]
    notes = (*record.notes, *_list_notes(session, record, here, sources), *([why] if why else []), *said)
    return record.model_copy(
        update={
            "measured": True,
            "runs": tuple(read_attempt_run(state) for state in sources.runs) if sources is not None else (),
            "snapshot": record.snapshot if here.snapshot is None else _find_snapshot(sources),
            "commits": commits,
            "commits_since": since if commits is not None else "",
            "checks_passed": None if judged is None else judged.count("pass"),
            "checks_total": None if judged is None else len(judged),
            "failing": None if checks is None else tuple(sorted(one for one in checks if checks[one] not in CLOSED)),
            "tests": here.tests,
            "check_changes": None if before is None else compare_checks(before, here),
            "test_changes": changes,
            "asked": points,
            "asked_against": after.name if points and after is not None else "",
            "notes": tuple(dict.fromkeys(notes)),
        }
    )


def _find_base(around: Neighbours, sources: AttemptSources | None) -> tuple[str | None, str]:
    """Where an attempt's work begins, also in words: the attempt before, else the baseline of its checks or agent."""
    before, here = around.before, around.here
    if before is not None and before.commit is not None:
        return before.commit, before.words
    if here.started_from is not None:
        what = "the last approval on this branch" if here.started_from in around.approved else "its baseline"
        return here.started_from, f"{what}, {here.started_from[:SHORT_COMMIT]}"
    return find_first_head(() if sources is None else sources.runs), "its agent was started"


def _list_notes(
    session: Session, record: PastAttempt, here: AttemptContent, sources: AttemptSources | None
) -> Iterator[str]:
    """What is missing, and what can't be said because of it."""
    if sources is None or record.outcome is AttemptOutcome.OPEN:
        silent = [] if here.shown is None else [one for one in here.shown.values() if one == _UNKNOWN]
        if silent:
            yield f"{len(silent)} of its checks have no result: looking runs no command"
        return
    if sources.work is None:
        yield "it isn't in the log: what its documents say is only a claim"
        return
    if record.commit_place in _PLACES:
        yield _PLACES[record.commit_place]
    if here.snapshot is None:
        yield "its snapshot isn't stored here, so its tests can't be compared"
    elif here.has_uncommitted and here.tree != here.snapshot.tree:
        yield "its uncommitted changes are gone; the files of its commit are compared instead"
    if sources.living and here.shown is None:
        yield "the review record of its decision isn't here"
    elif has_lost_record(session, sources):
        yield "a review record isn't here: only the reason of that decision is known"
    if len(sources.files) > 1:
        yield "its entries have different files; the newest are shown"


def _list_producers(sources: AttemptSources, named: Sequence[str]) -> tuple[str, ...]:
    """Producers named by the log, the handoff's own agents first: others only share its commits."""
    logged = sources.work.producers if sources.work is not None else ()
    agents = [run.plan.agent for run in sources.runs if run.plan is not None]
    claimed = _list_claimed(sources)
    known = tuple(dict.fromkeys((*logged, *agents, *([] if logged else claimed))))
    return _sort_named(known, (*agents, *claimed, *named))


def _list_claimed(sources: AttemptSources | None) -> list[str]:
    return [] if sources is None else [one.agent for one in sources.claimed if one.agent]


def _sort_named(names: Sequence[str], first: Sequence[str]) -> tuple[str, ...]:
    """Sorts names, those in `first` in front."""
    order = {name.casefold(): place for place, name in reversed(list(enumerate(first)))}
    return tuple(sorted(names, key=lambda name: order.get(name.casefold(), len(first))))


def _find_snapshot(sources: AttemptSources | None) -> str | None:
    return None if sources is None or sources.work is None else sources.work.subject.snapshot


def _find_sent_back(before: AttemptSources | None) -> str | None:
    """When the attempt before was last sent back."""
    if before is None:
        return None
    return max(
        (decided.entry.time for decided in before.last_decisions if decided.decision.verb in SENDING_BACK), default=None
    )


def _count_seconds(since: str | None, until: str | None) -> float | None:
    """Seconds between two log times; None if unknown or in the wrong order."""
    if since is None or until is None:
        return None
    seconds = (parse_time(until) - parse_time(since)).total_seconds()
    return seconds if seconds >= 0 else None


def _add_seconds(runs: tuple[RunState, ...]) -> float | None:
    return sum(run.elapsed for run in runs) if runs else None
