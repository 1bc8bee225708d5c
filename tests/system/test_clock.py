from __future__ import annotations

from datetime import UTC, timedelta

from handoff_tui.system.clock import read_now


def test_now_is_in_universal_time_and_does_not_run_backwards() -> None:
    """The clock names its zone."""
    first, second = read_now(), read_now()
    assert first.tzinfo is UTC
    assert second - first >= timedelta(0)
