"""The exit codes: a public promise."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command tells the shell."""

    OK = 0
    BLOCKED = 1
    USAGE = 2
    INTEGRITY = 3
    NO_HUMAN = 4
    STILL_PENDING = 5
    BUG = 70
    INTERRUPTED = 130
