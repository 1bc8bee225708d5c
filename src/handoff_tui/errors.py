"""Every exception raised on purpose. Each has a message that says what is wrong and a hint that says what to do.

HandoffError
├── UsageError            the call's words are off
├── ConfigError           a configuration file cannot be used
├── RepositoryError       there is no repository here that can be read
├── GitError              a git command failed
├── UnsafePathError       a path leads out of the repository
├── FileUnreadableError   a file cannot be read as text
├── HandoffNotFoundError  no handoff has this id
├── HookError             a git hook cannot be written or removed as asked
└── DemoError             the sample repository cannot be built
"""

from __future__ import annotations


class HandoffError(Exception):
    """The base of all expected failures."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HandoffError):
    """The words of the call do not fit together."""


class ConfigError(HandoffError):
    """A configuration file has an unknown key, a wrong value, or is not TOML."""


class RepositoryError(HandoffError):
    """There is no repository here, or none that can be looked at safely."""


class GitError(HandoffError):
    """A git command exited with an error that the caller did not expect."""


class UnsafePathError(HandoffError):
    """A path, or a link on it, leads out of the repository."""


class FileUnreadableError(HandoffError):
    """A file is missing, too large, not a regular file, or may not be read."""


class HandoffNotFoundError(HandoffError):
    """No handoff in this repository has the id that was asked for."""


class DemoError(HandoffError):
    """The sample repository cannot be built where it was asked for."""


class HookError(HandoffError):
    """A git hook cannot be written or removed without losing something, or where it would have no effect."""
