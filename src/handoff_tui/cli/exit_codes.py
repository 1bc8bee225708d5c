"""The exit codes. They are a public promise."""

from __future__ import annotations

from enum import IntEnum

from handoff_tui.core.errors import (
    AgentRunError,
    AppendRefusedError,
    DecisionForbiddenError,
    HandoffError,
    LogBrokenError,
    LogMissingError,
    LogPresentError,
    NoHumanError,
    PolicyForbiddenError,
    RollbackError,
    ShownMovedError,
    SigningError,
    WitnessDamagedError,
)


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


_BY_ERROR: tuple[tuple[type[HandoffError], ExitCode], ...] = (
    (DecisionForbiddenError, ExitCode.BLOCKED),
    (AppendRefusedError, ExitCode.BLOCKED),
    (PolicyForbiddenError, ExitCode.BLOCKED),
    (LogPresentError, ExitCode.BLOCKED),
    (LogMissingError, ExitCode.BLOCKED),
    (AgentRunError, ExitCode.BLOCKED),
    (RollbackError, ExitCode.BLOCKED),
    (ShownMovedError, ExitCode.BLOCKED),
    (LogBrokenError, ExitCode.INTEGRITY),
    (WitnessDamagedError, ExitCode.INTEGRITY),
    (NoHumanError, ExitCode.NO_HUMAN),
    (SigningError, ExitCode.NO_HUMAN),
)


def find_exit_code(error: HandoffError) -> ExitCode:
    """Returns the exit code for an expected failure."""
    return next((code for kind, code in _BY_ERROR if isinstance(error, kind)), ExitCode.USAGE)
