from __future__ import annotations

from handoff_tui.tui.views.diff.row_map import NO_LINE, FixedRows, Folding, RowKind, RowMap
from tests.support.patches import number_lines, parse_patch, render_patch

LINES = parse_patch(render_patch(number_lines(30), number_lines(30, {10: "ten", 25: "twenty-five"})))
"""Line 10 is at 9 (deleted) and 10 (added), line 25 at 25 and 26; there are 32."""


def list_rows(found: RowMap) -> list[tuple[str, int, int]]:
    rows = (found.find_row(index) for index in range(found.count))
    return [(row.kind.name, row.left, row.right if row.kind is not RowKind.GAP else row.part) for row in rows]


def test_unchanged_stretches_are_folded() -> None:
    """Some lines around each change are shown, the others are a row that says how many they are."""
    rows = list_rows(RowMap(LINES, Folding(2), split=False))
    assert rows[0] == ("GAP", 0, 7)
    assert rows[1:7] == [("LINES", line, line) for line in range(7, 13)]
    assert rows[7] == ("GAP", 13, 10)
    assert rows[8:14] == [("LINES", line, line) for line in range(23, 29)]
    assert rows[14:] == [("GAP", 29, 3)]


def test_gap_opens_alone_and_context_can_be_everything() -> None:
    """One gap opened leaves the others; without a number of lines nothing is folded; one line is never folded."""
    kinds = [row[0] for row in list_rows(RowMap(LINES, Folding(2, frozenset({1})), split=False))]
    assert kinds.count("GAP") == 2
    assert RowMap(LINES, Folding(None), split=False).count == 32
    assert [row[0] for row in list_rows(RowMap(LINES, Folding(8), split=False))].count("GAP") == 0


def test_sides_stand_beside_each_other() -> None:
    """A deleted line beside the added one in its place; where one side is longer, the other has nothing."""
    lines = parse_patch(render_patch(["a", "b", "c", "z"], ["A", "z", "new"]))
    assert list_rows(RowMap(lines, Folding(), split=True)) == [
        ("RUN", 0, 3),
        ("RUN", 1, NO_LINE),
        ("RUN", 2, NO_LINE),
        ("LINES", 4, 4),
        ("RUN", NO_LINE, 5),
    ]


def test_fixed_rows_stand_under_their_line() -> None:
    """At the top, after a line, after a line that is folded away, on either side."""
    fixed = (FixedRows(NO_LINE, 2), FixedRows(10, 1), FixedRows(3, 1))
    rows = [row[0] for row in list_rows(RowMap(LINES, Folding(2), fixed, split=False))]
    assert rows[:8] == ["FIXED", "FIXED", "GAP", "FIXED", "LINES", "LINES", "LINES", "LINES"]
    assert rows[8] == "FIXED"
    found = RowMap(LINES, Folding(2), fixed, split=False)
    assert [found.find_row(index)[3:] for index in (0, 1, 3, 8)] == [(0, 0), (1, 0), (0, 2), (0, 1)]
    split = [row[0] for row in list_rows(RowMap(LINES, Folding(2), fixed, split=True))]
    assert split[:8] == ["FIXED", "FIXED", "GAP", "FIXED", "LINES", "LINES", "RUN", "FIXED"]


def test_fixed_rows_cut_a_long_change_in_two() -> None:
    """Side by side, what is said of a line stands under its row and the change goes on after it."""
    lines = parse_patch(render_patch(["a", "b", "c"], ["A", "B", "C"]))
    found = RowMap(lines, Folding(), (FixedRows(1, 1), FixedRows(3, 1)), split=True)
    assert list_rows(found) == [
        ("RUN", 0, 3),
        ("FIXED", -1, -1),
        ("RUN", 1, 4),
        ("FIXED", -1, -1),
        ("RUN", 2, 5),
    ]
    assert [found.find_line(line) for line in range(6)] == [0, 2, 4, 0, 2, 4]


def test_changes_are_stepped_through() -> None:
    """To the first line of the next change, or of the one before; how many were passed is known."""
    found = RowMap(LINES, Folding(2), split=False)
    assert found.find_change(0) == 3
    assert found.find_change(3) == 10
    assert found.find_change(10) is None
    assert found.find_change(14, backwards=True) == 10
    assert found.find_change(10, backwards=True) == 3
    assert found.find_change(3, backwards=True) is None
    assert [found.find_change_number(row) for row in (0, 3, 9, 10, 14)] == [0, 1, 1, 2, 2]


def test_nothing_has_no_rows() -> None:
    """A file without lines has only what is said of it."""
    empty = parse_patch(b"")
    assert RowMap(empty, Folding(), split=False).count == 0
    assert RowMap(empty, Folding(), (FixedRows(NO_LINE, 1),), split=True).count == 1
    assert RowMap(empty, Folding(), split=False).find_change(0) is None
