from __future__ import annotations

import pytest

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.tui.views.attempts.view import AttemptList
from tests.support.debug_states import ATTEMPTS, EARLIER, HANDED_OVER, HISTORY, REJECTED


def join(rows: AttemptList, index: int, width: int = 120) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


def test_list_is_newest_first_under_its_phases() -> None:
    """A heading takes no cursor."""
    rows = AttemptList(ATTEMPTS.histories)
    assert rows.keys == ("", "H-1:build:2", "H-1:build:1", "", "H-1:plan:1")
    assert join(rows, 0) == "build  2 attempts"
    assert "rejected" in join(rows, 2)


def test_list_of_one_phase_has_no_heading() -> None:
    """There is nothing to tell apart."""
    assert AttemptList((HISTORY,)).keys == ("H-1:build:2", "H-1:build:1")
    assert AttemptList(()).keys == ()
    assert "".join(cell.text for cell in AttemptList(()).build_heading(80)).strip() == ""


def test_earlier_attempt_is_of_the_same_phase() -> None:
    """The first has none before it."""
    rows = AttemptList(ATTEMPTS.histories)
    assert rows.find_earlier("H-1:build:2") is REJECTED
    assert rows.find_earlier("H-1:build:1") is None
    assert rows.find_earlier("H-1:plan:1") is None
    assert rows.find("H-1:build:2") is HANDED_OVER
    assert rows.find("") is None


def test_list_marks_one_and_is_narrowed_by_words() -> None:
    """By outcome, reason, person or check."""
    rows = AttemptList(ATTEMPTS.histories, marked="H-1:build:1", text="red tests")
    assert rows.keys == ("", "H-1:build:1")
    assert join(rows, 1).startswith("◆ ")
    assert AttemptList((HISTORY, EARLIER), text="nika").keys == ("", "H-1:plan:1")


@pytest.mark.parametrize("width", [56, 76, 110])
def test_rows_fit_their_width(width: int) -> None:
    """With the mark."""
    rows = AttemptList(ATTEMPTS.histories)
    for index in range(len(rows.keys)):
        assert compute_width(join(rows, index, width)) <= width
