from __future__ import annotations

from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.diff.row_map import Folding
from handoff_tui.tui.views.diff.rows import DiffLook, DiffRows
from handoff_tui.tui.views.diff.view import RemarkPlace, build_remark_place
from tests.support.patches import build_shown, number_lines

OLD = number_lines(20)
NEW = [*number_lines(9), "ten", *number_lines(20)[12:]]
"""Lines 10 to 12 became one."""


def make_rows(*comments: Comment, split: bool = False, context: int = 1) -> DiffRows:
    return DiffRows(build_shown(OLD, NEW), DiffLook(split=split, folding=Folding(context)), comments)


def test_remark_belongs_to_the_new_lines() -> None:
    """Of one row or of a range, from the first to the last that is there now."""
    rows = make_rows()
    assert build_remark_place(rows, 1, 1) == RemarkPlace("a.py", 9)
    assert build_remark_place(rows, 5, 5) == RemarkPlace("a.py", 10)
    assert build_remark_place(rows, 1, 6) == RemarkPlace("a.py", 9, 11)


def test_remark_on_deleted_lines_says_which_they_were() -> None:
    """It stands where they were; the next attempt finds that place."""
    rows = make_rows()
    assert build_remark_place(rows, 2, 2) == RemarkPlace("a.py", 10, None, "(deleted line 10) ")
    assert build_remark_place(rows, 2, 4) == RemarkPlace("a.py", 10, None, "(deleted lines 10-12) ")
    gone = DiffRows(build_shown(["a", "b"], ["a"]), DiffLook())
    assert build_remark_place(gone, 1, 1) == RemarkPlace("a.py", 1, None, "(deleted line 2) ")
    all_gone = DiffRows(build_shown(["a"], []), DiffLook())
    assert build_remark_place(all_gone, 0, 0) == RemarkPlace("a.py", None, None, "(deleted line 1) ")


def test_remark_on_a_fold_is_refused() -> None:
    """One remarks on what one sees."""
    assert build_remark_place(make_rows(), 0, 0) == "these lines are hidden; ↵ shows them"


def test_remark_on_a_remark_writes_it_anew() -> None:
    """With its words and its lines."""
    comment = Comment(text="why?", path="a.py", line=9, end_line=10)
    rows = make_rows(comment)
    assert build_remark_place(rows, 6, 6) == RemarkPlace("a.py", 9, 10, "why?", comment)


def test_remark_above_the_lines_is_on_the_file() -> None:
    """Also where the file has no lines at all."""
    rows = DiffRows(build_shown([], ["\u200b"]), DiffLook())
    assert build_remark_place(rows, 0, 0) == RemarkPlace("a.py")
    assert build_remark_place(DiffRows(build_shown([], []), DiffLook()), 0, 0) == RemarkPlace("a.py")


def test_remark_side_by_side_is_on_the_new_side() -> None:
    """Where both sides have a line, the new one counts."""
    rows = make_rows(split=True)
    assert build_remark_place(rows, 2, 2) == RemarkPlace("a.py", 10)
    assert build_remark_place(rows, 4, 4) == RemarkPlace("a.py", 10, None, "(deleted line 12) ")
