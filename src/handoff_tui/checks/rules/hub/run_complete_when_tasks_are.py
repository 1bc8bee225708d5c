"""A run is marked complete only if all of its tasks are."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.handoff import Handoff

_PART_OF_A_TASK = compile_later(r"^(?:criterion|deliverable)-\d+$")
_RUN_FACTS = ("run id", "cycle run id", "cycle run")


def judge(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.require_handoffs("hub")
    complete = {state.upper() for state in context.settings.hub.complete_states}
    final = str(context.settings.hub.stages[-1]).upper()
    applies = False
    for handoff in handoffs:
        state = handoff.source_phase
        if state is None or state.upper() not in complete:
            continue
        applies = True
        for name, stage, place in _find_unfinished(context, handoff, complete | {final}, final):
            message = f"{handoff.id}: the run is said to be {state.lower()}, but {name} is {stage}"
            yield RuleFinding(message, f"{handoff.id} {name}", place, final, stage)
    if not applies:
        context.skip("no run is marked complete")


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


RUN_COMPLETE_WHEN_TASKS_ARE = Rule(
    id="run-complete-when-tasks-are",
    system=System.HUB,
    severity=Severity.HIGH,
    holds="No run is marked complete while one of its tasks isn't.",
    reads="the state of runs and the stages of their tasks",
    remedy="Bring the tasks listed here to COMPLETE, or set the run back to its real stage.",
    judge=judge,
)
