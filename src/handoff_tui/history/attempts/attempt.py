"""One attempt: its sources (log entries, documents, agent runs), then what can be measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from handoff_tui.agents.runs.run import RunState
from handoff_tui.checks.report import Outcome
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts import measure
from handoff_tui.history.attempts.report import AttemptOutcome, CommitPlace, PastAttempt
from handoff_tui.history.attempts.sources import AttemptContent, AttemptSources
from handoff_tui.history.past.log import CLOSED
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.entry import SENDING_BACK

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
    before, here, after, _ = around
    base, since = _find_base(around, sources)
    commits, why = measure.read_work_since(session, base, here.commit)
    changes, said = (None, ()) if before is None else measure.compare_tests(session, reviewed, before, here)
    points = () if sources is None else measure.read_points(session, sources, here, after)
    checks = here.checks
    judged = None if checks is None else [outcome for outcome in checks.values() if outcome != _NOT_APPLICABLE]
    notes = (*record.notes, *_list_notes(session, record, here, sources), *([why] if why else []), *said)
    return record.model_copy(
        update={
            "measured": True,
            "runs": tuple(measure.read_attempt_run(state) for state in sources.runs) if sources is not None else (),
            "snapshot": record.snapshot if here.snapshot is None else _find_snapshot(sources),
            "commits": commits,
            "commits_since": since if commits is not None else "",
            "checks_passed": None if judged is None else judged.count("pass"),
            "checks_total": None if judged is None else len(judged),
            "failing": None if checks is None else tuple(sorted(one for one in checks if checks[one] not in CLOSED)),
            "tests": here.tests,
            "check_changes": None if before is None else measure.compare_checks(before, here),
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
        what = "the last approval on this branch" if here.started_from in around.approved else "its checks' baseline"
        return here.started_from, f"{what}, {here.started_from[:SHORT_COMMIT]}"
    return measure.find_first_head(() if sources is None else sources.runs), "its agent was started"


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
    elif measure.has_lost_record(session, sources):
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
