from __future__ import annotations

from handoff_tui.changes.comparison.measure_words import name_measure, render_measure


def test_coverage_is_shown_in_percent() -> None:
    """Without rounding, however large or wrong the number."""
    assert (name_measure("coverage_basis_points"), name_measure("lines")) == ("coverage", "lines")
    assert render_measure("coverage_basis_points", 8105) == "81.05 %"
    assert render_measure("coverage_basis_points", -5) == "-0.05 %"
    assert render_measure("coverage_basis_points", 10**400).endswith("00.00 %")
    assert render_measure("lines", 12345) == "12,345"
