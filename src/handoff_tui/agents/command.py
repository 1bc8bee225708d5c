"""Fills in the command and the prompt of an agent. Pure.

Only known names are filled in: other braces in a template, as in JSON or shell code, stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.config.pipeline import Phase
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.core.errors import AgentRunError
from handoff_tui.core.lazy_pattern import compile_later

_FIELD = compile_later(r"\{([a-z_]+)\}")
_LONGEST_ARGUMENT = 128 * 1024 - 1
"""What the system accepts as one word of a command."""


def find_agent(agents: Mapping[str, Agent], phase: Phase, pipeline: str, role: str = "") -> tuple[str, Agent]:
    """Finds the agent of a phase and its name, or that of the role the phase stands for; the phase's command wins."""
    name = phase.agent or phase.name
    role = role or name
    known = {configured.casefold(): (configured, agent) for configured, agent in agents.items()}
    found = known.get(name.casefold()) or known.get(role.casefold())
    if phase.command:
        agent = found[1] if found else Agent(command=phase.command)
        return name, agent.model_copy(update={"command": phase.command})
    if found is None:
        raise AgentRunError(
            f"the phase {phase.name} of {pipeline} has no agent: [agents.{role}] is not configured",
            f'Add [agents.{role}] with command = ["…"] to your configuration; docs/agents.md has examples.',
        )
    return found


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fills in the known fields once; does not look for fields in what was filled in."""
    return _FIELD.sub(lambda match: values.get(match[1], match[0]), text)


def build_argv(agent: Agent, values: Mapping[str, str]) -> tuple[str, ...]:
    """Builds the words of the command; a value is always one word, or part of one."""
    argv = tuple(fill(word, values) for word in agent.command)
    for word in argv:
        if "\0" in word:
            raise AgentRunError("the command of the agent would contain a NUL character", "Use {prompt_file} instead.")
        if len(word.encode("utf-8", "surrogateescape")) > _LONGEST_ARGUMENT:
            raise AgentRunError(
                "the prompt is too long for one argument of a command", "Use {prompt_file} instead of {prompt}."
            )
    return argv


def build_backoff(agent: Agent, retry: int) -> float:
    """Returns the wait before a retry; the first is 1."""
    waits = agent.backoff_seconds
    return waits[min(retry, len(waits)) - 1] if waits and retry > 0 else 0.0
