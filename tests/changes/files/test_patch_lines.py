from __future__ import annotations

import pytest

from handoff_tui.changes.files.patch_lines import LONGEST_LINE, PatchLines
from tests.support.patches import number_lines, parse_patch, render_patch

OLD = number_lines(10)
NEW = [*number_lines(4), "four and a half", *number_lines(10, {7: "Seven"})[4:]]
LINES = parse_patch(render_patch(OLD, NEW))


def test_line_has_its_numbers_on_both_sides() -> None:
    """Context on both, a deleted line on the old side, an added one on the new."""
    read = [LINES.read_line(index)[:4] for index in range(len(LINES))]
    assert read[3:10] == [
        (" ", "line 4", 4, 4),
        ("+", "four and a half", None, 5),
        (" ", "line 5", 5, 6),
        (" ", "line 6", 6, 7),
        ("-", "line 7", 7, None),
        ("+", "Seven", None, 8),
        (" ", "line 8", 8, 9),
    ]
    assert LINES.find_last_numbers() == (10, 11)


def test_line_is_found_by_its_number() -> None:
    """On either side; a number beyond the end gives the last line."""
    assert [LINES.find_numbered(number) for number in (1, 5, 8, 11, 99)] == [0, 4, 8, 11, 11]
    assert [LINES.find_numbered(number, old=True) for number in (4, 5, 7, 8)] == [3, 5, 7, 9]
    assert PatchLines().find_numbered(3) is None
    assert PatchLines().find_last_numbers() == (0, 0)


def test_runs_say_what_a_line_belongs_to() -> None:
    """Deleted lines and the added ones after them are one change."""
    assert [LINES.runs.get(number) for number in range(2)] == [(4, 4, 5), (7, 8, 9)]
    assert LINES.runs.find(4) == (4, 4, 5)
    assert LINES.runs.find(8) == (7, 8, 9)
    assert (LINES.runs.find(0), LINES.runs.find(5), LINES.runs.find(11)) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "start", "backwards", "found"),
    [
        ("LINE 8", 0, False, 9),
        ("seven", 0, False, 8),
        ("line", 5, False, 5),
        ("line", 5, True, 5),
        ("line 1", 11, True, 11),
        ("line 1", 10, True, 0),
        ("+", 0, False, None),
        ("-line", 0, False, None),
        ("nothing", 0, False, None),
        ("nothing", 11, True, None),
    ],
)
def test_text_is_found_in_any_case_and_never_in_a_mark(
    text: str, start: int, *, backwards: bool, found: int | None
) -> None:
    """Forwards from a line on, or backwards from it; the marks of the patch are no text."""
    assert LINES.find_text(text, start, backwards=backwards) == found


def test_text_with_other_letters_is_found_too() -> None:
    """Letters beyond ASCII are compared as letters, not as bytes."""
    lines = parse_patch(render_patch(["a"], ["a", "GRÖSSE", "größe"]))
    assert lines.find_text("grösse", 0) == 1
    assert lines.find_text("größe", 2, backwards=True) == 2


def test_pieces_of_a_patch_make_no_difference() -> None:
    """However the bytes arrive, the same lines come out; places are kept across blocks."""
    old = [f"line {number} {'x' * 40}" for number in range(5_000)]
    patch = render_patch(old, [*old[:2_000], "new", *old[2_001:]])
    whole, pieces = parse_patch(patch), parse_patch(patch, 70_001)
    assert len(whole.blocks) > 1
    assert len(whole) == len(pieces) == 5_001
    for index in (0, 1_999, 2_000, 2_001, 2_002, 5_000):
        assert whole.read_line(index) == pieces.read_line(index)
    assert whole.read_line(5_000)[1:4] == (old[4_999], 5_000, 5_000)
    assert whole.find_text(" 4321 ", 0) == 4_322
    assert whole.find_text(" 17 ", 5_000, backwards=True) == 17
    assert whole.find_numbered(4_000) == 4_000


def test_very_long_line_is_read_in_part() -> None:
    """Its length is known, its beginning is decoded."""
    lines = parse_patch(render_patch([], ["x" * (3 * LONGEST_LINE), "end"]))
    assert lines.count_bytes(0) == 3 * LONGEST_LINE
    assert lines.read_line(0).text == "x" * LONGEST_LINE
    assert lines.read_line(1).text == "end"
    assert lines.read_mark(1) == "+"
