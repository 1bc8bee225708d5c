"""Pipelines and agents of the configuration, as rules need them."""

from __future__ import annotations

from typing import Protocol, cast

from handoff_tui.checks.context import Context
from handoff_tui.config.pipeline import Phase, Pipeline


class _ConfiguredPipeline(Protocol):
    def build(self, name: str) -> Pipeline: ...


class _ConfiguredAgent(Protocol):
    @property
    def command(self) -> tuple[str, ...]: ...


def list_pipelines(context: Context) -> dict[str, Pipeline]:
    configured = cast("dict[str, _ConfiguredPipeline]", context.settings.pipelines)
    return {name: pipeline.build(name) for name, pipeline in configured.items()}


def list_commands(context: Context) -> dict[str, tuple[str, ...]]:
    """The command of each agent, by its name in small letters."""
    configured = cast("dict[str, _ConfiguredAgent]", context.settings.agents)
    return {name.casefold(): agent.command for name, agent in configured.items()}


def find_phase(pipeline: Pipeline, name: str | None) -> Phase | None:
    wanted = (name or "").casefold()
    return next((phase for phase in pipeline.phases if phase.name.casefold() == wanted), None)
