"""A pipeline: phases, the edges between them, and where failure leads."""

from __future__ import annotations

from enum import StrEnum

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
