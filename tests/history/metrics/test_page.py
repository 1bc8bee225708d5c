"""Figures as a page."""

from __future__ import annotations

from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.history.metrics.page import build_metrics_page
from handoff_tui.history.metrics.report import Figure, FigureGroup, Spread, Target, Unit
from tests.support.replays import HOSTILE, build_metrics_report, build_share
from tests.support.reviewed import list_lines

WIDTH = 80


def test_page_has_value_target_bars_weeks_and_entries() -> None:
    """Each figure by itself, what needs a look first."""
    lines = list_lines(build_metrics_page(build_metrics_report(not_counted=2, since="2026-03-01")))
    text = "\n".join(lines)
    assert "3 entries · 1 submission · 1 decision · 2 not counted · 2026-03-01 to now" in lines[0]
    assert any(line.startswith("✗ Success rate") and "50.0 %" in line and "at least 95.0 %" in line for line in lines)
    assert any(line.startswith("? Time to resume") for line in lines)
    assert "cannot be computed: no session can be told" in text
    assert text.index("agent_handoff") < text.index("phase_transition")
    assert "▁█  by week, 2026-03-02 to 2026-03-09" in text
    assert "left out: 3, the phase was skipped" in text
    assert "from abababababab, cdcdcdcdcdcd" in text
    assert "least 5 s · median 4 min 10 s · 9 of 10 at most 2 h 5 min · most 2 h 5 min" in text


def test_page_fits_into_80_columns() -> None:
    """With long names too."""
    long = build_share(groups=tuple(FigureGroup(name="x" * 90 + str(one), value=1.0, of=10_000) for one in range(3)))
    for row in lay_out(build_metrics_page(build_metrics_report(long), everything=True), WIDTH):
        assert len("".join(cell.text for cell in row).rstrip()) <= WIDTH


def test_long_lists_are_cut_unless_all_is_asked_for() -> None:
    """And say so."""
    groups = tuple(FigureGroup(name=f"rule-{one:02d}", value=1.0, part=1.0, of=1) for one in range(12))
    report = build_metrics_report(build_share(groups=groups, sources=tuple(f"sha256:{one:064x}" for one in range(9))))
    short = "\n".join(list_lines(build_metrics_page(report)))
    whole = "\n".join(list_lines(build_metrics_page(report, everything=True)))
    assert "… and 2 more; --all shows them" in short
    assert "and 5 more" in short
    assert "rule-11" in whole
    assert "more" not in whole


def test_debt_tells_ages_beside_its_number() -> None:
    """The number is a number, the spread is of times."""
    debt = Figure(
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
    figure = build_share(groups=(FigureGroup(name=HOSTILE, value=None, of=0),), value=None, why=HOSTILE)
    text = "\n".join(list_lines(build_metrics_page(build_metrics_report(figure, notes=(HOSTILE,), fatal=True))))
    assert "\x1b" not in text
    assert "\u202e" not in text
