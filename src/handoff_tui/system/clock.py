"""The clock, so that tests can stop it."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def read_now() -> datetime:
    return datetime.now(UTC)


def read_monotonic() -> float:
    """Returns seconds since some fixed moment; they never go back."""
    return time.monotonic()


def pause(seconds: float) -> None:
    """Waits for something outside to change; never used to make something likely."""
    time.sleep(seconds)
