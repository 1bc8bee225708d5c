from __future__ import annotations

from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.history.metrics.report import Metric
from handoff_tui.tui.views.history import AttemptRows
from handoff_tui.tui.views.metrics import MetricRows, SourceRows, build_metric_page
from tests.support.attempt_records import HISTORY as RECORDED
from tests.support.view_states import (
    ATTEMPTS,
    EARLIER,
    FIGURES,
    HANDED_OVER,
    HISTORY,
    LOOPS,
    MISSED,
    REJECTED,
    ROWS,
    UNKNOWN,
)


def test_row_shows_what_there_is_room_for() -> None:
    """What was asked for outlives what took how long."""
    rows = AttemptRows((RECORDED,))
    wide, narrow = ("".join(cell.text for cell in rows.build_row(1, width)) for width in (200, 80))
    assert "1 of 2 addressed" in wide
    assert "2026-01-02 10:00" in wide
    assert "1 of 2 addressed" in narrow
    assert "2026-01-02 10:00" not in narrow
    heading = "".join(cell.text for cell in rows.build_heading(80))
    assert "ASKED FOR" in heading
    assert "WHEN" not in heading


def join(rows: AttemptRows, index: int, width: int = 120) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


def test_list_is_newest_first_under_its_phases() -> None:
    """A heading takes no cursor."""
    rows = AttemptRows(ATTEMPTS.histories)
    assert rows.keys == ["", "H-1:build:2", "H-1:build:1", "", "H-1:plan:1"]
    assert join(rows, 0) == "build  2 attempts"
    assert "rejected" in join(rows, 2)


def test_list_of_one_phase_has_no_heading() -> None:
    """There is nothing to tell apart."""
    assert AttemptRows((HISTORY,)).keys == ["H-1:build:2", "H-1:build:1"]
    assert AttemptRows(()).keys == []


def test_earlier_attempt_is_of_the_same_phase() -> None:
    """The first has none before it."""
    rows = AttemptRows(ATTEMPTS.histories)
    assert rows.find_earlier("H-1:build:2") is REJECTED
    assert rows.find_earlier("H-1:build:1") is None
    assert rows.find_earlier("H-1:plan:1") is None
    assert rows.find("H-1:build:2") is HANDED_OVER
    assert rows.find("") is None


def test_list_marks_one_and_is_narrowed_by_words() -> None:
    """By outcome, reason, person or check."""
    rows = AttemptRows(ATTEMPTS.histories, marked="H-1:build:1", text="red tests")
    assert rows.keys == ["", "H-1:build:1"]
    assert join(rows, 1).startswith("◆ ")
    assert AttemptRows((HISTORY, EARLIER), text="nika").keys == ["", "H-1:plan:1"]


def render(figure: Metric, width: int = 100) -> str:
    rows = lay_out(build_metric_page(figure), width)
    return "\n".join("".join(cell.text for cell in row) for row in rows)


def join_metric(rows: MetricRows | SourceRows, index: int, width: int) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


def test_rows_have_value_beside_target() -> None:
    """What cannot be computed is a dash, never a number."""
    rows = MetricRows(FIGURES)
    assert "✗ missed" in join_metric(rows, 0, 120)
    assert "50.0 %" in join_metric(rows, 0, 120)
    assert "below 5.0 %" in join_metric(rows, 0, 120)
    assert "–" in join_metric(rows, 1, 120)


def test_rows_are_narrowed_to_what_is_missed_and_by_words() -> None:
    """An unknown figure is not missed."""
    assert MetricRows(FIGURES, only_missed=True).keys == [MISSED.id]
    assert MetricRows(FIGURES, text="resume").keys == [UNKNOWN.id]
    assert MetricRows(FIGURES).find("no-such") is None


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
    """It isn't drawn."""
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
    assert "Reading the log…" in join_metric(SourceRows(MISSED, {}), 0, 80)
    known = join_metric(SourceRows(MISSED, {row.id: row for row in ROWS}), 0, 120)
    assert "approve" in known
    assert "H-1 · build · 1" in known
