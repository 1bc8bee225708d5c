from __future__ import annotations

import platform
import tempfile
from pathlib import Path

import pytest

from handoff_tui import __version__
from handoff_tui.cli.report_bug import report_bug


def test_report_has_what_is_needed_to_find_the_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions, the call, and the whole chain of what went wrong."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        try:
            _ = 1 / 0
        except ZeroDivisionError as cause:
            raise KeyError("lamp") from cause
    except KeyError as fault:
        place = Path(report_bug(fault, ["show", "H-3", "\udcff"]))
    text = place.read_text(encoding="utf-8")
    assert text.startswith(f"handoff-tui {__version__}, Python {platform.python_version()}, ")
    assert "arguments: ['show', 'H-3', '\\udcff']" in text
    assert text.index("ZeroDivisionError") < text.index("KeyError: 'lamp'")
    assert Path(__file__).name in text
