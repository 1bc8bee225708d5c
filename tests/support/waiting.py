"""Waiting for what another process or thread does."""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST_SECONDS = 150.0
"""Long enough for a machine that is busy with everything else; who waits looks often, and goes on at once."""


def wait_until(holds: Callable[[], bool], what: str = "it", every: float = 0.01) -> None:
    """Looks until something holds; what never does is a failure."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"{what} never came about"
        time.sleep(every)
