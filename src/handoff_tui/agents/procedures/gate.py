"""The gate of a procedure run: reads and verifies the signed log each time, and believes no message or database."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.engine.engine import GateAnswer
from handoff_tui.agents.procedures.report import RunRequest
from handoff_tui.core.errors import ProcedureError
from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.gate_state import OPENING, SENT_BACK, GateReport
from handoff_tui.log.open_log import open_log
from handoff_tui.status.pipeline import find_pipeline


def read_run_gate(root: Path, request: RunRequest) -> GateAnswer:
    """Tells whether somebody has decided on this attempt, by everything that is here now."""
    session = open_session(root)
    examined = examine(session, open_log(session.repository), request.handoff, request.phase)
    if not has_gate(session, examined, request.phase):
        return GateAnswer(open=True, why=f"the phase {request.phase} has no gate")
    if examined.index.verdict.fatal:
        return GateAnswer(open=None, why="the signed log is not intact; needs you: run `handoff-tui log verify`")
    return judge_run_gate(examined.gate, request.attempt)


def refuse_closed_gate(session: Session, request: RunRequest, step: str) -> None:
    """Raises an error if a step needs a decision, by the configuration as it is now, and git has none.

    The engine's record of an open gate does not count: whoever can write its database could have made it.
    """
    procedure = session.loaded.settings.procedures.procedures.get(request.procedure)
    steps = procedure.steps if procedure is not None else ()
    if any(known.name == step and known.gate for known in steps):
        answer = read_run_gate(session.repository.root, request)
        if not answer.open:
            raise ProcedureError(f"nobody has approved it: {answer.why}", "The step runs once somebody has approved.")


def has_gate(session: Session, examined: ExaminedGate, phase: str) -> bool:
    """Tells whether the phase has a gate; one that no pipeline has does."""
    pipeline = find_pipeline(examined.handoff, session.loaded.settings.pipelines, examined.index)
    phases = pipeline.phases if pipeline is not None else ()
    return next((known.gate for known in phases if known.name.casefold() == phase.casefold()), True)


def judge_run_gate(gate: GateReport, attempt: int) -> GateAnswer:
    """Judges what the state of a gate means for a run on one attempt."""
    words = "; ".join(gate.why)
    if gate.attempt != attempt:
        return GateAnswer(open=False, why=f"attempt {attempt} is over: this is attempt {gate.attempt}")
    if gate.state in OPENING:
        return GateAnswer(open=True, why=f"{gate.state.value}: {words}", entry=_find_entry(gate))
    if gate.state in SENT_BACK:
        return GateAnswer(open=False, why=f"{gate.state.value}: {words}", entry=_find_entry(gate))
    return GateAnswer(open=None, why=f"{gate.state.value}: {words}")


def _find_entry(gate: GateReport) -> str | None:
    """Finds the latest entry that counts, for or against it."""
    counted = [approval for approval in gate.approvals if approval.counted or not approval.why]
    return max(counted, key=lambda approval: approval.time).entry if counted else None
