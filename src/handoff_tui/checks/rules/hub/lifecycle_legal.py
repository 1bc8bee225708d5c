"""Work cycles of the hub follow their lifecycle: accepted while pending, completed while in progress."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, parse_json, read_json, walk_objects
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff

_TIMES = ("created_at", "accepted_at", "completed_at")
_NOT_YET = {"pending": ("accepted_at", "completed_at"), "in_progress": ("completed_at",)}
_NEEDED = {"in_progress": ("accepted_at",), "completed": ("accepted_at", "completed_at")}


class _Cycle(NamedTuple):
    """A work cycle as written in its file."""

    name: str
    fields: dict[str, object]
    place: Place

    def text(self, key: str) -> str | None:
        value = self.fields.get(key)
        return value.strip() if isinstance(value, str) and value.strip() else None

    def report(self, message: str, aspect: str, expected: str, actual: str) -> RuleFinding:
        return RuleFinding(f"{self.name}: {message}", f"{self.name} {aspect}", self.place, expected, actual)


def judge(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.require_handoffs("hub")
    applies = False
    seen: set[str] = set()
    for handoff in handoffs:
        paths = [document.path for document in handoff.documents if document.path not in seen]
        seen.update(paths)
        yield from find_unreadable(context, paths)
        for path in paths:
            for cycle in _find_cycles(context, handoff, path):
                applies = True
                yield from _judge_words(context, cycle)
                yield from _judge_times(cycle)
                yield from _judge_step(context, cycle)
        yield from _judge_attempts(context, handoff)
        applies = applies or bool(handoff.attempts)
    if not applies:
        context.skip("no work cycle, and no report of one")


def _find_cycles(context: Context, handoff: Handoff, path: str) -> Iterator[_Cycle]:
    if not path.lower().endswith(".json"):
        return
    lines = {
        fact.value: fact.where.line
        for fact in handoff.facts
        if fact.name == "cycle id" and fact.where is not None and fact.where.path == path
    }
    for number, fields in enumerate(_list_cycles(read_json(context, path)), start=1):
        name = str(fields.get("id") or number)
        yield _Cycle(f"cycle {name}", fields, Place(path=path, line=lines.get(name)))


def _list_cycles(root: object) -> list[dict[str, object]]:
    return [
        node
        for node in walk_objects(root)
        if "from_role" in node and "to_role" in node and ("status" in node or "stage" in node)
    ]


def _judge_words(context: Context, cycle: _Cycle) -> Iterator[RuleFinding]:
    hub = context.settings.hub
    for key, legal, needed in (("status", hub.statuses, True), ("report_status", hub.report_statuses, False)):
        value = cycle.fields.get(key)
        if (value is not None or needed) and value not in legal:
            yield cycle.report(f"{key} is no legal word", key, " | ".join(legal), str(value))


def _judge_times(cycle: _Cycle) -> Iterator[RuleFinding]:
    status = cycle.text("status") or ""
    for key in _NOT_YET.get(status, ()):
        if cycle.fields.get(key) is not None:
            yield cycle.report(f"is {status}, but has {key}", key, f"no {key}", str(cycle.fields[key]))
    for key in _NEEDED.get(status, ()):
        if cycle.fields.get(key) is None:
            yield cycle.report(f"is {status}, but has no {key}", key, f"a time in {key}", "none")
    times: list[tuple[str, datetime]] = []
    for key in _TIMES:
        value = cycle.fields.get(key)
        moment = _parse_time(value)
        if moment is not None:
            times.append((key, moment))
        elif value is not None:
            yield cycle.report(f"{key} is no time", f"{key} form", "an ISO 8601 time", str(value))
    for (first, before), (second, after) in pairwise(times):
        if after < before:
            message = f"{second} is before {first}"
            yield cycle.report(message, f"{second} order", f"{second} after {before.isoformat()}", after.isoformat())


def _parse_time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _judge_step(context: Context, cycle: _Cycle) -> Iterator[RuleFinding]:
    """Checks that the status at the baseline may lead to the current one."""
    baseline = context.baseline()
    now = cycle.text("status")
    if baseline is None or now is None or cycle.fields.get("id") is None:
        return
    before = next((status for key, status in _read_before(context, baseline, cycle) if key == cycle.fields["id"]), None)
    if before is None or now in _reachable(context, before):
        return
    yield cycle.report(
        f"went from {before} to {now}, which no step allows",
        "step",
        f"from {before} to {' | '.join(sorted(_reachable(context, before) - {before})) or 'nothing'}",
        now,
    )


def _read_before(context: Context, baseline: str, cycle: _Cycle) -> Iterator[tuple[object, str]]:
    for fields in _list_cycles(parse_json(context.read_at(baseline, cycle.place.path))):
        status = fields.get("status")
        if isinstance(status, str):
            yield fields.get("id"), status.strip()


def _reachable(context: Context, status: str) -> set[str]:
    """Returns the statuses that may follow; a cycle may fail from any status."""
    accept_from = context.settings.hub.accept_from
    complete_from = context.settings.hub.complete_from
    reached = {status, "failed"}
    if status in accept_from:
        reached |= {"in_progress", "skipped"}
    if reached & set(complete_from):
        reached |= {"completed", "skipped"}
    return reached


def _judge_attempts(context: Context, handoff: Handoff) -> Iterator[RuleFinding]:
    """Checks the reports in context files; those in work cycles are checked with them."""
    legal = context.settings.hub.report_statuses
    for attempt in handoff.attempts:
        told = attempt.where is not None and not attempt.where.path.lower().endswith(".json")
        if told and attempt.status not in legal:
            name = f"report {attempt.number} of {attempt.agent}"
            message = f"{handoff.id}: {name} has no legal status"
            expected = " | ".join(legal)
            yield RuleFinding(message, f"{handoff.id} {name}", attempt.where, expected, attempt.status or "none")


LIFECYCLE_LEGAL = Rule(
    id="lifecycle-legal",
    system=System.HUB,
    severity=Severity.HIGH,
    holds="Every work cycle was accepted while pending and completed while in progress, in that order.",
    reads="work cycles and reports of the hub, now and at the baseline",
    remedy="Correct the status and times of the cycle, or do the step that was left out.",
    judge=judge,
)
