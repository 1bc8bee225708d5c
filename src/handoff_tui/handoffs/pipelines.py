"""Which of the configured pipelines a handoff belongs to."""

from __future__ import annotations

from typing import Final

from handoff_tui.config.pipeline import Pipeline
from handoff_tui.handoffs.handoff import Handoff

FORMATS: Final = frozenset({"mosaic", "builder", "procedure", "tdd", "hub", "gsd", "notes", "claude", "relay"})
"""A pipeline with one of these names is only for that format, even if another format has a phase of the same name."""


_ROLES: Final = ({"source", "target"}, {"work", "resume"})
"""Placeholders for whatever phases a handoff names."""


def find_own_pipelines(pipelines: dict[str, Pipeline], handoff: Handoff) -> list[Pipeline]:
    """The pipelines that fit a handoff: the one named after its format, then the user's own."""
    own = pipelines.get(handoff.dialect)
    others = [pipeline for name, pipeline in pipelines.items() if name not in FORMATS]
    return [*([own] if own is not None else []), *others]


def names_roles(pipeline: Pipeline) -> bool:
    """Whether its phases are placeholders, as in the pipelines of sessions and of the standard procedure."""
    return {phase.name for phase in pipeline.phases} in _ROLES
