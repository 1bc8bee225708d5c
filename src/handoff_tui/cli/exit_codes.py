"""The exit codes. They are a public promise."""

from __future__ import annotations

from enum import IntEnum

from handoff_tui.core.errors import BlockedError, HandoffError, NobodySignsError, NotIntactError


class ExitCode(IntEnum):
    """The exit code of a command."""

    OK = 0
    BLOCKED = 1
    USAGE = 2
    INTEGRITY = 3
    NO_HUMAN = 4
    STILL_PENDING = 5
    BUG = 70
    INTERRUPTED = 130


_BY_ERROR: dict[type[HandoffError], ExitCode] = {
    BlockedError: ExitCode.BLOCKED,
    NotIntactError: ExitCode.INTEGRITY,
    NobodySignsError: ExitCode.NO_HUMAN,
}


def find_exit_code(error: HandoffError) -> ExitCode:
    """Returns the exit code for an expected failure."""
    return next((code for kind, code in _BY_ERROR.items() if isinstance(error, kind)), ExitCode.USAGE)
