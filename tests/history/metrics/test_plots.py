"""Plots of plain characters."""

from __future__ import annotations

from handoff_tui.history.metrics.plots import render_bar, render_sparkline


def test_bar_is_as_long_as_its_share() -> None:
    """Something has one cell at least, nothing has none, and what is not known is neither."""
    assert [render_bar(value, 4, 4) for value in (0, 2, 4, 9)] == ["░░░░", "██░░", "████", "████"]
    assert render_bar(0.001, 4, 4) == "█░░░"
    assert render_bar(None, 4, 4) == "····"
    assert render_bar(3, 0, 4) == "█░░░"


def test_sparkline_shows_the_newest_values() -> None:
    """The highest of them, or the top that is given, is a full cell; a gap is a dot."""
    assert render_sparkline([0, None, 7], 5) == "▁·█"
    assert render_sparkline([0.0, 0.5, 1.0], 2, most=1.0) == "▅█"
    assert render_sparkline([0, 0], 5) == "▁▁"
    assert render_sparkline([1, 2], 0) == ""
