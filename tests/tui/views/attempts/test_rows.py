from __future__ import annotations

from handoff_tui.tui.views.attempts.view import AttemptRows
from tests.support.attempt_records import FIRST, HISTORY


def test_rows_are_keyed_by_the_name_of_the_attempt() -> None:
    """Oldest first, as the history has them."""
    rows = AttemptRows(HISTORY)
    assert list(rows.keys) == ["H-3:build:1", "H-3:build:2"]
    assert rows.find("H-3:build:1") is FIRST
    assert rows.find("H-3:build:9") is None


def test_row_shows_what_there_is_room_for() -> None:
    """What was asked for outlives what took how long."""
    rows = AttemptRows(HISTORY)
    wide, narrow = ("".join(cell.text for cell in rows.build_row(0, width)) for width in (200, 80))
    assert "1 of 2 addressed" in wide
    assert "2026-01-02 10:00" in wide
    assert "1 of 2 addressed" in narrow
    assert "2026-01-02 10:00" not in narrow
    heading = "".join(cell.text for cell in rows.build_heading(80))
    assert "ASKED FOR" in heading
    assert "WHEN" not in heading
