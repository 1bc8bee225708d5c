"""Everything a screen or a command shows, in one frozen value."""

from __future__ import annotations

from handoff_tui.core.model import SCHEMA_VERSION, Model
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateState


class ClaimCounts(Model):
    """How many of a handoff's claims hold."""

    holds: int = 0
    contradicted: int = 0
    unverified: int = 0


class ReviewedHandoff(Model):
    """A handoff, how many of its claims hold, and the state of its gate."""

    handoff: Handoff
    gate: GateState
    claims: ClaimCounts = ClaimCounts.model_construct()


class Revision(Model):
    """A commit that touched a handoff's documents."""

    commit: str
    author: str
    date: str
    subject: str


class Reviewer(Model):
    """The user, by their git configuration, and whether they are one of the producers."""

    name: str | None
    email: str | None
    produced_this: bool


class ShownHandoff(Model):
    """One handoff in full: as read, as measured, and where it comes from."""

    reviewed: ReviewedHandoff
    verdicts: tuple[Verdict, ...] = ()
    history: tuple[Revision, ...] = ()
    reviewer: Reviewer | None = None
    problems: tuple[Problem, ...] = ()


class ReviewState(Model):
    """Everything that was read in one go."""

    schema_version: int = SCHEMA_VERSION
    generation: int = 0
    repository: RepositoryFacts
    handoffs: tuple[ReviewedHandoff, ...] = ()
    unknown: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
