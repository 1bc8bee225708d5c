"""What the steps, rules, gates and rollbacks of procedures do in one repository: where the engine meets the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from threading import Event

from handoff_tui.agents.engine.engine import AgentOrder, Attempted, GateLook
from handoff_tui.agents.engine.profile import build_plan
from handoff_tui.agents.notification import Notification
from handoff_tui.agents.notify import notify
from handoff_tui.agents.procedures.agent_steps import run_step_agent, stop_step_agents
from handoff_tui.agents.procedures.gate import look_at_run_gate, refuse_closed_gate
from handoff_tui.agents.procedures.report import ProcedurePlan, ProcedureTry, RunRequest
from handoff_tui.agents.procedures.steps import BUILT_IN, UNDOING, open_transfer, open_work, pass_on
from handoff_tui.agents.step.start import Renderer
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.check import CheckRequest, Telling, check, list_rules
from handoff_tui.config.nearest import suggest
from handoff_tui.config.settings.interface import NotificationEvent
from handoff_tui.config.settings.procedures import Procedure
from handoff_tui.core.errors import ProcedureError, UsageError
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.log.storage.mark import read_log_mark
from handoff_tui.system.files.probe import find_program

IsCompleted = Callable[[RunRequest, str], bool]
"""Whether another procedure was completed for the same attempt."""


class RepositoryActions:
    """Everything is read anew each time: a run may last for days, and nothing of it is believed in between."""

    def __init__(self, root: Path, is_completed: IsCompleted, render: Renderer) -> None:
        self._root = root
        self._is_completed = is_completed
        self._render = render

    def plan(self, request: RunRequest) -> ProcedurePlan:
        desk = open_desk(self._root)
        plan = build_checked_plan(desk, request.procedure)
        procedure = desk.loaded.settings.procedures.procedures[request.procedure]
        for needed in procedure.depends_on:
            if not self._is_completed(request, needed):
                raise ProcedureError(f"{needed} must have been completed for this attempt before")
        return plan

    def act(self, request: RunRequest, step: str, cancel: Event) -> Attempted:
        work = open_work(self._root, request, cancel)
        if BUILT_IN[step] is not pass_on:  # which asks git itself
            refuse_closed_gate(work.desk, request, step)
        return BUILT_IN[step](work)

    def run_agent(self, request: RunRequest, order: AgentOrder, cancel: Event) -> ProcedureTry:
        return run_step_agent(self._root, request, order, cancel, self._render)

    def judge(self, request: RunRequest, rule: str, cancel: Event) -> Attempted:
        """The rule as a check of this handoff; one that does not apply here stands in nobody's way."""
        telling = Telling(cancel=cancel)
        report = check(open_desk(self._root), CheckRequest(handoff=request.handoff, only=(rule,)), telling)
        result = report.results[0] if report.results else None
        if result is None:
            return Attempted(passed=False, detail=f"{rule} was not judged: it is switched off")
        return _describe_result(result)

    def look_at_gate(self, request: RunRequest) -> GateLook:
        look = look_at_run_gate(self._root, request)
        if look.open is None:
            self.tell(request, f"{request.procedure} waits for a decision")
        return look

    def tell(self, request: RunRequest, text: str) -> None:
        occasion = f"{request.run_id}\0{text}".encode("utf-8", "surrogatepass")
        notification = Notification(
            event=NotificationEvent.NEEDS_YOU.value,
            handoff=request.handoff,
            text=f"{request.handoff} · {request.phase}: {text}",
            key=hashlib.sha256(occasion).hexdigest(),
        )
        notify(open_desk(self._root), notification)

    def undo(self, request: RunRequest, name: str, cancel: Event) -> Attempted:
        del cancel  # what undoes is quick, and is done to its end
        return UNDOING[name](open_transfer(open_desk(self._root), request), request)

    def stop_agents(self, request: RunRequest) -> None:
        stop_step_agents(open_desk(self._root), request)

    def read_log_mark(self) -> str:
        return read_log_mark(self._root)


def build_checked_plan(desk: Desk, procedure_id: str) -> ProcedurePlan:
    """The plan of a procedure; an error where a name in it leads nowhere."""
    settings = desk.loaded.settings
    known = settings.procedures.procedures
    if procedure_id not in known:
        raise ProcedureError(
            f"there is no procedure {procedure_id!r}; {suggest(procedure_id, known)}",
            "Procedures of your own stand under [procedures.procedures]; docs/procedures.md has an example.",
        )
    procedure = known[procedure_id]
    _refuse_strange_names(desk, procedure_id, procedure)
    for agent in procedure.required_agents:
        configured = settings.agents.get(agent)
        if configured is None or find_program(configured.command[0]) is None:
            raise ProcedureError(
                f"{procedure_id} needs the agent {agent}, which is not ready on this machine",
                f"Add [agents.{agent}] to your configuration, and install its program.",
            )
    plan = build_plan(settings.procedures, procedure_id, frozenset(settings.agents))
    for rule in plan.rules:
        try:
            list_rules(desk, CheckRequest(only=(rule.id,)))
        except UsageError as unknown:
            raise ProcedureError(
                f"{procedure_id} has the rule {rule.id}, and no check is called so", unknown.hint
            ) from unknown
    return plan


def _refuse_strange_names(desk: Desk, procedure_id: str, procedure: Procedure) -> None:
    agents = desk.loaded.settings.agents
    names = [step.name for step in procedure.steps]
    if not names:
        raise ProcedureError(f"{procedure_id} has no steps", "A procedure does at least one thing.")
    for kind, known, parts in (
        ("step", BUILT_IN, names),
        ("rollback", UNDOING, [undo.name for undo in procedure.rollback]),
    ):
        for name in parts:
            if (name in known) == (name in agents):
                both = "is built in and an agent, too" if name in known else "is neither built in nor one of [agents]"
                raise ProcedureError(
                    f"{procedure_id} has the {kind} {name!r}, which {both}; {suggest(name, (*known, *agents))}",
                    "docs/procedures.md lists the built-in ones.",
                )
            if parts.count(name) > 1:
                raise ProcedureError(f"{procedure_id} has the {kind} {name!r} twice", "Give each a name of its own.")


def _describe_result(result: CheckResult) -> Attempted:
    if result.outcome is Outcome.NOT_APPLICABLE:
        return Attempted(passed=True, detail="does not apply here")
    found = result.findings[0].message if result.findings else result.summary
    return Attempted(
        passed=result.outcome is Outcome.PASS, detail=found if result.outcome is not Outcome.PASS else result.summary
    )
