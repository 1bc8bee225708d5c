from __future__ import annotations

from datetime import UTC, datetime

from handoff_tui.tui.widgets.freshness import read_now


def test_clock_tells_the_time_with_its_zone() -> None:
    """Ages are differences, and a time without a zone has none."""
    before = datetime.now(UTC)
    assert before <= read_now() <= datetime.now(UTC)
