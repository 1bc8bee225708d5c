"""Pauses garbage collection while many long-lived values are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Pauses collection: scanning long-lived values again and again takes up to a third of the time to create them.

    At the end they join the oldest generation unscanned, or all of them would be scanned at once.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()
            gc.unfreeze()
            gc.enable()
