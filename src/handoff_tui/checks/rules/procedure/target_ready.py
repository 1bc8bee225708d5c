"""VR002, VR004, VR006 and VR007: the target phase finds its agent, files, remotes and permissions.

An agent that nobody configured may be a person or be started by hand, so it is not judged, unless a pipeline or a
procedure of the configuration requires it. The pipelines that come with the program name agents, but ask for commands
only where agents are configured at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule, medium_rule
from handoff_tui.checks.rules.procedure import records
from handoff_tui.config.pipeline import Phase, Pipeline, find_own_pipelines, names_roles
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Handoff

_REPOSITORY = "{repository}/"
_NAMES_AGENTS = frozenset({"builder", "tdd", "hub"})
"""Built-in pipelines that name agents."""


class _RequiredAgent(NamedTuple):
    """An agent that must be ready, its command, and who requires it."""

    agent: str
    command: tuple[str, ...]
    required_by: str | None


@critical_rule(
    declared="VR004",
    holds="VR004: the agent that takes over has a command, and its program is installed. It is not run to find out.",
    reads="target agents and phases; [agents], [pipelines] and [procedures] in the configuration; the search path",
    remedy="Install the agent's program, or correct its command in [agents] or in its phase.",
    commands=("handoff-tui config show --origins",),
    moments=(CheckMoment.PRE, CheckMoment.GATE),
)
def agent_ready(context: Context) -> Findings:
    handoffs = [handoff for handoff in context.handoffs() if handoff.target_agent or handoff.target_phase]
    pipelines, commands = _list_pipelines(context), _list_commands(context)
    needs = [
        (handoff, need)
        for handoff in handoffs
        for need in _list_needs(context, handoff, find_own_pipelines(pipelines, handoff.dialect), commands)
    ]
    judged = [(handoff, need) for handoff, need in needs if need.command or need.required_by]
    if not judged:
        names = sorted({need.agent for _, need in needs})
        context.skip(f"no command is configured for {', '.join(names)}" if names else "no handoff names who takes over")
    for handoff, need in judged:
        yield from _judge_need(context, handoff, need)


def _list_needs(
    context: Context, handoff: Handoff, pipelines: list[Pipeline], commands: dict[str, tuple[str, ...]]
) -> Iterator[_RequiredAgent]:
    phase = next((found for pipeline in pipelines if (found := pipeline.find(handoff.target_phase))), None)
    if phase is not None and phase.human_only:
        return
    agent = handoff.target_agent or (phase.agent if phase else None)
    if agent is not None:
        command = _find_command(agent, phase, commands)
        asking = [pipeline for pipeline in pipelines if commands or pipeline.name not in _NAMES_AGENTS]
        required_by = _find_pipeline_of(agent, asking) if handoff.target_agent else None
        yield _RequiredAgent(agent, command, required_by)
    for procedure, required in _list_required(context, handoff):
        yield _RequiredAgent(required, commands.get(required.casefold(), ()), f"the procedure {procedure}")


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
    configured = context.settings.procedures.procedures
    for name in dict.fromkeys(fact.value for fact in handoff.facts if fact.name == "procedure"):
        if handoff.dialect == "procedure" and name in configured:
            yield from ((name, agent) for agent in configured[name].required_agents)


def _judge_need(context: Context, handoff: Handoff, need: _RequiredAgent) -> Findings:
    if not need.command:
        message = f"VR004: {need.agent} is required by {need.required_by}, but has no command"
        expected = f"a command in [agents.{need.agent}]"
        yield RuleFinding(message, f"{handoff.id} agent {need.agent}", records.find_place(handoff), expected, "none")
        return
    program = need.command[0]
    subject, place = f"{handoff.id} agent {need.agent}", records.find_place(handoff)
    if not _is_there(context, program):
        message = f"VR004: {need.agent} cannot be started for {handoff.id}: the program {program} is not found"
        expected, command = f"{program} on the search path", f"command -v -- {quote(program)}"
        yield RuleFinding(message, subject, place, expected, "not found", command)


def _is_there(context: Context, program: str) -> bool:
    """Looks for a name on the search path, and for a path in the repository."""
    inside = program.removeprefix(_REPOSITORY).removeprefix("./")
    if inside != program or ("/" in program and not program.startswith("/")):
        return context.is_executable(inside)
    return context.find_program(program) is not None


_PRESENT = (ClaimKind.FILE_REFERENCED, ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED)


@critical_rule(
    declared="VR002",
    holds="VR002: the target phase, its agent, and every file and folder named for it exist.",
    reads="pipelines and agents in the configuration, and files named in claims and metadata",
    remedy="Add what is missing to the repository or the configuration, or correct the handoff that names it.",
)
def target_resources_present(context: Context) -> Findings:
    pipelines = _list_pipelines(context)
    for handoff in records.require_transitions(context):
        yield from records.find_broken(context, handoff, "VR002")
        yield from _judge_phase(handoff, find_own_pipelines(pipelines, handoff.dialect))
        yield from _judge_agent(context, handoff, pipelines)
        if handoff.dialect in {records.PROCEDURE, records.TDD}:
            yield from _judge_claimed_files(context, handoff)
        if handoff.dialect == records.PROCEDURE:
            for metadata in records.read_records(context, handoff).metadata():
                yield from _judge_metadata(context, handoff, metadata)


def _judge_phase(handoff: Handoff, pipelines: list[Pipeline]) -> Findings:
    """Checks that the target phase exists. Pipelines of roles fit any phase; custom ones must have the source phase."""
    deciding = [
        pipeline
        for pipeline in pipelines
        if not names_roles(pipeline)
        and (pipeline.name == handoff.dialect or pipeline.find(handoff.source_phase) is not None)
    ]
    target = handoff.target_phase
    if target is None or not deciding or any(pipeline.find(target) is not None for pipeline in pipelines):
        return
    names = [phase.name for phase in deciding[0].phases]
    message = f"VR002: {handoff.id} goes to the phase {target}, which the pipeline {deciding[0].name} does not have"
    expected = f"one of {', '.join(names)}"
    yield RuleFinding(message, f"{handoff.id} phase {target}", records.find_place(handoff), expected, target)


def _judge_agent(context: Context, handoff: Handoff, pipelines: dict[str, Pipeline]) -> Findings:
    """Checks that the agent is configured, if the repository configures agents at all."""
    configured = set(_list_commands(context))
    if not configured or handoff.target_agent is None:
        return
    in_phases = {(phase.agent or phase.name).casefold() for pipeline in pipelines.values() for phase in pipeline.phases}
    if handoff.target_agent.casefold() not in configured | in_phases:
        message = f"VR002: {handoff.id} goes to {handoff.target_agent}, who isn't configured"
        expected = f"one of {', '.join(sorted(configured))}"
        actual = handoff.target_agent
        yield RuleFinding(
            message, f"{handoff.id} agent {handoff.target_agent}", records.find_place(handoff), expected, actual
        )


def _judge_claimed_files(context: Context, handoff: Handoff) -> Findings:
    for claim in handoff.claims:
        if claim.kind in _PRESENT and claim.subject and context.find(claim.subject, claim.where.path) is None:
            yield _build_missing(handoff, claim.subject, claim.where)


def _judge_metadata(context: Context, handoff: Handoff, metadata: records.Record) -> Findings:
    paths = [path for _, path in records.list_named(metadata.fields, context.settings.procedures.path_fields)]
    resources = records.list_named(metadata.fields, context.settings.procedures.resource_fields)
    paths.extend(text for _, text in resources if records.is_path_like(text))
    for path in dict.fromkeys(paths):
        if context.find(path, metadata.where.path) is None:
            yield _build_missing(handoff, path, metadata.where)


def _build_missing(handoff: Handoff, path: str, where: Place) -> RuleFinding:
    outside = path.startswith(("/", "~", "../"))
    reason = "lies outside the repository" if outside else "does not exist"
    message = f"VR002: {handoff.id} names {path} for the target phase, which {reason}"
    expected = "a path of this repository"
    return RuleFinding(message, f"{handoff.id} {path}", where, expected, "outside" if outside else "missing")


@high_rule(
    declared="VR006",
    holds="VR006: every remote that was asked answers.",
    reads="the repository's remotes; the network only if you allow it",
    remedy="Bring the remote back or correct its address, so that the next agent can fetch and push.",
    commands=("git remote -v",),
)
def connections_stable(context: Context) -> Findings:
    remotes = dict(context.remotes())
    if not remotes:
        context.skip("no remote is configured")
    answers = {name: context.reaches(name) for name in remotes}
    if all(answer is None for answer in answers.values()):
        context.skip("no remote was asked, because that needs network access; allow it with --network")
    for name, answer in answers.items():
        if answer is False:
            message = f"VR006: the remote {name} does not answer"
            command = f"git ls-remote -- {quote(name)}"
            yield RuleFinding(message, f"remote {name}", expected="an answer", actual="none", command=command)


_PLANNED = "planned "


@medium_rule(
    declared="VR007",
    holds="VR007: the next phase can write what it writes and execute what it runs.",
    reads="permissions of state files, TDD files, and outputs and scripts named in metadata",
    remedy="Grant the permissions that the next phase needs, or name files that it can use.",
)
def permissions_granted(context: Context) -> Findings:
    uses = [
        (judge, handoff, path, where)
        for handoff in records.require_transitions(context)
        for judge, list_paths in ((_judge_written, _list_written), (_judge_script, _list_scripts))
        for path, where in list_paths(context, handoff)
    ]
    for judge, handoff, path, where in uses or context.skip("no handoff names a file to write or a script to run"):
        yield from judge(context, handoff, path, where)


def _list_written(context: Context, handoff: Handoff) -> Iterator[tuple[str, Place]]:
    """Yields what the next phase writes: state files, the files of a TDD cycle, outputs named in metadata."""
    for document in handoff.documents:
        if document.role is DocumentRole.STATE and context.exists(document.path):
            yield document.path, Place(path=document.path)
    if handoff.dialect == records.TDD:
        yield from (
            (claim.subject, claim.where) for claim in handoff.claims if claim.kind in _PRESENT and claim.subject
        )
        for fact in handoff.facts:
            if fact.name.startswith(_PLANNED) and fact.where is not None:
                yield fact.value, fact.where
    if handoff.dialect == records.PROCEDURE:
        for metadata in records.read_records(context, handoff).metadata():
            for _, path in records.list_named(metadata.fields, context.settings.procedures.output_fields):
                yield path, metadata.where


def _list_scripts(context: Context, handoff: Handoff) -> Iterator[tuple[str, Place]]:
    """Yields scripts named in metadata, and named files with the ending of a script."""
    suffixes = context.settings.procedures.script_suffixes
    for claim in handoff.claims:
        named = claim.subject if claim.kind in _PRESENT else None
        if named and named.endswith(suffixes) and (found := context.find(named, claim.where.path)):
            yield found, claim.where
    if handoff.dialect == records.PROCEDURE:
        for metadata in records.read_records(context, handoff).metadata():
            for _, path in records.list_named(metadata.fields, context.settings.procedures.script_fields):
                yield context.find(path, metadata.where.path) or path, metadata.where


def _judge_written(context: Context, handoff: Handoff, path: str, where: Place) -> Findings:
    place = _find_present(context, path)
    if place is None or context.is_writable(place):
        return
    below = "" if place == path else f", because the folder {place} is closed to it"
    message = f"VR007: the next phase of {handoff.id} cannot write {path}{below}"
    actual = "read-only"
    yield RuleFinding(message, f"{handoff.id} write {path}", where, "writable", actual, f"chmod u+w -- {quote(place)}")


def _find_present(context: Context, path: str) -> str | None:
    """Returns the file or the nearest existing folder above it; None for the root."""
    while path:
        if context.exists(path):
            return path
        path = path.rpartition("/")[0]
    return None


def _judge_script(context: Context, handoff: Handoff, path: str, where: Place) -> Findings:
    if context.is_executable(path):
        return
    present = context.exists(path)
    reason = "it is not executable" if present else "it does not exist"
    message = f"VR007: the next phase of {handoff.id} cannot run {path}: {reason}"
    actual, command = ("not executable", f"chmod +x -- {quote(path)}") if present else ("missing", None)
    yield RuleFinding(message, f"{handoff.id} run {path}", where, "executable", actual, command)


def _list_pipelines(context: Context) -> dict[str, Pipeline]:
    return {name: pipeline.build(name) for name, pipeline in context.settings.pipelines.items()}


def _list_commands(context: Context) -> dict[str, tuple[str, ...]]:
    """The command of each agent, by its name in lower case."""
    return {name.casefold(): agent.command for name, agent in context.settings.agents.items()}
