"""Agents that do steps of procedures: one whose command comes from a repository must have been trusted once."""

from __future__ import annotations

import hashlib
import json

from handoff_tui.checks.run.command_consent import hash_scripts, is_trusted, remember
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.paths import join_path
from handoff_tui.config.settings.agents import Agent
from handoff_tui.core.errors import ProcedureError, UsageError
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.reader import FileReader


def list_repository_agents(desk: Desk) -> dict[str, Agent]:
    """The agents of procedures that a checkout has a say in, by name."""
    settings = desk.loaded.settings
    procedures = settings.procedures.procedures.values()
    named = {step.name for procedure in procedures for step in procedure.steps}
    named |= {undo.name for procedure in procedures for undo in procedure.rollback}
    return {name: settings.agents[name] for name in sorted(named & settings.agents.keys()) if _is_foreign(desk, name)}


def digest_procedure_agents(desk: Desk) -> str | None:
    """Over what the repository would have us run, scripts by their content; nothing when it asks for nothing."""
    asked = list_repository_agents(desk)
    if not asked:
        return None
    reader = FileReader(desk.repository.root, desk.loaded.settings.limits.hash_bytes)
    described = [
        (name, agent.model_dump(mode="json"), hash_scripts(reader, agent.command)) for name, agent in asked.items()
    ]
    text = json.dumps(["procedures", described], default=str)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def trust_procedures(desk: Desk, digest: str) -> None:
    """Remembers the consent of the person who spelled the digest out; any other digest is refused."""
    wanted = digest_procedure_agents(desk)
    if wanted is None:
        raise UsageError("the procedures of this repository start no agents of its own; there is nothing to trust")
    if digest != wanted:
        raise UsageError(
            f"the agents of this repository's procedures have another digest: {wanted}",
            "Look at them with `handoff-tui config show` and name that digest if you trust them.",
        )
    remember(desk, digest)


def is_repository_agent(desk: Desk, name: str) -> bool:
    """Whether a checkout says what is to be run."""
    return name in list_repository_agents(desk)


def refuse_untrusted_agent(desk: Desk, name: str) -> None:
    """A checkout cannot have its own commands run."""
    asked = list_repository_agents(desk)
    digest = digest_procedure_agents(desk) if name in asked else None
    if digest is not None and not is_trusted(desk, digest):
        raise ProcedureError(
            f"the agent {name} comes from this repository and nobody has trusted it: {' '.join(asked[name].command)}",
            f"If you want it to run: handoff-tui run --trust {digest}",
        )


def _is_foreign(desk: Desk, name: str) -> bool:
    below = f"{join_path(['agents', name])}."
    origins = desk.loaded.origins
    return any(key.startswith(below) and origin.startswith(REPOSITORY_FILE) for key, origin in origins.items())
