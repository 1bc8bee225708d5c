"""The packet for the next attempt: reasons, comments with their code, failing checks, what was addressed."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.report import CLOSED, is_open, sort_worst_first
from handoff_tui.decisions.evidence_record import build_shown_check
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.decisions.threads import ComparedDecision, compare_decisions
from handoff_tui.decisions.views import Demand, Packet
from handoff_tui.git.file_diff import FileChange
from handoff_tui.log.entry import VETOES
from handoff_tui.log.gates.position import list_sent_back


def build_packet(examined: ExaminedGate) -> Packet:
    """Collects everything the next attempt needs to know, from the log and from the current work."""
    key = examined.key
    sent_back = list_sent_back(examined.index, *key.place)
    compared = compare_decisions(examined.session, examined.index, key.place, examined.work_tree)
    asked = [one for one in reversed(compared) if one.made.decision.verb in VETOES]  # newest first
    last = sent_back[-1] if sent_back else None
    since = next((one.changes for one in asked if last is not None and one.made.entry.id == last.entry.id), None)
    return Packet(
        handoff=key.handoff,
        phase=key.phase,
        attempt=max([key.attempt, *(made.work.attempt + 1 for made in sent_back)]),
        state=examined.gate.state.value,
        demands=tuple(_build_demand(examined, one) for one in asked),
        comments=tuple(thread for one in asked for thread in one.threads if not thread.resolved_by),
        failing=tuple(build_shown_check(one) for one in sort_worst_first(filter(is_open, examined.report.results))),
        changed_files=tuple(sorted({*_list_paths(since or [])})),
        notes=_list_notes(examined, asked),
    )


def _build_demand(examined: ExaminedGate, asked: ComparedDecision) -> Demand:
    made, record = asked.made, asked.record
    failed = tuple(one.id for one in record.checks if one.blocking and one.outcome not in CLOSED) if record else ()
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


def _list_notes(examined: ExaminedGate, asked: list[ComparedDecision]) -> tuple[str, ...]:
    notes = ["the log is not intact: handoff-tui log verify"] if examined.index.verdict.fatal else []
    for one in asked:
        work = one.made.work
        if one.record is None:
            who = one.made.entry.actor
            notes.append(
                f"the record of {who}'s decision on attempt {work.attempt} is missing; only its reason is known"
            )
        if one.changes is None:
            notes.append(f"the files of attempt {work.attempt} are missing, so what has changed since is unknown")
    return tuple(dict.fromkeys(notes))
