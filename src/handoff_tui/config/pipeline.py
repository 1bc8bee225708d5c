"""A pipeline: phases, the edges between them, and where failure leads; and which ones fit a handoff."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from handoff_tui.config.quantities import Name
from handoff_tui.core.model import Model


class Passing(StrEnum):
    """What the next agent is given of the work before it."""

    DOCUMENTS = "documents"
    TASKS = "tasks"
    FINDINGS = "findings"
    PROOFS = "proofs"
    FILES = "files"
    """What the agent before changed, and its commits."""
    OUTPUT = "output"
    """The end of what the agent before printed."""


EVERYTHING = tuple(Passing)
FORMATS: Final = frozenset({"mosaic", "builder", "procedure", "tdd", "hub", "gsd", "notes", "claude", "relay"})
"""A pipeline with one of these names is only for that format, even if another format has a phase of the same name."""
_ROLES: Final = ({"source", "target"}, {"work", "resume"})
"""Placeholders for whatever phases a handoff names."""


class Phase(Model):
    """One phase of a pipeline."""

    name: Name
    """What the phase is called."""
    agent: Name | None = None
    """Who works in it: a name from [agents], or any other word for it."""
    command: tuple[Name, ...] = ()
    """The agent's command, if it is not the one in [agents]."""
    gate: bool = True
    """Whether someone must decide before the work goes on."""
    done: bool = False
    """Whether the work is done here: nobody works in it, and it goes straight on."""
    role: str = ""
    """What its agent reads, does, writes and leaves alone; said in its prompt."""
    human_only: bool = False
    """Whether only a person may start the phase."""
    failure_target: Name | None = None
    """Where failure of this phase leads, if not where the pipeline says."""


class Edge(Model):
    """Work may go from one phase to another."""

    source: Name
    """The phase it leaves."""
    target: Name
    """The phase it enters."""
    passes: tuple[Passing, ...] = EVERYTHING
    """What the next agent is given of the work before it."""


class Pipeline(Model):
    """Phases in order, where failure leads, and how many further attempts there are."""

    name: str
    phases: tuple[Phase, ...]
    edges: tuple[Edge, ...]
    failure_target: str | None = None
    retry_budget: int = 3

    def find(self, name: str | None) -> Phase | None:
        """Finds a phase by its name, in any case; None if there is none."""
        wanted = (name or "").casefold()
        return next((phase for phase in self.phases if phase.name.casefold() == wanted), None)


def find_own_pipelines(pipelines: Mapping[str, Pipeline], dialect: str) -> list[Pipeline]:
    """The pipelines that fit a handoff: the one named after its format, then the user's own."""
    own = pipelines.get(dialect)
    others = [pipeline for name, pipeline in pipelines.items() if name not in FORMATS]
    return [*([own] if own is not None else []), *others]


def names_roles(pipeline: Pipeline) -> bool:
    """Whether its phases are placeholders, as in the pipelines of sessions and of the standard procedure."""
    return {phase.name for phase in pipeline.phases} in _ROLES
