"""The packet for the next attempt: reasons, comments with their code, failing checks, what was addressed."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.report import is_open, sort_worst_first
from handoff_tui.core.classes import dataclass, field
from handoff_tui.decisions.evidence_record import build_shown_check
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.decisions.threads import Thread, list_changes_since, list_threads
from handoff_tui.decisions.views import Demand, Packet
from handoff_tui.git.file_diff import FileChange
from handoff_tui.log.entry import VETOES
from handoff_tui.log.gates.position import list_sent_back
from handoff_tui.log.index import DecisionEntry
from handoff_tui.log.review_record import ReviewRecord
from handoff_tui.log.storage.evidence import find_review

_CLOSED = frozenset({"pass", "not-applicable"})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A decision that asks for something, with everything known about it."""

    made: DecisionEntry
    record: ReviewRecord | None
    changed: frozenset[str] | None
    """Paths that have changed since; None if the files of then are missing."""
    taken_back: bool
    threads: tuple[Thread, ...] = field(default=())
    """The comments of this decision."""


def build_packet(examined: ExaminedGate) -> Packet:
    """Collects everything the next attempt needs to know, from the log and from the current work."""
    key = examined.key
    sent_back = list_sent_back(examined.index, *key.place)
    asked = _list_asked(examined)
    last = sent_back[-1] if sent_back else None
    since = next((one.changed for one in asked if last is not None and one.made.entry.id == last.entry.id), None)
    return Packet(
        handoff=key.handoff,
        phase=key.phase,
        attempt=max([key.attempt, *(made.work.attempt + 1 for made in sent_back)]),
        state=examined.gate.state.value,
        demands=tuple(_build_demand(examined, one) for one in asked),
        comments=tuple(thread for one in asked for thread in one.threads if not thread.resolved_by),
        failing=tuple(build_shown_check(one) for one in sort_worst_first(filter(is_open, examined.report.results))),
        changed_files=tuple(sorted(since or ())),
        notes=_list_notes(examined, asked),
    )


def _list_asked(examined: ExaminedGate) -> list[_Asked]:
    """Lists decisions that ask for something, newest first."""
    index = examined.index
    decisions = [made for made in index.list_decisions(*examined.key.place) if not index.is_void(made.entry.id)]
    last = {(made.entry.actor, made.work.attempt): made.entry.id for made in decisions}
    threads = list_threads(examined.session, index, examined.key.place, examined.work_tree)
    asked: list[_Asked] = []
    for made in reversed(decisions):
        if made.decision.verb in VETOES:
            record = find_review(examined.session.repository.root, made.decision.review)
            changes = list_changes_since(examined.session, made, examined.work_tree)
            taken_back = last[made.entry.actor, made.work.attempt] != made.entry.id
            own = tuple(thread for thread in threads if thread.entry == made.entry.id)
            changed = None if changes is None else frozenset(_list_paths(changes))
            asked.append(_Asked(made, record, changed, taken_back, own))
    return asked


def _build_demand(examined: ExaminedGate, asked: _Asked) -> Demand:
    made, record = asked.made, asked.record
    failed = tuple(one.id for one in record.checks if one.blocking and one.outcome not in _CLOSED) if record else ()
    failing_now = {result.id for result in examined.report.results if result.blocking and is_open(result)}
    placed = [
        thread for thread in asked.threads if thread.comment.path and (asked.taken_back or not thread.resolved_by)
    ]
    untouched = tuple(dict.fromkeys(one.comment.place for one in placed if one.changed is False))
    still = tuple(check for check in failed if check in failing_now)
    is_measurable = bool(failed) or any(thread.changed is not None for thread in placed)
    return Demand(
        entry=made.entry.id,
        attempt=made.work.attempt,
        author=made.entry.actor,
        verb=made.decision.verb.value,
        time=made.entry.time,
        reason=made.decision.reason,
        taken_back=asked.taken_back,
        checks=failed,
        still_failing=still,
        commented=tuple(dict.fromkeys(one.comment.place for one in placed)),
        untouched=untouched,
        addressed=not still and not untouched if is_measurable else None,
    )


def _list_paths(changes: list[FileChange]) -> Iterator[str]:
    for change in changes:
        yield from (path for path in (change.path, change.old_path) if path is not None)


def _list_notes(examined: ExaminedGate, asked: list[_Asked]) -> tuple[str, ...]:
    notes = ["the log is not intact: handoff-tui log verify"] if examined.index.verdict.fatal else []
    for one in asked:
        work = one.made.work
        if one.record is None:
            who = one.made.entry.actor
            notes.append(
                f"the record of {who}'s decision on attempt {work.attempt} is missing; only its reason is known"
            )
        if one.changed is None:
            notes.append(f"the files of attempt {work.attempt} are missing, so what has changed since is unknown")
    return tuple(dict.fromkeys(notes))
