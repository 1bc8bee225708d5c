"""The plan of a procedure, made from the configuration and checked before anything runs."""

from __future__ import annotations

from handoff_tui.agents.procedures.report import PlannedRule, PlannedStep, PlannedUndo, ProcedurePlan
from handoff_tui.agents.procedures.steps import BUILT_IN_STEPS, BUILT_IN_UNDOS
from handoff_tui.checks.run.choose import CheckRequest, list_rules
from handoff_tui.config.nearest import suggest
from handoff_tui.config.settings.procedures import Procedure, Procedures
from handoff_tui.core.errors import ProcedureError, UsageError
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.probe import find_program


def build_plan(settings: Procedures, procedure_id: str, agents: frozenset[str] = frozenset()) -> ProcedurePlan:
    """Builds the plan of a configured procedure; `agents` are the names that are not built-in steps."""
    procedure = settings.procedures[procedure_id]
    named = dict.fromkeys((*procedure.rules, *(rule for step in procedure.steps for rule in step.rules)))
    return ProcedurePlan(
        steps=tuple(PlannedStep(**step.model_dump(), agent=step.name in agents) for step in procedure.steps),
        rules=tuple(PlannedRule(id=name, **settings.rules[name].model_dump()) for name in named),
        rollback=tuple(PlannedUndo(**undo.model_dump(), agent=undo.name in agents) for undo in procedure.rollback),
        backoff_seconds=settings.backoff_seconds,
        gate_timeout_seconds=settings.gate_timeout_seconds,
        gate_check_seconds=settings.gate_check_seconds,
        share_minimum=settings.final_share_minimum,
    )


def build_pipeline_plan(session: Session) -> ProcedurePlan:
    """The plan of a run that carries a handoff through its pipeline: its steps are found on the way."""
    settings = session.loaded.settings.procedures
    return ProcedurePlan(
        steps=(),
        pipeline=True,
        gate_timeout_seconds=settings.gate_timeout_seconds,
        gate_check_seconds=settings.gate_check_seconds,
        share_minimum=settings.final_share_minimum,
    )


def build_checked_plan(session: Session, procedure_id: str) -> ProcedurePlan:
    """Builds the plan of a procedure; raises an error for a name that leads nowhere."""
    settings = session.loaded.settings
    known = settings.procedures.procedures
    if procedure_id not in known:
        raise ProcedureError(
            f"there is no procedure {procedure_id!r}; {suggest(procedure_id, known)}",
            "Define your own under [procedures.procedures]; docs/procedures.md has an example.",
        )
    procedure = known[procedure_id]
    _refuse_unknown_names(session, procedure_id, procedure)
    for agent in procedure.required_agents:
        configured = settings.agents.get(agent)
        if configured is None or find_program(configured.command[0]) is None:
            raise ProcedureError(
                f"{procedure_id} needs the agent {agent}, which this machine does not have",
                f"Add [agents.{agent}] to your configuration, and install its program.",
            )
    plan = build_plan(settings.procedures, procedure_id, frozenset(settings.agents))
    for rule in plan.rules:
        try:
            list_rules(session, CheckRequest(only=(rule.id,)))
        except UsageError as unknown:
            raise ProcedureError(
                f"{procedure_id} has the rule {rule.id}, but no such check exists", unknown.hint
            ) from unknown
    return plan


def _refuse_unknown_names(session: Session, procedure_id: str, procedure: Procedure) -> None:
    agents = session.loaded.settings.agents
    names = [step.name for step in procedure.steps]
    if not names:
        raise ProcedureError(f"{procedure_id} has no steps", "A procedure needs at least one step.")
    for kind, known, parts in (
        ("step", BUILT_IN_STEPS, names),
        ("rollback", BUILT_IN_UNDOS, [undo.name for undo in procedure.rollback]),
    ):
        for name in parts:
            if (name in known) == (name in agents):
                why = "is both built in and an agent" if name in known else "is neither built in nor one of [agents]"
                raise ProcedureError(
                    f"{procedure_id} has the {kind} {name!r}, which {why}; {suggest(name, (*known, *agents))}",
                    "docs/procedures.md lists the built-in ones.",
                )
            if parts.count(name) > 1:
                raise ProcedureError(f"{procedure_id} has the {kind} {name!r} twice", "Give each its own name.")
