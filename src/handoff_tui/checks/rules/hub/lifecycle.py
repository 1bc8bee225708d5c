"""Tasks and runs follow their lifecycle, and a deployment carries the approval of a named person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.approvals import describe_unsigned, find_approvals, find_unsigned, is_agent
from handoff_tui.checks.facts.documents import find_unreadable, parse_json, parse_moment, read_json, walk_objects
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.formats.hub.layout import FOREIGN_RUN
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


@high_rule(
    holds="Every work cycle was accepted while pending, completed while in progress, and belongs to a run of its task.",
    reads="work cycles, contexts and reports of the hub, now and at the baseline",
    remedy="Correct the status, times or run of the cycle, or do the step that was left out.",
)
def lifecycle_legal(context: Context) -> Findings:
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
        foreign = list(_judge_runs(handoff))
        yield from foreign
        applies = applies or bool(handoff.attempts or foreign)
    if not applies:
        context.skip("no work cycle, and no report of one")


def _judge_runs(handoff: Handoff) -> Findings:
    for fact in handoff.facts:
        if fact.name == FOREIGN_RUN:
            message = f"{handoff.id} is described by a context of another task: {fact.value}"
            yield RuleFinding(message, f"{handoff.id} {fact.value}", fact.where, f"a run of {handoff.id}", fact.value)


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


def _judge_words(context: Context, cycle: _Cycle) -> Findings:
    hub = context.settings.hub
    for key, legal, needed in (("status", hub.statuses, True), ("report_status", hub.report_statuses, False)):
        value = cycle.fields.get(key)
        if (value is not None or needed) and value not in legal:
            yield cycle.report(f"{key} is not a legal word", key, " | ".join(legal), str(value))


def _judge_times(cycle: _Cycle) -> Findings:
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
        moment = parse_moment(value)
        if moment is not None:
            times.append((key, moment))
        elif value is not None:
            yield cycle.report(f"{key} is not a time", f"{key} form", "an ISO 8601 time", str(value))
    for (first, before), (second, after) in pairwise(times):
        if after < before:
            message = f"{second} is before {first}"
            yield cycle.report(message, f"{second} order", f"{second} after {before.isoformat()}", after.isoformat())


def _judge_step(context: Context, cycle: _Cycle) -> Findings:
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


def _judge_attempts(context: Context, handoff: Handoff) -> Findings:
    """Checks the reports in context files; those in work cycles are checked with them."""
    legal = context.settings.hub.report_statuses
    for attempt in handoff.attempts:
        told = attempt.where is not None and not attempt.where.path.lower().endswith(".json")
        if told and attempt.status not in legal:
            name = f"report {attempt.number} of {attempt.agent}"
            message = f"{handoff.id}: {name} has no legal status"
            expected = " | ".join(legal)
            yield RuleFinding(message, f"{handoff.id} {name}", attempt.where, expected, attempt.status or "none")


_PART_OF_A_TASK = compile_later(r"^(?:criterion|deliverable)-\d+$")
_RUN_FACTS = ("run id", "cycle run id", "cycle run")


@high_rule(
    holds="No run is marked complete while one of its tasks isn't.",
    reads="the state of runs and the stages of their tasks",
    remedy="Bring the tasks listed here to COMPLETE, or set the run back to its real stage.",
)
def run_complete_when_tasks_are(context: Context) -> Findings:
    complete = {state.upper() for state in context.settings.hub.complete_states}
    final = str(context.settings.hub.stages[-1]).upper()
    marked = [
        (handoff, state)
        for handoff in context.require_handoffs("hub")
        if (state := handoff.source_phase or "").upper() in complete
    ]
    for handoff, state in marked or context.skip("no run is marked complete"):
        for name, stage, place in _find_unfinished(context, handoff, complete | {final}, final):
            message = f"{handoff.id}: the run is said to be {state.lower()}, but {name} is {stage}"
            yield RuleFinding(message, f"{handoff.id} {name}", place, final, stage)


def _find_unfinished(
    context: Context, handoff: Handoff, complete: set[str], final: str
) -> Iterator[tuple[str, str, Place | None]]:
    """Yields unfinished tasks: those the context lists, its own, and other handoffs of the same run."""
    for task in handoff.tasks:
        if not _PART_OF_A_TASK.match(task.id) and not _is_complete(task, final):
            yield f"task {task.id}", task.stage or task.status or "of unknown state", task.where
    stage = next((fact for fact in handoff.facts if fact.name == "pipeline stage"), None)
    if stage is not None and stage.value.strip().upper() not in complete:
        yield f"task {handoff.id}", stage.value, stage.where
    runs = _find_runs(handoff)
    listed = {task.id for task in handoff.tasks}
    for other in context.every_handoff():
        if other.dialect != "hub" or other.id == handoff.id or other.id in listed or not runs & _find_runs(other):
            continue
        if other.source_phase is not None and other.source_phase.upper() not in complete:
            place = Place(path=other.documents[0].path) if other.documents else None
            yield f"task {other.id}", other.source_phase, place


def _is_complete(task: Task, final: str) -> bool:
    """Decides by the stage, or by the status if there is no stage."""
    return task.stage.upper() == final if task.stage else task.done is True


def _find_runs(handoff: Handoff) -> set[str]:
    return {fact.value for fact in handoff.facts if fact.name in _RUN_FACTS}


@critical_rule(
    holds="A person approved, in the signed log, everything that is deployed or about to be.",
    reads="states of runs and tasks, approvals in the hub's documents, and the signed log",
    remedy="Have a person look at the work and approve it: `handoff-tui decide approve ID`.",
)
def deploy_has_a_human(context: Context) -> Findings:
    handoffs = context.require_handoffs("hub")
    hub = context.settings.hub
    states = {state.upper() for state in (*hub.deploy_states, *hub.human_only_states)}
    states |= {name.upper() for name, role in hub.roles.items() if str(getattr(role, "stage", "")).upper() in states}
    deployed = [(handoff, sign) for handoff in handoffs if (sign := _find_deploy(handoff, states)) is not None]
    found: list[RuleFinding] = []
    unsigned: list[str] = []
    for handoff, sign in deployed or context.skip("nothing is being deployed"):
        found.extend(find_unreadable(context, [document.path for document in handoff.documents]))
        found.extend(_judge_approvals(context, handoff, *sign, unsigned))
    if unsigned and not found:
        context.skip(describe_unsigned(unsigned))
    yield from found


def _find_deploy(handoff: Handoff, states: set[str]) -> tuple[str, Place | None] | None:
    """Returns the state that says the work is, was or is about to be deployed; None if there is none."""
    first = Place(path=handoff.documents[0].path) if handoff.documents else None
    stage = next((fact for fact in handoff.facts if fact.name == "pipeline stage"), None)
    signs: list[tuple[str | None, Place | None]] = [
        *((word, first) for word in (handoff.source_phase, handoff.target_phase, handoff.target_agent, handoff.status)),
        *([(stage.value, stage.where)] if stage else []),
        *((attempt.phase, attempt.where) for attempt in handoff.attempts),
        *((attempt.agent, attempt.where) for attempt in handoff.attempts),
        *((task.stage, task.where) for task in handoff.tasks),
        *((task.status, task.where) for task in handoff.tasks),
    ]
    return next(
        ((word, place) for word, place in signs if word and word.strip().upper().replace(" ", "_") in states), None
    )


def _judge_approvals(
    context: Context, handoff: Handoff, sign: str, place: Place | None, unsigned: list[str]
) -> Findings:
    """An approval that nobody signed is only a claim: it never passes.

    It fails once there is a log, but for the handoff under review: there the person is about to decide.
    """
    signers = context.signers(handoff.id)
    if signers:
        return
    approvals = list(find_approvals(context, handoff))
    named = [one for one in approvals if one.name and not is_agent(context, handoff, one.name)]
    if named:
        claim = find_unsigned(context, handoff, str(named[0].name)) or ""
        if signers is None or context.scope == handoff.id:
            unsigned.append(claim)
        else:
            expected = "a signed approval by a person"
            yield RuleFinding(claim, f"{handoff.id} deploy", named[0].place, expected, "no such entry in the log")
        return
    given = approvals[-1] if approvals else None
    if given is None:
        reason, actual = "no approval is in the handoff", "none"
    elif given.name is None:
        reason, actual = "the approval names nobody", given.value
    else:
        reason, actual = f"the approval is by {given.name}, which is not a person", given.name
    message = f"{handoff.id} is at {sign.lower()}, but {reason}"
    expected = "the approval of a named person"
    yield RuleFinding(message, f"{handoff.id} deploy", given.place if given else place, expected, actual)
