from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from handoff_tui.config.theme import TEXT_ROLES
from handoff_tui.core.text.page import Cell
from handoff_tui.git.file_diff import FileKind
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.diff.head import MOST_FOLDED
from handoff_tui.tui.views.diff.row_map import Folding
from handoff_tui.tui.views.diff.rows import DiffLook, DiffRows, Pane, shift_cells
from tests.support.diffs import build_change
from tests.support.patches import build_shown, number_lines, parse_patch

PLAIN = DiffLook(colours=False)


def join(pane: Pane) -> str:
    return "".join(cell.text for cell in (*pane.gutter, *pane.content)) + (f"[{pane.fill}]" if pane.fill else "")


def render(rows: DiffRows) -> list[str]:
    return [" | ".join(map(join, rows.build(index))) for index in range(len(rows))]


def test_unified_rows_have_numbers_marks_and_folds() -> None:
    """Old and new number, the mark, the text; what is unchanged is one row."""
    rows = DiffRows(build_shown(number_lines(9), number_lines(9, {8: "eight"})), PLAIN._replace(folding=Folding(1)))
    assert render(rows) == [
        " ⋯ 6 lines hidden (↵ shows them) [⋯]",
        "   7    7 │   line 7",
        "   8      │ - line 8",
        "        8 │ + eight",
        "   9    9 │   line 9",
    ]
    assert [rows.build(index)[0].ground for index in (1, 2, 3)] == ["", "removed", "added"]


def test_sides_have_their_own_numbers() -> None:
    """Old on the left, new on the right; where a side has nothing, that is seen."""
    rows = DiffRows(build_shown(["a", "x"], ["A", "B", "x"]), PLAIN._replace(split=True))
    assert render(rows) == ["   1 - a |    1 + A", "[╲] |    2 + B", "   2   x |    3   x"]
    assert rows.split


def test_words_that_differ_stand_out_on_both_lines() -> None:
    """Also when the lines are asked for one by one."""
    rows = DiffRows(build_shown(["value = old_name(1)"], ["value = new_name(1)"]), PLAIN)
    old, new = rows.build(0)[0].content, rows.build(1)[0].content
    assert Cell("old_name", "removed-word") in old
    assert Cell("new_name", "added-word") in new


@pytest.mark.parametrize(
    ("tinted", "changed", "context"),
    [(True, {"syntax-keyword", "syntax-number", "text"}, {"syntax-keyword", "syntax-number", "text"}),
     (False, {"added"}, {"syntax-keyword", "syntax-number", "text"})],
)  # fmt: skip
def test_colours_leave_room_for_what_changed(*, tinted: bool, changed: set[str], context: set[str]) -> None:
    """Where changed lines have a ground of their own, their words are coloured; else the change alone is."""
    rows = DiffRows(build_shown(["return 1"], ["return 1", "return 2"]), DiffLook(tinted=tinted))
    assert {cell.role for cell in rows.build(0)[0].content} == context
    assert {cell.role for cell in rows.build(1)[0].content} == changed


def test_hidden_characters_are_shown_and_told() -> None:
    """In the line, beside it, and above all lines."""
    rows = DiffRows(build_shown(["a"], ["a", "b\u202ec"]), PLAIN)
    assert render(rows)[0] == " ! hidden characters added: U+202E on line 2"
    assert render(rows)[-1] == "        2 │ +!b⟨U+202E⟩c  ! hidden character"


def test_ten_megabytes_on_one_line_are_capped() -> None:
    """The row is short, and says how much is left out."""
    rows = DiffRows(build_shown(["a"], ["a", "x" * 10_000_000]), PLAIN)
    text = render(rows)[1]
    assert len(text) < 2_100
    assert text.endswith("… 9,998,000 more bytes or so")


