from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.system.processes import run as report_files
from handoff_tui.system.processes.run import offer_report_place, read_report


def test_place_is_new_and_gone_afterwards() -> None:
    """A command may write there; nothing is left."""
    with offer_report_place() as place:
        assert not place.exists()
        place.write_bytes(b"<testsuite/>")
        assert read_report(place) == b"<testsuite/>"
    assert not place.parent.exists()


def test_report_that_nobody_can_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, a folder, a link that leads elsewhere, or too large."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "large")
    monkeypatch.setattr(report_files, "_MAX_BYTES", 4)
    assert [read_report(tmp_path / name) for name in ("absent", "folder", "link", "large")] == [None] * 4
    monkeypatch.setattr(report_files, "_MAX_BYTES", 5)
    assert read_report(tmp_path / "large") == b"12345"
