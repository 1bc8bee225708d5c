"""Targets of figures, and whether they are met."""

from __future__ import annotations

import pytest

from handoff_tui.history.metrics.report import Figure, MetricsReport, Target, Unit


@pytest.mark.parametrize(
    ("target", "value", "met"),
    [
        (Target(below=0.05), 0.049, True),
        (Target(below=0.05), 0.05, False),
        (Target(most=0.0), 0.0, True),
        (Target(most=0.0), 0.1, False),
        (Target(least=1.0), 1.0, True),
        (Target(least=1.0), 0.99, False),
    ],
)
def test_target_knows_its_own_edge(target: Target, value: float, met: bool) -> None:  # noqa: FBT001 - a table
    """`below` leaves the edge out, `most` and `least` have it."""
    assert target.is_met(value) is met


def test_figure_without_value_or_target_is_neither_met_nor_missed() -> None:
    """Nothing is said about what is not known."""
    figure = Figure(id="x", system="A", title="X", means="", unit=Unit.SHARE, target=Target(most=0.0))
    assert figure.met is None
    assert figure.model_copy(update={"value": 1.0}).met is False
    assert figure.model_copy(update={"value": 1.0, "target": None}).met is None


def test_figure_is_found_by_its_name() -> None:
    """An unknown name is nothing."""
    figure = Figure(id="x", system="A", title="X", means="", unit=Unit.SHARE)
    report = MetricsReport(repo="/r", head=None, log=None, fatal=False, made_at="", figures=(figure,))
    assert (report.find("x"), report.find("y")) == (figure, None)
