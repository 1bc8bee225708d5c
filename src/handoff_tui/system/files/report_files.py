"""A report that a command wrote where we told it to."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MAX_BYTES = 256 * 1024 * 1024


@contextmanager
def offer_report_place() -> Iterator[Path]:
    """A path outside the repository where a command may write its report; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="handoff-tui-check-") as folder:
        yield Path(folder) / "report"


def read_report(place: Path) -> bytes | None:
    """The report; nothing when none was written, or one that nobody could read."""
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > _MAX_BYTES:
            return None
        return place.read_bytes()
    except OSError:
        return None
