"""VR004: the agent that takes over has a command, and its program is there and answers.

An agent that nobody configured may be a person or be started by hand, so it is not judged, unless a pipeline or a
procedure of the configuration requires it. The pipelines that come with the program name agents, but ask for commands
only where agents are configured at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import NamedTuple, Protocol, cast

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.pipelines import find_phase, list_commands, list_pipelines
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.checks.rules.procedure.records import find_place
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.pipelines import find_own_pipelines

_REPOSITORY = "{repository}/"
_NAMES_AGENTS = frozenset({"builder", "tdd", "hub"})
"""Built-in pipelines that name agents."""


class _ConfiguredProcedure(Protocol):
    @property
    def required_agents(self) -> tuple[str, ...]: ...


class _Need(NamedTuple):
    """An agent that must be ready, its command, and who requires it."""

    agent: str
    command: tuple[str, ...]
    required_by: str | None


def judge(context: Context) -> Iterator[RuleFinding]:
    handoffs = [handoff for handoff in context.handoffs() if handoff.target_agent or handoff.target_phase]
    pipelines, commands = list_pipelines(context), list_commands(context)
    needs = [
        (handoff, need)
        for handoff in handoffs
        for need in _list_needs(context, handoff, find_own_pipelines(pipelines, handoff), commands)
    ]
    judged = [(handoff, need) for handoff, need in needs if need.command or need.required_by]
    if not judged:
        names = sorted({need.agent for _, need in needs})
        context.skip(f"no command is configured for {', '.join(names)}" if names else "no handoff names who takes over")
    for handoff, need in judged:
        yield from _judge_need(context, handoff, need)


def _list_needs(
    context: Context, handoff: Handoff, pipelines: list[Pipeline], commands: dict[str, tuple[str, ...]]
) -> Iterator[_Need]:
    phase = next((found for pipeline in pipelines if (found := find_phase(pipeline, handoff.target_phase))), None)
    if phase is not None and phase.human_only:
        return
    agent = handoff.target_agent or (phase.agent if phase else None)
    if agent is not None:
        command = _find_command(agent, phase, commands)
        asking = [pipeline for pipeline in pipelines if commands or pipeline.name not in _NAMES_AGENTS]
        required_by = _find_pipeline_of(agent, asking) if handoff.target_agent else None
        yield _Need(agent, command, required_by)
    for procedure, required in _list_required(context, handoff):
        yield _Need(required, commands.get(required.casefold(), ()), f"the procedure {procedure}")


def _find_command(agent: str, phase: Phase | None, commands: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the command that the phase has for this agent, or that of the agent."""
    own = phase.command if phase and (phase.agent or agent).casefold() == agent.casefold() else ()
    return own or commands.get(agent.casefold(), ())


def _find_pipeline_of(agent: str, pipelines: list[Pipeline]) -> str | None:
    for pipeline in pipelines:
        if any((phase.agent or "").casefold() == agent.casefold() for phase in pipeline.phases):
            return f"the pipeline {pipeline.name}"
    return None


def _list_required(context: Context, handoff: Handoff) -> Iterator[tuple[str, str]]:
    """Yields the agents that the configured procedures of a handoff require."""
    configured = cast("dict[str, _ConfiguredProcedure]", context.settings.procedures.procedures)
    for name in dict.fromkeys(fact.value for fact in handoff.facts if fact.name == "procedure"):
        if handoff.dialect == "procedure" and name in configured:
            yield from ((name, agent) for agent in configured[name].required_agents)


def _judge_need(context: Context, handoff: Handoff, need: _Need) -> Iterator[RuleFinding]:
    if not need.command:
        message = f"VR004: {need.agent} is required by {need.required_by}, but has no command"
        expected = f"a command in [agents.{need.agent}]"
        yield RuleFinding(message, f"{handoff.id} agent {need.agent}", find_place(handoff), expected, "none")
        return
    program = need.command[0]
    if not _is_there(context, program):
        yield RuleFinding(
            message=f"VR004: {need.agent} cannot be started for {handoff.id}: the program {program} is not found",
            subject=f"{handoff.id} agent {need.agent}",
            place=find_place(handoff),
            expected=f"{program} on the search path",
            actual="not found",
            command=f"command -v -- {quote(program)}",
        )
    elif context.program_answers(program) is False:
        yield RuleFinding(
            message=f"VR004: {need.agent} does not answer for {handoff.id}: {program} --version does not end",
            subject=f"{handoff.id} agent {need.agent}",
            place=find_place(handoff),
            expected=f"{program} --version ends within a few seconds",
            actual="it could not be started, or did not end",
            command=f"{quote(program)} --version",
        )


def _is_there(context: Context, program: str) -> bool:
    """Looks for a name on the search path, and for a path in the repository."""
    inside = program.removeprefix(_REPOSITORY).removeprefix("./")
    if inside != program or ("/" in program and not program.startswith("/")):
        return context.is_executable(inside)
    return context.find_program(program) is not None


AGENT_READY = Rule(
    id="agent-ready",
    system=System.PROCEDURE,
    severity=Severity.CRITICAL,
    declared="VR004",
    holds="VR004: the agent that takes over has a command, and its program is installed and answers.",
    reads="target agents and phases; [agents], [pipelines] and [procedures] in the configuration; the search path",
    remedy="Install the agent's program, or correct its command in [agents] or in its phase.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
    commands=("handoff-tui config show --origins",),
)
