"""All that a screen or a command needs to show, in one frozen value."""

from __future__ import annotations

from handoff_tui.models.base import SCHEMA_VERSION, Model
from handoff_tui.models.claim import Verdict
from handoff_tui.models.gate_state import GateState
from handoff_tui.models.handoff import Handoff
from handoff_tui.models.place import Problem


class RepositoryFacts(Model):
    """What git says about the repository now."""

    root: str
    head: str | None = None
    branch: str | None = None
    detached: bool = False
    upstream: str | None = None
    ahead: int | None = None
    behind: int | None = None
    shallow: bool = False
    linked_worktree: bool = False
    object_format: str = "sha1"
    changed: tuple[str, ...] = ()
    """Tracked paths with uncommitted changes."""
    untracked: tuple[str, ...] = ()
    own_uncommitted: tuple[str, ...] = ()
    """Files below `.handoff-tui/` that are in no commit yet: decisions that nobody else can see."""
    submodules: tuple[str, ...] = ()


class ClaimCounts(Model):
    """How a handoff's claims stand, in numbers."""

    holds: int = 0
    contradicted: int = 0
    unverified: int = 0


class ReviewedHandoff(Model):
    """A handoff, how its claims stand, and the state of its gate."""

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
    """Who is looking, by the user's own git configuration, and whether that is one of the producers."""

    name: str | None
    email: str | None
    produced_this: bool


class ShownHandoff(Model):
    """One handoff whole: as read, as measured, and where it comes from."""

    reviewed: ReviewedHandoff
    verdicts: tuple[Verdict, ...] = ()
    history: tuple[Revision, ...] = ()
    reviewer: Reviewer | None = None
    problems: tuple[Problem, ...] = ()


class ReviewState(Model):
    """Everything that was read, in one generation."""

    schema_version: int = SCHEMA_VERSION
    generation: int = 0
    repository: RepositoryFacts
    handoffs: tuple[ReviewedHandoff, ...] = ()
    unknown: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
