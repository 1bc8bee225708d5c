"""Everything a screen or a command shows, in one frozen value."""

from __future__ import annotations

from handoff_tui.core.model import SCHEMA_VERSION, Model
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.agent_comments import AgentComment
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.life import LIVE, Life
from handoff_tui.log.gates.gate_state import GateState


class ClaimCounts(Model):
    """How many of a handoff's claims hold."""

    holds: int = 0
    contradicted: int = 0
    unverified: int = 0
    was_true: int = 0


class ScopeSummary(Model):
    """A handoff's own changes in numbers."""

    files: int = 0
    added: int = 0
    """Files that the handoff brought in."""
    removed: int = 0
    """Files that it deleted."""
    commits: int = 0
    shared: int = 0
    """Files whose last change belongs to other handoffs, too."""
    undeclared: int = 0
    """Files that its commits change and its documents do not list."""
    source: str | None = None
    """The strongest reason why changes belong to it; None if it has none."""


class ReviewedHandoff(Model):
    """A handoff, how many of its claims hold, its own changes, and the state of its gate."""

    handoff: Handoff
    gate: GateState
    claims: ClaimCounts = ClaimCounts.model_construct()
    attempt: int = 1
    """The current attempt, as the log counts."""
    scope: ScopeSummary = ScopeSummary.model_construct()
    life: Life = LIVE

    @property
    def past(self) -> bool:
        return self.life.is_past


class OwnFile(Model):
    """A file of a handoff's scope, and why it belongs to it."""

    path: str
    change: str
    """`added`, `modified` or `deleted`; `none` if it is as before."""
    source: str
    """Why its last own change belongs to the handoff: explicit, run, commits, declared, span or owner."""
    shared: bool = False
    """Whether that change belongs to other handoffs, too."""
    uncommitted: bool = False


class ShownScope(Model):
    """A handoff's own changes, file by file."""

    start: str | None = None
    commits: tuple[str, ...] = ()
    files: tuple[OwnFile, ...] = ()
    undeclared: tuple[str, ...] = ()
    """Changed in its commits, and not declared."""
    never_changed: tuple[str, ...] = ()
    """Declared as changed, and never changed by it."""
    changed_by_others: dict[str, str] = {}
    """Declared as changed, and last changed by other handoffs, and which."""
    taken_over: dict[str, str] = {}
    """Own files that other handoffs changed afterwards, and which."""


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


class EarlierHandoff(Model):
    """A past handoff that is history of another."""

    id: str
    title: str | None = None
    status: str | None = None
    why: str = ""


class ShownHandoff(Model):
    """One handoff in full: as read, as measured, and where it comes from."""

    reviewed: ReviewedHandoff
    scope: ShownScope | None = None
    """None if it was not looked for."""
    needs_you: frozenset[str] | None = None
    """As in the state that it was read from."""
    verdicts: tuple[Verdict, ...] = ()
    history: tuple[Revision, ...] = ()
    reviewer: Reviewer | None = None
    problems: tuple[Problem, ...] = ()
    agent_comments: tuple[AgentComment, ...] = ()
    earlier: tuple[EarlierHandoff, ...] = ()
    """Past handoffs that are its history."""


class ReviewState(Model):
    """Everything that was read in one go."""

    schema_version: int = SCHEMA_VERSION
    generation: int = 0
    repository: RepositoryFacts
    handoffs: tuple[ReviewedHandoff, ...] = ()
    has_log: bool = False
    unclaimed: tuple[str, ...] = ()
    """Changed files that belong to no handoff."""
    unclaimed_commits: tuple[str, ...] = ()
    needs_you: frozenset[str] | None = None
    """The handoffs that need the person at this computer, as the queue of the app counts them; None if not asked."""
    refusals: dict[str, str] = {}
    """Why they can't decide on others that wait for a reviewer."""
    coverage: dict[str, int] = {}
    """How many changed files are approved, overridden, waiting, rejected, unclaimed."""
    unknown: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
