"""Pipelines and agents of the configuration, as rules need them."""

from __future__ import annotations

from handoff_tui.checks.context import Context
from handoff_tui.config.pipeline import Phase, Pipeline


def list_pipelines(context: Context) -> dict[str, Pipeline]:
    return {name: pipeline.build(name) for name, pipeline in context.settings.pipelines.items()}


def list_commands(context: Context) -> dict[str, tuple[str, ...]]:
    """The command of each agent, by its name in lower case."""
    return {name.casefold(): agent.command for name, agent in context.settings.agents.items()}


def find_phase(pipeline: Pipeline, name: str | None) -> Phase | None:
    wanted = (name or "").casefold()
    return next((phase for phase in pipeline.phases if phase.name.casefold() == wanted), None)
