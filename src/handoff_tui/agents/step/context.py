"""Puts together what an agent is told: everything that passes on the edge into its phase, fresh for each try."""

from __future__ import annotations

from collections import Counter

from handoff_tui.agents.consent import PhaseAgent
from handoff_tui.agents.runs.folders import find_run
from handoff_tui.agents.runs.notes import read_notes
from handoff_tui.agents.runs.reports import find_output
from handoff_tui.agents.runs.run import AGENT_STEP, RunKey
from handoff_tui.agents.step.report import (
    CONTEXT_SCHEMA,
    BaselineContext,
    Budget,
    DocumentContext,
    FixTask,
    HandoffContext,
    PreviousContext,
    RoleContext,
    Route,
    StepContext,
    StepReport,
)
from handoff_tui.config.pipeline import Passing
from handoff_tui.config.settings.hub import HubRole
from handoff_tui.decisions.examine import Examined
from handoff_tui.decisions.values.packet import Packet
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.processes.output_reader import read_last_lines

_OUTPUT_LINES = 60


def build_context(
    examined: Examined,
    key: RunKey,
    route: Route,
    found: PhaseAgent,
    passed: tuple[Passing, ...],
    reports: tuple[StepReport, ...],
    packet: Packet | None,
) -> StepContext:
    """The context without its work folder and budget, which the start adds."""
    desk = examined.desk
    previous = reports[-1] if reports else None
    facts = desk.work_tree.facts
    return StepContext(
        key=key,
        route=route,
        role=build_role(desk, found),
        repository=str(desk.repository.root),
        folder=str(desk.repository.root),
        commit=facts.head,
        branch=facts.branch,
        handoff=_build_handoff(examined.handoff, passed),
        previous=None if previous is None else _build_previous(desk, previous, passed),
        baseline=_build_baseline(examined),
        packet=packet,
        fix_tasks=find_open_tasks(next((one for one in reversed(reports) if one.key.step == AGENT_STEP), None)),
        notes=read_notes(desk.repository.common_dir, examined.handoff.id),
    )


def complete_context(context: StepContext, folder: str, branch: str | None, budget: Budget) -> StepContext:
    """The same, where the agent will work and with the tries that are left."""
    return context.model_copy(update={"folder": folder, "branch": branch, "tries_left": budget.left})


def build_context_json(context: StepContext) -> dict[str, object]:
    """The context as a program reads it; docs/context.schema.json is its schema."""
    return {"schema": CONTEXT_SCHEMA, **context.model_dump(mode="json")}


def build_context_schema() -> dict[str, object]:
    """The JSON Schema of what passes on every edge."""
    schema = StepContext.model_json_schema(mode="serialization")
    properties = {"schema": {"const": CONTEXT_SCHEMA}, **schema["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "properties": properties,
        "required": ["schema", *schema["required"]],
    }


def find_open_tasks(previous: StepReport | None) -> tuple[FixTask, ...]:
    """What the last run left to be mended."""
    return () if previous is None else previous.fix_tasks


def build_role(desk: Desk, found: PhaseAgent) -> RoleContext:
    """By the agent's own words, else by those of the role of its name; supervising roles give the standards."""
    roles: dict[str, HubRole] = desk.loaded.settings.hub.roles
    role = roles.get(found.name)
    standards = [rule for supervisor in roles.values() if supervisor.stage is None for rule in supervisor.standards]
    return RoleContext(
        name=found.name,
        title=role.title if role else "",
        prompt=found.agent.role or (role.prompt if role else ""),
        standards=tuple(dict.fromkeys((*(role.standards if role else ()), *standards))),
    )


def _build_handoff(handoff: Handoff, passed: tuple[Passing, ...]) -> HandoffContext:
    documents = handoff.documents if Passing.DOCUMENTS in passed else ()
    return HandoffContext(
        id=handoff.id,
        dialect=handoff.dialect,
        title=handoff.title,
        status=handoff.status,
        message=handoff.message,
        next_action=handoff.next_action,
        source_agent=handoff.source_agent,
        target_agent=handoff.target_agent,
        documents=tuple(DocumentContext(path=one.path, role=one.role.value, sha256=one.sha256) for one in documents),
        tasks=handoff.tasks if Passing.TASKS in passed else (),
        blockers=tuple(blocker for blocker in handoff.blockers if blocker.open),
        findings=handoff.findings if Passing.FINDINGS in passed else (),
        proofs=handoff.proofs if Passing.PROOFS in passed else (),
        tests=handoff.tests,
        facts=handoff.facts,
    )


def _build_previous(desk: Desk, report: StepReport, passed: tuple[Passing, ...]) -> PreviousContext:
    """What the run before left, as it was measured; its output only where the edge passes it."""
    output: list[str] = []
    if Passing.OUTPUT in passed:
        output = read_last_lines(find_output(find_run(desk.repository.common_dir, report.key)), _OUTPUT_LINES)
    has_files = Passing.FILES in passed
    return PreviousContext(
        phase=report.key.phase,
        agent=report.agent,
        attempt=report.key.attempt,
        number=report.key.number,
        outcome=report.outcome.value,
        code=report.end.code,
        seconds=report.end.seconds,
        files=report.files if has_files else (),
        commits=report.commits if has_files else (),
        output=tuple(output),
        output_sha256=report.end.output_sha256,
    )


def _build_baseline(examined: Examined) -> BaselineContext:
    snapshot = examined.snapshot
    return BaselineContext(
        commit=examined.baseline.commit,
        snapshot=examined.baseline.snapshot,
        reason=examined.baseline.reason,
        tests=dict(sorted(Counter(outcome.value for outcome in snapshot.tests.values()).items())),
        packages=snapshot.package_count,
        checks_passed=examined.report.passed,
        checks_total=examined.report.total,
        failing=examined.target.failing,
    )
