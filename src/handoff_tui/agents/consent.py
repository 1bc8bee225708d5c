"""Which agent works in a phase, and whether its command may run: one from a repository must have been trusted once."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from handoff_tui.agents.command import find_agent
from handoff_tui.checks.report import TrustState
from handoff_tui.checks.run.command_consent import hash_scripts, is_trusted, remember
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.paths import join_path
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.config.settings.agents import Agent
from handoff_tui.core.errors import AgentRunError, UsageError
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.reader import FileReader


class PhaseAgent(NamedTuple):
    """An agent that works in a phase. `from_repository`: a checkout says what is to be run."""

    name: str
    agent: Agent
    from_repository: bool

    @property
    def shown(self) -> str:
        return " ".join(self.agent.command)


def find_phase_agent(desk: Desk, pipeline: Pipeline, phase: Phase) -> PhaseAgent:
    """The agent of a phase as configured, and who configured it."""
    name, agent = find_agent(desk.loaded.settings.agents, phase, pipeline.name)
    origins = desk.loaded.origins
    below = f"{join_path(['agents', name])}."
    keys = [key for key in origins if key.startswith(below)]
    if phase.command:
        keys.append(join_path(["pipelines", pipeline.name, "phases"]))
    return PhaseAgent(name, agent, any(origins.get(key, "").startswith(REPOSITORY_FILE) for key in keys))


def list_phase_agents(desk: Desk) -> list[tuple[str, str, PhaseAgent]]:
    """Every phase with an agent that can be started: pipeline, phase, agent."""
    found: list[tuple[str, str, PhaseAgent]] = []
    for name, settings in desk.loaded.settings.pipelines.items():
        pipeline = settings.build(name)
        for phase in pipeline.phases:
            try:
                found.append((name, phase.name, find_phase_agent(desk, pipeline, phase)))
            except AgentRunError:
                continue
    return found


def digest_agents(desk: Desk) -> str | None:
    """Over all agents that the repository would have us run, scripts by their content; nothing when it names none."""
    asked = [one for one in list_phase_agents(desk) if one[2].from_repository]
    if not asked:
        return None
    reader = FileReader(desk.repository.root, desk.loaded.settings.limits.hash_bytes)
    described = [
        (pipeline, phase, found.name, found.agent.model_dump(mode="json"), hash_scripts(reader, found.agent.command))
        for pipeline, phase, found in asked
    ]
    text = json.dumps(["agents", described], default=str)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def build_agent_trust(desk: Desk) -> TrustState | None:
    """Whether the repository's agents may be started; nothing when it names none."""
    digest = digest_agents(desk)
    return None if digest is None else TrustState(digest=digest, trusted=is_trusted(desk, digest))


def trust_agents(desk: Desk, digest: str) -> None:
    """Remembers the consent of the person who spelled the digest out; any other digest is refused."""
    wanted = digest_agents(desk)
    if wanted is None:
        raise UsageError("this repository names no agents; there is nothing to trust")
    if digest != wanted:
        raise UsageError(
            f"the agents of this repository have another digest: {wanted}",
            "Look at them with `handoff-tui step --list` and name that digest if you trust them.",
        )
    remember(desk, digest)


def refuse_untrusted(desk: Desk, found: PhaseAgent) -> None:
    """A checkout cannot have its own commands run."""
    state = build_agent_trust(desk) if found.from_repository else None
    if state is not None and not state.trusted:
        raise AgentRunError(
            f"the agent {found.name} comes from this repository and nobody has trusted it: {found.shown}",
            f"If you want it to run: handoff-tui step --trust {state.digest}",
        )
