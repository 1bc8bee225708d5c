"""Times of the log."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.log.entries.times import add_seconds, build_time, parse_time


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))  # noqa: DTZ001 - hypothesis adds the zone
def test_times_survive_and_sort_as_text(moment: datetime) -> None:
    """A time read back is the same to the second, and later times are later texts."""
    text = build_time(moment)
    assert parse_time(text) == moment.replace(microsecond=0)
    assert add_seconds(text, 1) > text


@pytest.mark.parametrize("text", ["2026-1-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00", "now", ""])
def test_other_forms_are_refused(text: str) -> None:
    """One form only, and only days of the calendar."""
    with pytest.raises(ValueError, match=r"time data|2026|day is out"):
        parse_time(text)
