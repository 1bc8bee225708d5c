"""The pipeline of one handoff: its phases in order, and where the work stands."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.log.gates.gate_state import GateName


class PhaseStanding(StrEnum):
    """Where the work stands in one phase."""

    DONE = "done"
    """A decision lets it pass."""
    HERE = "here"
    """The work is here; its gate is open for a decision, or it is being worked on."""
    BEHIND = "behind"
    """The work says that it is past it, and no decision says so."""
    SENT_BACK = "sent-back"
    AHEAD = "ahead"
    SKIPPED = "skipped"


class PhaseView(Model):
    """One phase, as the log and the files tell it."""

    name: str
    standing: PhaseStanding
    gate: GateName | None = None
    who: str | None = None
    """Who decided, or whose move it is."""
    attempts: int = 0
    when: str | None = None
    agent: str | None = None
    human_only: bool = False
    note: str = ""


class AttemptView(Model):
    """One try at a phase: from the handoff's files, or from what the log sent back."""

    phase: str
    number: int
    outcome: str
    who: str | None = None
    when: str | None = None
    reason: str = ""
    entry: str | None = None
    """The log entry that says so; nothing where it is only claimed."""


class PipelineView(Model):
    """The phases of a handoff's pipeline, or those its files and the log speak of where none is configured."""

    name: str | None = None
    phases: tuple[PhaseView, ...] = ()
    attempts: tuple[AttemptView, ...] = ()
    retry_budget: int | None = None
    spent: int = 0
    failure_target: str | None = None
