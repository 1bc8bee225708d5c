"""The gate of a run: the signed log is read and verified each time. No message and no database is believed."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.engine.engine import GateLook
from handoff_tui.agents.procedures.report import RunRequest
from handoff_tui.core.errors import ProcedureError
from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.log.gates.gate_state import GateName, GateReport
from handoff_tui.log.open_log import open_log
from handoff_tui.status.pipeline import find_pipeline

_OPEN = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED})
_SENT_BACK = frozenset({GateName.REJECTED, GateName.RETRY})


def look_at_run_gate(root: Path, request: RunRequest) -> GateLook:
    """Whether somebody has decided on just this attempt, by everything that is here now."""
    desk = open_desk(root)
    examined = examine(desk, open_log(desk.repository), request.handoff, request.phase)
    if not has_gate(desk, examined, request.phase):
        return GateLook(open=True, why=f"the phase {request.phase} has no gate")
    if examined.index.verdict.fatal:
        return GateLook(open=None, why="the signed log is not intact; a person must look at it first")
    return judge_run_gate(examined.gate, request.attempt)


def refuse_closed_gate(desk: Desk, request: RunRequest, step: str) -> None:
    """Before a step that wants a decision is begun, git is asked by the configuration as it is now.

    The engine's record of having passed a gate is not believed: whoever can write its database could have made it.
    """
    procedure = desk.loaded.settings.procedures.procedures.get(request.procedure)
    steps = procedure.steps if procedure is not None else ()
    if any(known.name == step and known.gate for known in steps):
        look = look_at_run_gate(desk.repository.root, request)
        if not look.open:
            raise ProcedureError(f"nobody has approved it: {look.why}", "The step is done when somebody has decided.")


def has_gate(desk: Desk, examined: ExaminedGate, phase: str) -> bool:
    """As the pipeline says; a phase that no pipeline knows has one."""
    pipeline = find_pipeline(examined.handoff, desk.loaded.settings.pipelines)
    phases = pipeline.phases if pipeline is not None else ()
    return next((known.gate for known in phases if known.name.casefold() == phase.casefold()), True)


def judge_run_gate(gate: GateReport, attempt: int) -> GateLook:
    """What the state of a gate means for a run that was asked for on one attempt."""
    words = "; ".join(gate.why)
    if gate.attempt != attempt:
        return GateLook(open=False, why=f"attempt {attempt} is over: the work at hand is attempt {gate.attempt}")
    if gate.state in _OPEN:
        return GateLook(open=True, why=f"{gate.state.value}: {words}", entry=_find_entry(gate))
    if gate.state in _SENT_BACK:
        return GateLook(open=False, why=f"{gate.state.value}: {words}", entry=_find_entry(gate))
    return GateLook(open=None, why=f"{gate.state.value}: {words}")


def _find_entry(gate: GateReport) -> str | None:
    """The latest entry that counts, or that stands against it."""
    counted = [approval for approval in gate.approvals if approval.counted or not approval.why]
    return max(counted, key=lambda approval: approval.time).entry if counted else None
