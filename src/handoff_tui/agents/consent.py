"""Which agent works in a phase, and consent to run it: a person must agree once to commands that a repository brings.

Agents of phases and agents of procedures are agreed to apart, each by one digest over everything that would run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from handoff_tui.agents.command import find_agent
from handoff_tui.agents.roster import is_from_repository
from handoff_tui.checks.report import ConsentState
from handoff_tui.checks.run.commands import has_consent, hash_scripts, save_consent
from handoff_tui.config.layer import join_path
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError, HandoffError, ProcedureError, UsageError
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.reader import FileReader

_ADDED = (
    *("home", "preset", "arguments", "allow", "identity", "variables", "input", "stream", "resume"),
    *("max_cost", "max_tokens", "max_turns"),
)
"""Settings that older consents don't know: they count once somebody sets them."""
_ANY = "any"
"""In place of the pipeline where a handoff's own document may name the phase."""


class PhaseAgent(NamedTuple):
    """The agent that works in a phase."""

    name: str
    settings: Agent
    from_repository: bool
    """Whether the repository says what would run."""

    @property
    def shown(self) -> str:
        return " ".join(self.settings.command)


class ConfiguredPhase(NamedTuple):
    """A phase of a pipeline whose agent can be started."""

    pipeline: str
    phase: str
    agent: PhaseAgent


def find_phase_agent(session: Session, pipeline: Pipeline, phase: Phase) -> PhaseAgent:
    """Finds the agent of a phase as configured, and who configured it."""
    named = session.loaded.settings.pipelines.get(pipeline.name)
    placed = dict(zip(pipeline.phases, named.build(pipeline.name).phases, strict=False) if named else ())
    role = placed.get(phase, phase)  # a handoff's own phases stand for these
    name, settings = find_agent(session.loaded.settings.agents, phase, pipeline.name, role.agent or role.name)
    from_repository = is_from_repository(session.loaded, name)
    if phase.command:
        phases = join_path(["pipelines", pipeline.name, "phases"])
        from_repository |= session.loaded.origins.get(phases, "").startswith(REPOSITORY_FILE)
    return PhaseAgent(name, settings, from_repository)


def has_phase_agent(session: Session, pipeline: Pipeline, phase: Phase) -> bool:
    """Tells whether an agent is configured for a phase."""
    try:
        find_phase_agent(session, pipeline, phase)
    except AgentRunError:
        return False
    return True


def list_phase_agents(session: Session) -> list[ConfiguredPhase]:
    """Lists every phase whose agent can be started; the repository's other agents work in phases that handoffs name."""
    loaded = session.loaded
    pipelines = [settings.build(name) for name, settings in loaded.settings.pipelines.items()]
    found = [
        ConfiguredPhase(pipeline.name, phase.name, find_phase_agent(session, pipeline, phase))
        for pipeline in pipelines
        for phase in pipeline.phases
        if has_phase_agent(session, pipeline, phase)
    ]
    listed = {phase.agent.name for phase in found}
    return found + [
        ConfiguredPhase(_ANY, name, PhaseAgent(name, agent, from_repository=True))
        for name, agent in loaded.settings.agents.items()
        if name not in listed and is_from_repository(loaded, name)
    ]


def digest_agents(session: Session) -> str | None:
    """Hashes all agents of phases that the repository brings, with their scripts; None if it brings none."""
    reader = _open_reader(session)
    return _build_digest(
        "agents",
        [
            (pipeline, phase, agent.name, *_describe(reader, agent.settings))
            for pipeline, phase, agent in list_phase_agents(session)
            if agent.from_repository
        ],
    )


def build_agent_trust(session: Session) -> ConsentState | None:
    """Tells whether the repository's agents may be started; None if it brings none."""
    digest = digest_agents(session)
    return None if digest is None else ConsentState(digest=digest, trusted=has_consent(session, digest))


def trust_agents(session: Session, digest: str) -> None:
    """Remembers the consent of the person who typed the digest; refuses any other digest."""
    _consent(session, digest, digest_agents(session), "agents of phases", "handoff-tui step --list")


def refuse_untrusted(session: Session, agent: PhaseAgent) -> None:
    """Raises an error if the repository brings this agent and nobody has consented to run it."""
    if agent.from_repository:
        _refuse(session, digest_agents(session), agent, "step", AgentRunError)


def refuse_untrusted_pipeline(session: Session, pipeline: Pipeline) -> None:
    """Raises an error if the repository brings an agent of a phase and nobody has consented to run it."""
    for phase in pipeline.phases:
        if has_phase_agent(session, pipeline, phase):
            refuse_untrusted(session, find_phase_agent(session, pipeline, phase))


def list_procedure_agents(session: Session) -> dict[str, Agent]:
    """Lists the agents of procedures that the repository brings, by name."""
    settings = session.loaded.settings
    procedures = settings.procedures.procedures.values()
    named = {step.name for procedure in procedures for step in procedure.steps}
    named |= {undo.name for procedure in procedures for undo in procedure.rollback}
    known = sorted(named & settings.agents.keys())
    return {name: settings.agents[name] for name in known if is_from_repository(session.loaded, name)}


def digest_procedure_agents(session: Session) -> str | None:
    """Hashes all agents of procedures that the repository brings, with their scripts; None if it brings none."""
    reader = _open_reader(session)
    agents = list_procedure_agents(session)
    return _build_digest("procedures", [(name, *_describe(reader, agent)) for name, agent in agents.items()])


def trust_procedures(session: Session, digest: str) -> None:
    """Remembers the consent of the person who typed the digest; refuses any other digest."""
    _consent(session, digest, digest_procedure_agents(session), "agents of procedures", "handoff-tui config show")


def refuse_untrusted_agent(session: Session, name: str) -> None:
    """Raises an error if the repository brings this agent of a procedure and nobody has consented to run it."""
    agent = list_procedure_agents(session).get(name)
    if agent is not None:
        _refuse(
            session,
            digest_procedure_agents(session),
            PhaseAgent(name, agent, from_repository=True),
            "run",
            ProcedureError,
        )


def _consent(session: Session, digest: str, wanted: str | None, what: str, command: str) -> None:
    if wanted is None:
        raise UsageError(f"this repository brings no {what}, so there is nothing to consent to")
    if digest != wanted:
        raise UsageError(
            f"the digest of this repository's {what} is {wanted}",
            f"Look at them with `{command}`, and name that digest if they may run.",
        )
    save_consent(session, digest)


def _refuse(session: Session, digest: str | None, agent: PhaseAgent, verb: str, error: type[HandoffError]) -> None:
    if digest is None or not has_consent(session, digest):
        raise error(
            f"the agent {agent.name} comes from this repository, and nobody has consented to run it: {agent.shown}",
            f"If it may run: handoff-tui {verb} --trust {digest}",
        )


def _open_reader(session: Session) -> FileReader:
    return FileReader(session.repository.root, session.loaded.settings.limits.hash_bytes)


def _describe(reader: FileReader, agent: Agent) -> tuple[object, object]:
    usual = {name for name in _ADDED if getattr(agent, name) == agent.model_defaults[name]}
    return agent.model_dump(mode="json", exclude=usual), hash_scripts(reader, agent.command)


def _build_digest(kind: str, described: Sequence[object]) -> str | None:
    if not described:
        return None
    text = json.dumps([kind, described], default=str)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
