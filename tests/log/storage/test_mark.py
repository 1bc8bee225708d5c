"""The mark of the signed log."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.log.storage.blobs import read_log_mark


def test_mark_changes_with_every_new_entry(tmp_path: Path) -> None:
    """In a new folder and in one that is there; without a log there is none."""
    marks = [read_log_mark(tmp_path)]
    for name in ("aa/1", "aa/2", "bb/1"):
        place = tmp_path / ".handoff-tui" / "log" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        marks.append(read_log_mark(tmp_path))
    assert marks[0] == ""
    assert len(set(marks)) == 4
    assert read_log_mark(tmp_path) == marks[-1]
