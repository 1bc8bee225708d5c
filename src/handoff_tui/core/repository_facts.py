"""What git says about a repository at one moment."""

from __future__ import annotations

from handoff_tui.core.model import Model


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
    """Files below `.handoff-tui/` that aren't committed yet: decisions that nobody else can see."""
    submodules: tuple[str, ...] = ()
