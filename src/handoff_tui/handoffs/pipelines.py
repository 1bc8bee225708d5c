"""Which of the configured pipelines a handoff belongs to."""

from __future__ import annotations

from typing import Final

from handoff_tui.config.pipeline import Pipeline
from handoff_tui.handoffs.handoff import Handoff

_DIALECTS: Final = frozenset({"mosaic", "builder", "procedure", "tdd", "hub", "gsd", "notes", "claude", "relay"})
"""A pipeline of such a name speaks of no other dialect, even where both know a phase of one name."""


_ROLES: Final = ({"source", "target"}, {"work", "resume"})
"""Phases that stand for whatever phases a handoff names."""


def find_own_pipelines(pipelines: dict[str, Pipeline], handoff: Handoff) -> list[Pipeline]:
    """Those that can speak of a handoff: the one named like its dialect, then the user's own."""
    own = pipelines.get(handoff.dialect)
    others = [pipeline for name, pipeline in pipelines.items() if name not in _DIALECTS]
    return [*([own] if own is not None else []), *others]


def names_roles(pipeline: Pipeline) -> bool:
    """Whether its phases stand for any phases, as those of the sessions and of the standard procedure do."""
    return {phase.name for phase in pipeline.phases} in _ROLES
