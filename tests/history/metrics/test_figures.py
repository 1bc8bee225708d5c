"""From single values to a figure."""

from __future__ import annotations

import pytest

from handoff_tui.history.metrics.figures import (
    Definition,
    Observation,
    Observed,
    Reduce,
    Window,
    build_figure,
    build_weeks,
    find_percentile,
    reduce_values,
)
from handoff_tui.history.metrics.report import Target, Unit

SHARE = Definition("x", "A", "X", "…", Unit.SHARE, Reduce.SHARE, Target(below=0.5), grouped_by="type")
MEDIAN = Definition("y", "A", "Y", "…", Unit.SECONDS, Reduce.MEDIAN)


def see(day: str, value: float, source: str = "a", group: str = "") -> Observation:
    return Observation(f"{day}T12:00:00Z", value, (source,), group)


def test_share_has_its_parts_groups_and_sources() -> None:
    """Two of three; each group by itself; every entry once, in order."""
    seen = [see("2026-03-02", 1, "a", "m"), see("2026-03-03", 0, "b", "n"), see("2026-03-04", 1, "a", "n")]
    figure = build_figure(SHARE, Observed(seen, {"gone": ["c"], "none": []}), Window())
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
    figure = build_figure(MEDIAN, Observed([see("2026-03-02", value) for value in (5, 1, 9, 3)]), Window())
    assert figure.spread is not None
    assert (figure.value, *figure.spread.model_dump().values()) == (3, 1, 3, 9, 9)


@pytest.mark.parametrize(
    ("since", "until", "of"),
    [(None, None, 3), ("2026-03-03", None, 2), (None, "2026-03-03", 2), ("2026-03-03", "2026-03-03", 1)],
)
def test_window_has_both_its_days(since: str | None, until: str | None, of: int) -> None:
    """What happened on the first or the last day is counted."""
    seen = [see(f"2026-03-0{day}", 1) for day in (2, 3, 4)]
    assert build_figure(SHARE, Observed(seen), Window(since, until)).of == of


def test_figure_of_nothing_says_why() -> None:
    """No value is no zero: what was never there, and what is outside the window, are told apart."""
    never = build_figure(SHARE, Observed((), why="nobody decided"), Window())
    outside = build_figure(SHARE, Observed([see("2026-03-02", 1)], why="nobody decided"), Window(since="2027-01-01"))
    plain = build_figure(SHARE, Observed(()), Window())
    lost = build_figure(SHARE, Observed((), {"the record is gone": ["a"]}, "nobody decided"), Window())
    assert (lost.value, "left out says why" in lost.why) == (None, True)
    assert [never.value, outside.value, plain.value] == [None, None, None]
    assert never.why == "nobody decided"
    assert "days that were asked about" in outside.why
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
