"""Metrics as a page."""

from __future__ import annotations

import csv
import io

import pytest

from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.history.metrics import page
from handoff_tui.history.metrics.page import build_metrics_page
from handoff_tui.history.metrics.report import Metric, MetricGroup, Spread, Target, Unit
from tests.support.desk_states import list_lines
from tests.support.replays import ENTRY, HOSTILE, OTHER, build_metrics_report, build_share

WIDTH = 80


def test_page_has_value_target_bars_weeks_and_entries() -> None:
    """Each figure by itself, what needs a look first."""
    lines = list_lines(build_metrics_page(build_metrics_report(not_counted=2, since="2026-03-01")))
    text = "\n".join(lines)
    assert "3 entries · 1 submission · 1 decision · 2 not counted · 2026-03-01 to now" in lines[0]
    assert any(line.startswith("✗ Success rate") and "50.0 %" in line and "at least 95.0 %" in line for line in lines)
    assert any(line.startswith("? Time to resume") for line in lines)
    assert "can't be computed: no session can be told" in text
    assert text.index("agent_handoff") < text.index("phase_transition")
    assert "▁█  by week, 2026-03-02 to 2026-03-09" in text
    assert "left out: 3, the phase was skipped" in text
    assert "from abababababab, cdcdcdcdcdcd" in text
    assert "least 5 s · median 4 min 10 s · 90 % within 2 h 5 min · most 2 h 5 min" in text


def test_page_fits_into_80_columns() -> None:
    """With long names too."""
    long = build_share(groups=tuple(MetricGroup(name="x" * 90 + str(one), value=1.0, of=10_000) for one in range(3)))
    for row in lay_out(build_metrics_page(build_metrics_report(long), everything=True), WIDTH):
        assert len("".join(cell.text for cell in row).rstrip()) <= WIDTH


def test_long_lists_are_cut_unless_all_is_asked_for() -> None:
    """And say so."""
    groups = tuple(MetricGroup(name=f"rule-{one:02d}", value=1.0, part=1.0, of=1) for one in range(12))
    report = build_metrics_report(build_share(groups=groups, sources=tuple(f"sha256:{one:064x}" for one in range(9))))
    short = "\n".join(list_lines(build_metrics_page(report)))
    whole = "\n".join(list_lines(build_metrics_page(report, everything=True)))
    assert "… and 2 more; --all shows them" in short
    assert "and 5 more" in short
    assert "rule-11" in whole
    assert "more" not in whole


def test_debt_tells_ages_beside_its_number() -> None:
    """The number is a number, the spread is of times."""
    debt = Metric(
        id="override-debt",
        system="desk",
        title="Override debt",
        means="Owed.",
        unit=Unit.NUMBER,
        value=0.0,
        target=Target(most=0.0),
    )
    owed = debt.model_copy(update={"value": 1.0, "of": 1, "spread": Spread(least=60, median=60, ninetieth=60, most=60)})
    assert any(
        line.startswith("✓ Override debt") for line in list_lines(build_metrics_page(build_metrics_report(debt)))
    )
    assert "most 1 min" in "\n".join(list_lines(build_metrics_page(build_metrics_report(owed))))


def test_hostile_texts_are_made_visible() -> None:
    """Names and reasons come from files."""
    figure = build_share(groups=(MetricGroup(name=HOSTILE, value=None, of=0),), value=None, why=HOSTILE)
    text = "\n".join(list_lines(build_metrics_page(build_metrics_report(figure, notes=(HOSTILE,), fatal=True))))
    assert "\x1b" not in text
    assert "\u202e" not in text


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
    assert page.render_value(unit, value) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (86_400, "1 d"), (90_000_000, "1,041 d 16 h")],
)
def test_time_has_its_two_largest_units(seconds: float, words: str) -> None:
    """Short enough for a column."""
    assert page.render_span(seconds) == words


def test_target_and_share_are_said() -> None:
    """With the word that tells whether the edge counts."""
    assert page.render_target(Unit.SHARE, Target(below=0.05)) == "below 5.0 %"
    assert page.render_target(Unit.NUMBER, Target(most=0)) == "at most 0"
    assert page.render_target(Unit.NUMBER, None) == ""
    assert (page.render_share(1.0, 2, Unit.SHARE), page.render_share(None, 2, Unit.SECONDS)) == ("1 of 2", "of 2")


def test_table_has_a_row_for_each_figure_and_group() -> None:
    """Empty cells where there is nothing; ids parted by blanks."""
    rows = list(csv.DictReader(io.StringIO(page.render_metrics_csv(build_metrics_report()))))
    assert tuple(rows[0]) == page.COLUMNS
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
    figure = build_share(groups=(MetricGroup(name=name, value=1.0, part=1.0, of=1),))
    rows = list(csv.DictReader(io.StringIO(page.render_metrics_csv(build_metrics_report(figure)))))
    assert not rows[1]["group"].startswith(("=", "+", "-", "@", "\t"))
