"""One attempt as a record: what is told of it first, then what can be measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from handoff_tui.agents.runs.run import RunState
from handoff_tui.checks.result import Outcome
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.decisions.examine import Examined
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.attempts.content import CLOSED, AttemptContent
from handoff_tui.history.attempts.measure import (
    compare_checks,
    compare_tests,
    find_first_head,
    read_attempt_run,
    read_work_since,
)
from handoff_tui.history.attempts.points import has_lost_record, read_points
from handoff_tui.history.attempts.report import AttemptOutcome, AttemptRecord, CommitPlace
from handoff_tui.history.attempts.sources import AttemptSources
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.gates.position import SENDING_BACK

_PLACES = {
    CommitPlace.ASIDE: "its commit is not behind HEAD: history was rewritten, or it lies on another branch",
    CommitPlace.MISSING: "its commit is not in this clone: a shallow clone lacks it, or it was pruned",
}
_NOT_APPLICABLE, _UNKNOWN = Outcome.NOT_APPLICABLE.value, Outcome.UNKNOWN.value


class Around(NamedTuple):
    """The content of an attempt, between those before and after it."""

    before: AttemptContent | None
    here: AttemptContent
    after: AttemptContent | None
    approved: frozenset[str] = frozenset()
    """Commits that somebody approved."""


def build_record(
    name: str,
    sources: AttemptSources,
    before: AttemptSources | None,
    places: Mapping[str, CommitPlace],
    named: Sequence[str] = (),
) -> AttemptRecord:
    """What the log, the documents and the runs tell; nothing is looked into. `named` are agents of the handoff."""
    work = sources.work
    commit = None if work is None else work.subject.commit
    handed_over = sources.submissions[-1].entry.time if sources.submissions else None
    decided = sources.living[0].entry.time if sources.living else None
    return AttemptRecord(
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


def build_open_record(name: str, now: Examined, sources: AttemptSources | None = None) -> AttemptRecord:
    """What is here now and in no entry of the log; `sources` are what else tells of the same attempt."""
    return AttemptRecord(
        name=name,
        number=now.target.attempt,
        outcome=AttemptOutcome.OPEN,
        producers=_sort_named(sorted(now.target.producers), (*_list_told(sources), *now.handoff.producers)),
        claimed=() if sources is None else sources.claimed,
        ran_seconds=None if sources is None else _add_seconds(sources.runs),
        commit=now.target.subject.commit,
        commit_place=CommitPlace.BEHIND,
        tree=now.snapshot.tree,
        notes=("some of it is uncommitted",) if now.uncommitted else (),
    )


def measure_record(
    desk: Desk,
    reviewed: tuple[Handoff, tuple[Handoff, ...]],
    record: AttemptRecord,
    around: Around,
    sources: AttemptSources | None,
) -> AttemptRecord:
    """The same with all that evidence, git and runs say of it; `sources` is nothing where only the work tree tells."""
    before, here, after, _ = around
    base, since = _find_base(around, sources)
    commits, why = read_work_since(desk, base, here.commit)
    changes, said = (None, ()) if before is None else compare_tests(desk, reviewed, before, here)
    points = () if sources is None else read_points(desk, sources, here, after)
    checks = here.checks
    judged = None if checks is None else [outcome for outcome in checks.values() if outcome != _NOT_APPLICABLE]
    notes = (*record.notes, *_list_notes(desk, record, here, sources), *([why] if why else []), *said)
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


def _find_base(around: Around, sources: AttemptSources | None) -> tuple[str | None, str]:
    """Where the work of an attempt begins, and in words: the one before, else where the checks or its agent began."""
    before, here = around.before, around.here
    if before is not None and before.commit is not None:
        return before.commit, before.words
    if here.started_from is not None:
        what = "the last approval" if here.started_from in around.approved else "the baseline of its checks"
        return here.started_from, f"{what} on this line, {here.started_from[:SHORT_COMMIT]}"
    return find_first_head(() if sources is None else sources.runs), "its agent was started"


def _list_notes(
    desk: Desk, record: AttemptRecord, here: AttemptContent, sources: AttemptSources | None
) -> Iterator[str]:
    """What is missing, and what that keeps from being said."""
    if sources is None or record.outcome is AttemptOutcome.OPEN:
        silent = [] if here.shown is None else [one for one in here.shown.values() if one == _UNKNOWN]
        if silent:
            yield f"{len(silent)} of its checks have no result: no command is started for a look"
        return
    if sources.work is None:
        yield "no entry of the log is about it: what its documents say of it is a claim"
        return
    if record.commit_place in _PLACES:
        yield _PLACES[record.commit_place]
    if here.snapshot is None:
        yield "its snapshot is not stored here, so its tests cannot be compared"
    elif here.has_uncommitted and here.tree != here.snapshot.tree:
        yield "it held uncommitted work that is not here any more: its commit's files are compared instead"
    if sources.living and here.shown is None:
        yield "the record of what was shown when it was decided on is not here"
    elif has_lost_record(desk, sources):
        yield "a record of a decision is not here: of what it asked for only the reason is known"
    if len(sources.trees) > 1:
        yield "its entries are bound to different files; the newest of them stand for it"


def _list_producers(sources: AttemptSources, named: Sequence[str]) -> tuple[str, ...]:
    """Those that the log names, the handoff's own agents first: others have a part in the same commits only."""
    logged = sources.work.producers if sources.work is not None else ()
    agents = [run.plan.agent for run in sources.runs if run.plan is not None]
    told = _list_told(sources)
    known = tuple(dict.fromkeys((*logged, *agents, *([] if logged else told))))
    return _sort_named(known, (*agents, *told, *named))


def _list_told(sources: AttemptSources | None) -> list[str]:
    return [] if sources is None else [one.agent for one in sources.claimed if one.agent]


def _sort_named(names: Sequence[str], first: Sequence[str]) -> tuple[str, ...]:
    """Those of `first` in front, in its order."""
    order = {name.casefold(): place for place, name in reversed(list(enumerate(first)))}
    return tuple(sorted(names, key=lambda name: order.get(name.casefold(), len(first))))


def _find_snapshot(sources: AttemptSources | None) -> str | None:
    return None if sources is None or sources.work is None else sources.work.subject.snapshot


def _find_sent_back(before: AttemptSources | None) -> str | None:
    """When the attempt before came back, for the last time."""
    if before is None:
        return None
    return max((vote.entry.time for vote in before.last_votes if vote.decision.verb in SENDING_BACK), default=None)


def _count_seconds(since: str | None, until: str | None) -> float | None:
    """Between two times of the log; nothing where they are told the wrong way round."""
    if since is None or until is None:
        return None
    seconds = (parse_time(until) - parse_time(since)).total_seconds()
    return seconds if seconds >= 0 else None


def _add_seconds(runs: tuple[RunState, ...]) -> float | None:
    return sum(run.elapsed for run in runs) if runs else None
