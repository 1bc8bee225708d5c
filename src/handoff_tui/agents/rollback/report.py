"""A rollback to what was last approved: what it would do, and what it did."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.agents.step.report import NewCommit, TouchedFile
from handoff_tui.core.model import Model


class RollbackPreview(Model):
    """What would change; nothing was touched."""

    target: str
    """The commit that was approved last."""
    reason: str
    head: str
    branch: str | None = None
    files: tuple[TouchedFile, ...] = ()
    """How the files differ from now to then."""
    commits: tuple[NewCommit, ...] = ()
    """Commits whose work would be taken back; they stay in the history."""
    uncommitted: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    """Uncommitted paths that no run of an agent accounts for: somebody's own work."""
    unsavable: tuple[str, ...] = ()
    """Paths that cannot be saved, each with the reason."""
    held: tuple[str, ...] = ()
    """Who is at work here now."""

    @property
    def is_empty(self) -> bool:
        return not self.files and not self.uncommitted


class RollbackState(StrEnum):
    """How far a rollback is."""

    BEGUN = "begun"
    DONE = "done"
    UNDONE = "undone"


class SavedWork(Model):
    """Everything that was there before, under a ref of its own."""

    ref: str
    commit: str
    tree: str
    index_tree: str
    head: str
    raw: tuple[str, ...] = ()
    """Paths that are kept byte by byte: what was uncommitted."""


class RollbackRecord(Model):
    """One line of the journal of rollbacks."""

    id: str
    time: str
    owner: str
    state: RollbackState
    target: str
    saved: SavedWork
    tree: str
    """The tree that the rollback leads to."""
    commit: str
    """The commit that it made; the old one where only uncommitted work was taken back."""
    branch: str | None = None
