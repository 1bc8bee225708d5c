"""Git hooks: what is at a hook's place, and what is done to it."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model


class HookName(StrEnum):
    """The hooks that can be installed."""

    PRE_COMMIT = "pre-commit"
    PRE_PUSH = "pre-push"


class HookCondition(StrEnum):
    """What is at a hook's place."""

    ABSENT = "absent"
    CURRENT = "current"
    """Ours, just as it would be written now."""
    OUTDATED = "outdated"
    """Ours and unchanged, but of another version, for another Python, or not executable."""
    EDITED = "edited"
    """Ours once; somebody changed it since."""
    FOREIGN = "foreign"
    """Somebody else's."""
    UNUSABLE = "unusable"
    """No file: a folder, a pipe, or something that cannot be read."""


class HookDeed(StrEnum):
    """What is done to one hook."""

    INSTALL = "install"
    """There was none; ours is written."""
    CHAIN = "chain"
    """There was another; it is kept beside ours and runs first."""
    RENEW = "renew"
    """Ours is written anew."""
    REMOVE = "remove"
    """Ours is taken away; there was none before."""
    RESTORE = "restore"
    """The earlier hook takes its place again."""
    CLEAN = "clean"
    """What an interrupted installation left behind is taken away; the earlier hook is still in its place."""
    NOTHING = "nothing"
    """It is as it should be."""


class HookStep(Model):
    """One hook, what is done to it, and why."""

    name: HookName
    path: str
    earlier: str | None
    """Where the hook that was there before is kept."""
    deed: HookDeed
    text: str


class HookReport(Model):
    """What was done, or would be done, to the hooks of a repository."""

    repo: str
    folder: str
    shared: bool
    dry_run: bool
    verb: str
    steps: tuple[HookStep, ...]
    notes: tuple[str, ...] = ()
