"""Figures as words, JSON and a table."""

from __future__ import annotations

import csv
import io

import pytest

from handoff_tui.history.metrics.json import (
    COLUMNS,
    build_metrics_json,
    render_metrics_csv,
    render_share,
    render_span,
    render_target,
    render_value,
)
from handoff_tui.history.metrics.report import FigureGroup, Target, Unit
from tests.support.replays import ENTRY, OTHER, build_metrics_report, build_share


@pytest.mark.parametrize(
    ("unit", "value", "words"),
    [
        (Unit.SHARE, 0.125, "12.5 %"),
        (Unit.SECONDS, 250.0, "4 min 10 s"),
        (Unit.NUMBER, 1_234.0, "1,234"),
        (Unit.NUMBER, 0.25, "0.25"),
        (Unit.SHARE, None, "–"),
    ],
)
def test_value_is_said_in_its_unit(unit: Unit, value: float | None, words: str) -> None:
    """What is not known is a dash, never a zero."""
    assert render_value(unit, value) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (86_400, "1 d"), (90_000_000, "1,041 d 16 h")],
)
def test_time_has_its_two_largest_units(seconds: float, words: str) -> None:
    """Short enough for a column."""
    assert render_span(seconds) == words


def test_target_and_share_are_said() -> None:
    """With the word that tells whether the edge counts."""
    assert render_target(Unit.SHARE, Target(below=0.05)) == "below 5.0 %"
    assert render_target(Unit.NUMBER, Target(most=0)) == "at most 0"
    assert render_target(Unit.NUMBER, None) == ""
    assert (render_share(1.0, 2, Unit.SHARE), render_share(None, 2, Unit.SECONDS)) == ("1 of 2", "of 2")


def test_json_has_the_promised_shape() -> None:
    """What cannot be computed is null, with the reason; every figure names its entries."""
    value = build_metrics_json(build_metrics_report())
    assert (value["schema"], value["verdict"], value["since"]) == ("handoff-tui/metrics/v1", "clean", None)
    figures = value["figures"]
    assert isinstance(figures, list)
    unknown, share, times = figures
    assert (unknown["value"], unknown["met"], unknown["why"]) == (None, None, "no session can be told")
    assert (share["value"], share["met"], share["why"], share["sources"]) == (0.5, False, None, [ENTRY, OTHER])
    assert share["groups"][0]["sources"] == [OTHER]
    assert times["spread"]["ninetieth"] == 7_500
    assert (times["target"], times["grouped_by"]) == (None, None)


def test_table_has_a_row_for_each_figure_and_group() -> None:
    """Empty cells where there is nothing; ids parted by blanks."""
    rows = list(csv.DictReader(io.StringIO(render_metrics_csv(build_metrics_report()))))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["figure"], row["group"], row["value"]) for row in rows] == [
        ("time-to-resume", "", ""),
        ("success-rate", "", "0.5"),
        ("success-rate", "phase_transition", "1"),
        ("success-rate", "agent_handoff", "0"),
        ("time-to-decision", "", "250"),
    ]
    assert (rows[1]["met"], rows[1]["left_out"], rows[1]["sources"]) == ("false", "3", f"{ENTRY} {OTHER}")


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-x", "@sum", "\tx"])
def test_table_keeps_names_from_being_formulas(name: str) -> None:
    """A spreadsheet would compute what begins so; a tab is shown as blanks."""
    figure = build_share(groups=(FigureGroup(name=name, value=1.0, part=1.0, of=1),))
    rows = list(csv.DictReader(io.StringIO(render_metrics_csv(build_metrics_report(figure)))))
    assert not rows[1]["group"].startswith(("=", "+", "-", "@", "\t"))
