"""From single values to a figure."""

from __future__ import annotations

import pytest

from handoff_tui.history.metrics.compute import (
    DayWindow,
    MetricDefinition,
    Observation,
    Observed,
    Reduce,
    build_metric,
    build_weeks,
    find_percentile,
    reduce_values,
)
from handoff_tui.history.metrics.report import Metric, MetricsReport, Target, Unit

SHARE = MetricDefinition("x", "A", "X", "…", Unit.SHARE, Reduce.SHARE, Target(below=0.5), grouped_by="type")

MEDIAN = MetricDefinition("y", "A", "Y", "…", Unit.SECONDS, Reduce.MEDIAN)


def see(day: str, value: float, source: str = "a", group: str = "") -> Observation:
    return Observation(f"{day}T12:00:00Z", value, (source,), group)


def test_share_has_its_parts_groups_and_sources() -> None:
    """Two of three; each group by itself; every entry once, in order."""
    seen = [see("2026-03-02", 1, "a", "m"), see("2026-03-03", 0, "b", "n"), see("2026-03-04", 1, "a", "n")]
    figure = build_metric(SHARE, Observed(seen, {"gone": ["c"], "none": []}), DayWindow())
    assert figure.value == pytest.approx(2 / 3)
    assert (figure.part, figure.of, figure.met) == (2, 3, False)
    assert [(group.name, group.value, group.of, group.sources) for group in figure.groups] == [
        ("m", 1, 1, ("a",)),
        ("n", 0.5, 2, ("b", "a")),
    ]
    assert figure.sources == ("a", "b")
    assert [(one.why, one.number, one.sources) for one in figure.left_out] == [("gone", 1, ("c",))]
    assert figure.spread is None


def test_times_have_a_spread_of_values_that_were_seen() -> None:
    """Nothing is interpolated."""
    figure = build_metric(MEDIAN, Observed([see("2026-03-02", value) for value in (5, 1, 9, 3)]), DayWindow())
    assert figure.spread is not None
    assert (figure.value, *figure.spread.model_dump().values()) == (3, 1, 3, 9, 9)


@pytest.mark.parametrize(
    ("since", "until", "of"),
    [(None, None, 3), ("2026-03-03", None, 2), (None, "2026-03-03", 2), ("2026-03-03", "2026-03-03", 1)],
)
def test_window_has_both_its_days(since: str | None, until: str | None, of: int) -> None:
    """What happened on the first or the last day is counted."""
    seen = [see(f"2026-03-0{day}", 1) for day in (2, 3, 4)]
    assert build_metric(SHARE, Observed(seen), DayWindow(since, until)).of == of


def test_figure_of_nothing_says_why() -> None:
    """No value is no zero: what was never there, and what is outside the window, are told apart."""
    never = build_metric(SHARE, Observed((), why="nobody decided"), DayWindow())
    outside = build_metric(SHARE, Observed([see("2026-03-02", 1)], why="nobody decided"), DayWindow(since="2027-01-01"))
    plain = build_metric(SHARE, Observed(()), DayWindow())
    lost = build_metric(SHARE, Observed((), {"the record is gone": ["a"]}, "nobody decided"), DayWindow())
    assert (lost.value, "left out" in lost.why) == (None, True)
    assert [never.value, outside.value, plain.value] == [None, None, None]
    assert never.why == "nobody decided"
    assert "in these days" in outside.why
    assert "nothing to count" in plain.why


def test_number_of_nothing_is_zero() -> None:
    """A count is known also when it is zero."""
    assert reduce_values(Reduce.NUMBER, []) == (0.0, None)
    assert reduce_values(Reduce.MEAN, [1, 2]) == (1.5, 3)


def test_percentile_is_one_of_the_values() -> None:
    """The smallest that so many do not exceed."""
    ordered = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert [find_percentile(ordered, share) for share in (0.0, 0.5, 0.9, 1.0)] == [1.0, 5.0, 9.0, 10.0]
    assert find_percentile([4.0], 0.9) == 4.0


def test_weeks_begin_on_mondays_and_show_the_quiet_ones() -> None:
    """A week without anything has no value; a long log shows its newest weeks."""
    weeks = build_weeks(Reduce.SHARE, [see("2026-03-08", 1), see("2026-03-16", 0)])
    assert [(week.begins, week.value, week.of) for week in weeks] == [
        ("2026-03-02", 1.0, 1),
        ("2026-03-09", None, 0),
        ("2026-03-16", 0.0, 1),
    ]
    long = build_weeks(Reduce.SHARE, [see("2016-03-08", 1), see("2026-03-16", 0)])
    assert (len(long), long[-1].begins) == (104, "2026-03-16")
    assert build_weeks(Reduce.SHARE, []) == ()
    assert [week.begins for week in build_weeks(Reduce.SHARE, [see("0001-01-02", 1)])] == ["0001-01-01"]


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
    figure = Metric(id="x", system="A", title="X", means="", unit=Unit.SHARE, target=Target(most=0.0))
    assert figure.met is None
    assert figure.model_copy(update={"value": 1.0}).met is False
    assert figure.model_copy(update={"value": 1.0, "target": None}).met is None


def test_figure_is_found_by_its_name() -> None:
    """An unknown name is nothing."""
    figure = Metric(id="x", system="A", title="X", means="", unit=Unit.SHARE)
    report = MetricsReport(repo="/r", head=None, log=None, fatal=False, made_at="", metrics=(figure,))
    assert (report.find("x"), report.find("y")) == (figure, None)