def test_comments_stand_under_their_last_line() -> None:
    """Wrapped, safe, and told by their lines; a remark on the file stands at its top; other files' do not."""
    comments = (
        Comment(text="why?\n\x1b[31mred", path="a.py", line=2, end_line=3),
        Comment(text="the file", path="a.py"),
        Comment(text="elsewhere", path="b.py", line=1),
    )
    rows = DiffRows(build_shown(number_lines(4), number_lines(4, {3: "three"})), PLAIN, comments, 60)
    assert render(rows) == [
        "             ┊ your draft on the file: the file",
        "   1    1 │   line 1",
        "   2    2 │   line 2",
        "   3      │ - line 3",
        "        3 │ + three",
        "             ┊ your draft on 2-3: why?",
        "             ┊ ␛[31mred",
        "   4    4 │   line 4",
    ]
    assert [rows.find_comment(index) for index in (0, 1, 5, 6)] == [comments[1], None, comments[0], comments[0]]
    long = Comment(text="word " * 40, path="a.py", line=1)
    wide = DiffRows(build_shown(["a"], ["b"]), PLAIN, (long,), 60)
    assert all(len(line) <= 61 for line in render(wide))


def test_row_tells_its_line() -> None:
    """The new one of two; nothing for folds and remarks; nothing beyond the end."""
    rows = DiffRows(build_shown(number_lines(9), number_lines(9, {8: "eight"})), PLAIN._replace(split=True))
    found = [rows.find_line(index) for index in range(len(rows))]
    assert [line and line.text for line in found] == [None, "line 5", "line 6", "line 7", "eight", "line 9"]
    assert rows.find_line(99) is None
    assert rows.find_head(99) is None
    assert rows.find_comment(99) is None


def test_lock_file_is_folded_until_it_is_asked_for() -> None:
    """One row says how much there is; the lines come when wanted."""
    shown = build_shown(["a"], ["b"], kind=FileKind.LOCK)
    rows = DiffRows(shown, PLAIN)
    assert render(rows) == [" ⋯ a lock file, folded: 2 lines (↵ shows them)"]
    head = rows.find_head(0)
    assert head is not None
    assert head.door == "expand"
    assert len(render(DiffRows(shown, PLAIN._replace(expanded=True)))) == 2


def test_link_has_no_word_about_its_newline() -> None:
    """A link's target never ends with one."""
    change = build_change(new_mode="120000")
    shown = build_shown(["a"], ["b"], change, FileKind.SYMLINK)
    assert not any("newline" in line for line in render(DiffRows(shown, PLAIN)))


def test_very_many_changes_are_neither_folded_nor_paired() -> None:
    """All rows are there at once, under a line that says so; finding them costs no more than for a few."""
    marked = b"".join(b" same\n-old\n+new\n" for _ in range(MOST_FOLDED + 1))
    lines = parse_patch(b"@@ -1,9 +1,9 @@\n" + marked)
    rows = DiffRows(replace(build_shown(["x"], ["y"]), lines=lines), PLAIN._replace(split=True))
    assert not rows.split
    said = "more than 20,000 changes: not folded, not side by side"
    [head] = itertools.takewhile(lambda row: row is not None, map(rows.find_head, range(9)))
    assert head is not None
    assert "".join(cell.text for cell in head.cells).strip() == said
    assert len(rows) == 1 + 3 * (MOST_FOLDED + 1)


def test_cells_move_sideways() -> None:
    """By columns, not by characters; beyond the end there is nothing."""
    cells = (Cell("abc", "added"), Cell("日本"))
    shifted = ["".join(cell.text for cell in shift_cells(cells, columns)) for columns in range(8)]
    assert shifted == ["abc日本", "bc日本", "c日本", "日本", " 本", "本", " ", ""]
    assert shift_cells(cells, 0) == cells
    assert shift_cells(cells, 40) == ()


def test_roles_are_those_of_the_themes() -> None:
    """Every cell has a role that each theme knows."""
    comments = (Comment(text="why?", path="a.py", line=1),)
    rows = DiffRows(build_shown(["a  ", "b", "c"], ["def a():\t", "b\u200b", "c"]), DiffLook(split=True), comments)
    panes = [pane for index in range(len(rows)) for pane in rows.build(index)]
    assert {cell.role for pane in panes for cell in (*pane.gutter, *pane.content)} <= set(TEXT_ROLES)
