"""Texts that are committed and compared byte for byte."""

from __future__ import annotations

import os
from pathlib import Path

_WRITES = os.environ.get("HANDOFF_TUI_WRITE_GOLDEN") == "1"


def compare_golden(place: Path, actual: str) -> None:
    """Equal to the committed text; HANDOFF_TUI_WRITE_GOLDEN=1 writes it again."""
    if _WRITES:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(actual, encoding="utf-8")
    assert place.is_file(), f"{place.name} is not there: HANDOFF_TUI_WRITE_GOLDEN=1 writes it"
    assert actual.split("\n") == place.read_text(encoding="utf-8").split("\n"), place.name
