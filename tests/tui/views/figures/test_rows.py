from __future__ import annotations

import pytest

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.history.metrics.report import Metric
from handoff_tui.tui.views.figures.view import FigureRows, SourceRows, build_figure_page, label_figure
from tests.support.debug_states import FIGURES, LOOPS, MISSED, UNKNOWN
from tests.support.log_states import ROWS


def render(figure: Metric, width: int = 100) -> str:
    rows = lay_out(build_figure_page(figure), width)
    return "\n".join("".join(cell.text for cell in row) for row in rows)


def join(rows: FigureRows | SourceRows, index: int, width: int) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


@pytest.mark.parametrize(
    ("figure", "word"),
    [(MISSED, "missed"), (UNKNOWN, "unknown"), (LOOPS, "no target")],
    ids=["missed", "unknown", "plain"],
)
def test_label_says_whether_the_target_is_met(figure: Metric, word: str) -> None:
    """A figure that cannot be computed meets nothing."""
    assert label_figure(figure).word == word


def test_rows_have_value_beside_target() -> None:
    """What cannot be computed is a dash, never a number."""
    rows = FigureRows(FIGURES)
    assert "✗ missed" in join(rows, 0, 120)
    assert "50.0 %" in join(rows, 0, 120)
    assert "below 5.0 %" in join(rows, 0, 120)
    assert "–" in join(rows, 1, 120)


@pytest.mark.parametrize("width", [56, 76, 110, 160])
def test_rows_fit_their_width(width: int) -> None:
    """At every width that the app has."""
    rows = FigureRows(FIGURES)
    sources = SourceRows(MISSED, {row.id: row for row in ROWS})
    for index in range(len(rows.keys)):
        assert compute_width(join(rows, index, width)) <= width
    assert compute_width(join(sources, 0, width)) <= width


def test_rows_are_narrowed_to_what_is_missed_and_by_words() -> None:
    """An unknown figure is not missed."""
    assert FigureRows(FIGURES, only_missed=True).keys == (MISSED.id,)
    assert FigureRows(FIGURES, text="resume").keys == (UNKNOWN.id,)
    assert FigureRows(FIGURES).find("no-such") is None


def test_page_says_what_it_means_rests_on_and_leaves_out() -> None:
    """With a bar for each week, newest first."""
    words = render(MISSED)
    assert "means       Attempts that were sent back" in words
    assert "target      below 5.0 %: missed" in words
    assert "based on    2 entries of the signed log · 2 of 4" in words
    assert "left out    1: no submission tells when it began" in words
    assert words.index("2026-03-02 ") < words.index("2026-02-23 ")
    assert "████████████░░░░░░░░░░░░" in words


def test_page_says_why_a_figure_cannot_be_computed() -> None:
    """And draws nothing for it."""
    words = render(UNKNOWN)
    assert "can't be computed" in words
    assert "why not     nothing was resumed yet" in words
    assert "█" not in words


def test_page_has_groups_with_what_needs_a_look_first() -> None:
    """The most loops first."""
    words = render(LOOPS)
    assert "By phase" in words
    assert words.index("build") < words.index("plan")


def test_source_without_its_entry_is_still_named() -> None:
    """The log may still be read."""
    assert "Reading the log…" in join(SourceRows(MISSED, {}), 0, 80)
    known = join(SourceRows(MISSED, {row.id: row for row in ROWS}), 0, 120)
    assert "approve" in known
    assert "H-1 · build · 1" in known
