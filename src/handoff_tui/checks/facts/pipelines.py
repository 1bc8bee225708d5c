"""Pipelines and agents of the configuration, as rules need them."""

from __future__ import annotations

from typing import Final, Protocol, cast

from handoff_tui.checks.context import Context
from handoff_tui.models.handoff import Handoff
from handoff_tui.models.pipeline import Phase, Pipeline

_DIALECTS: Final = frozenset({"mosaic", "builder", "procedure", "tdd", "hub", "gsd", "notes", "claude", "relay"})
"""A pipeline of such a name speaks of no other dialect, even where both know a phase of one name."""
_ROLES: Final = ({"source", "target"}, {"work", "resume"})
"""Phases that stand for whatever phases a handoff names."""


class _ConfiguredPipeline(Protocol):
    def build(self, name: str) -> Pipeline: ...


class _ConfiguredAgent(Protocol):
    @property
    def command(self) -> tuple[str, ...]: ...


def list_pipelines(context: Context) -> dict[str, Pipeline]:
    configured = cast("dict[str, _ConfiguredPipeline]", context.setting("pipelines", dict))
    return {name: pipeline.build(name) for name, pipeline in configured.items()}


def list_commands(context: Context) -> dict[str, tuple[str, ...]]:
    """The command of each agent, by its name in small letters."""
    configured = cast("dict[str, _ConfiguredAgent]", context.setting("agents", dict))
    return {name.casefold(): agent.command for name, agent in configured.items()}


def find_own_pipelines(pipelines: dict[str, Pipeline], handoff: Handoff) -> list[Pipeline]:
    """Those that can speak of a handoff: the one named like its dialect, then the user's own."""
    own = pipelines.get(handoff.dialect)
    others = [pipeline for name, pipeline in pipelines.items() if name not in _DIALECTS]
    return [*([own] if own is not None else []), *others]


def names_roles(pipeline: Pipeline) -> bool:
    """Whether its phases stand for any phases, as those of the sessions and of the standard procedure do."""
    return {phase.name for phase in pipeline.phases} in _ROLES


def find_phase(pipeline: Pipeline, name: str | None) -> Phase | None:
    wanted = (name or "").casefold()
    return next((phase for phase in pipeline.phases if phase.name.casefold() == wanted), None)
