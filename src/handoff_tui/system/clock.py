"""The clock, so that tests can stop it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from threading import Event


def read_now() -> datetime:
    return datetime.now(UTC)


def read_monotonic() -> float:
    """Returns seconds since some fixed moment; they never go back."""
    return time.monotonic()


def pause(seconds: float, ending: Event | None = None) -> bool:
    """Waits for something outside to change; never used to make something likely.

    Returns at once, and True, if `ending` is set.
    """
    if ending is not None:
        return ending.wait(seconds)
    time.sleep(seconds)
    return False
