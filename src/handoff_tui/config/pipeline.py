"""A pipeline: phases, the edges between them, and where failure leads."""

from __future__ import annotations

from enum import StrEnum

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
    """One phase: who works in it, and whether a person must open the gate behind it."""

    name: str
    agent: str | None = None
    command: tuple[str, ...] = ()
    gate: bool = True
    human_only: bool = False
    failure_target: str | None = None
    """Where failure of this phase leads, if not where the pipeline says."""


class Edge(Model):
    """Work may go from one phase to another."""

    source: str
    target: str
    passes: tuple[Passing, ...] = EVERYTHING


class Pipeline(Model):
    """Phases in order, where failure leads, and how many further attempts there are."""

    name: str
    phases: tuple[Phase, ...]
    edges: tuple[Edge, ...]
    failure_target: str | None = None
    retry_budget: int = 3
