from __future__ import annotations

import itertools

import pytest

from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.core.classes import replace
from handoff_tui.core.text.page import Cell
from handoff_tui.git.file_diff import BlobFacts, DiffOptions, FileKind
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.messages import CommentWanted
from handoff_tui.tui.views.changes.bars import MOST_FOLDED, build_head, find_file_notices
from handoff_tui.tui.views.changes.row_map import NO_LINE, FixedRows, Folding, RowKind, RowMap
from handoff_tui.tui.views.changes.rows import (
    DiffLook,
    DiffRows,
    Highlighter,
    Pane,
    find_language,
    find_words,
    shift_cells,
)
from handoff_tui.tui.views.changes.view import build_comment_place
from tests.support.diffs import build_change, build_shown, number_lines, parse_patch, render_patch

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
    """Wrapped, safe, and told by their lines; a comment on the file stands at its top; other files' do not."""
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
    """The new one of two; nothing for folds and comments; nothing beyond the end."""
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


def render_head(file: ShownFile, width: int = 80) -> list[str]:
    return ["".join(cell.text for cell in row.cells) for row in build_head(file, width).rows]


def list_doors(file: ShownFile) -> list[str]:
    return [row.door for row in build_head(file, 80).rows if row.door]


def test_plain_file_has_nothing_above_its_lines() -> None:
    """Without news there is no row."""
    head = build_head(build_shown(["a"], ["b"]), 80)
    assert (head.rows, head.shows_lines) == ((), True)


@pytest.mark.parametrize(
    ("file", "remark"),
    [
        (build_shown(["a"], ["b"], build_change(new_mode="100755")), "mode 100644 → 100755, now executable"),
        (build_shown([], ["b"], build_change("Jenkinsfile")), "controls what continuous integration runs"),
        (build_shown(["a"], ["b"], kind=FileKind.GENERATED), "says it's generated"),
        (build_shown([], ["\u200b", "\u202e"]), "hidden characters added: U+200B on line 1, U+202E on line 2"),
        (
            build_shown([], ["\u200b"] * 9),
            "hidden characters added: U+200B on line 1, U+200B on line 2, U+200B on line 3, and 6 more lines",
        ),
    ],
)
def test_what_to_notice_comes_first(file: ShownFile, remark: str) -> None:
    """Modes, steering files, generated ones, hidden characters."""
    assert find_file_notices(file) == [remark]
    assert render_head(file, 200)[0] == f" ! {remark}"


def test_binary_is_told_by_its_facts_and_can_be_shown() -> None:
    """Size and digest of both sides; Enter reads it as text."""
    file = replace(build_shown([], [], build_change("x.png"), FileKind.BINARY), new_facts=BlobFacts(2_048, "ab" * 32))
    assert render_head(file) == [
        " old  absent",
        f" new  2,048 bytes, sha256 {'ab' * 32}",
        " ⋯ binary (↵ shows it as text)",
    ]
    assert list_doors(file) == ["as-text"]
    assert list_doors(replace(file, options=DiffOptions(as_text=True))) == []


def test_submodule_is_told_by_its_commits() -> None:
    """Both in full."""
    file = build_shown([], [], build_change("lib", new_mode="160000"), FileKind.SUBMODULE)
    assert f" old  commit {'a' * 40}" in render_head(file)
    assert f" new  commit {'b' * 40}" in render_head(file)


def test_notebook_can_be_seen_both_ways() -> None:
    """As cells, and as it is stored."""
    file = build_shown(["a"], ["b"], kind=FileKind.NOTEBOOK, note="cells as text")
    assert render_head(file) == [" cells as text", " ⋯ a notebook (↵ shows it as stored)"]
    assert render_head(replace(file, options=DiffOptions(as_stored=True)))[-1] == " ⋯ a notebook (↵ shows it as cells)"
    assert list_doors(file) == ["as-stored"]


def test_file_that_is_being_read_says_so() -> None:
    """Until its first lines are there."""
    assert render_head(replace(build_shown([], []), complete=False)) == [" reading…"]


OLD = number_lines(20)
NEW = [*number_lines(9), "ten", *number_lines(20)[12:]]
"""Lines 10 to 12 became one."""


def make_rows(*comments: Comment, split: bool = False, context: int = 1) -> DiffRows:
    return DiffRows(build_shown(OLD, NEW), DiffLook(split=split, folding=Folding(context)), comments)


def test_remark_belongs_to_the_new_lines() -> None:
    """Of one row or of a range, from the first to the last that is there now."""
    rows = make_rows()
    assert build_comment_place(rows, 1, 1) == CommentWanted("a.py", 9)
    assert build_comment_place(rows, 5, 5) == CommentWanted("a.py", 10)
    assert build_comment_place(rows, 1, 6) == CommentWanted("a.py", 9, 11)


def test_remark_on_deleted_lines_says_which_they_were() -> None:
    """It stands where they were; the next attempt finds that place."""
    rows = make_rows()
    assert build_comment_place(rows, 2, 2) == CommentWanted("a.py", 10, None, "(deleted line 10) ")
    assert build_comment_place(rows, 2, 4) == CommentWanted("a.py", 10, None, "(deleted lines 10-12) ")
    gone = DiffRows(build_shown(["a", "b"], ["a"]), DiffLook())
    assert build_comment_place(gone, 1, 1) == CommentWanted("a.py", 1, None, "(deleted line 2) ")
    all_gone = DiffRows(build_shown(["a"], []), DiffLook())
    assert build_comment_place(all_gone, 0, 0) == CommentWanted("a.py", None, None, "(deleted line 1) ")


def test_remark_on_a_fold_is_refused() -> None:
    """A comment is on what is shown."""
    assert build_comment_place(make_rows(), 0, 0) == "these lines are hidden; enter shows them"


def test_remark_on_a_remark_writes_it_anew() -> None:
    """With its words and its lines."""
    comment = Comment(text="why?", path="a.py", line=9, end_line=10)
    rows = make_rows(comment)
    assert build_comment_place(rows, 6, 6) == CommentWanted("a.py", 9, 10, "why?", comment)


def test_remark_above_the_lines_is_on_the_file() -> None:
    """Also where the file has no lines at all."""
    rows = DiffRows(build_shown([], ["\u200b"]), DiffLook())
    assert build_comment_place(rows, 0, 0) == CommentWanted("a.py")
    assert build_comment_place(DiffRows(build_shown([], []), DiffLook()), 0, 0) == CommentWanted("a.py")


def test_remark_side_by_side_is_on_the_new_side() -> None:
    """Where both sides have a line, the new one counts."""
    rows = make_rows(split=True)
    assert build_comment_place(rows, 2, 2) == CommentWanted("a.py", 10)
    assert build_comment_place(rows, 4, 4) == CommentWanted("a.py", 10, None, "(deleted line 12) ")


def test_each_side_is_read_by_itself() -> None:
    """A text that was opened on a deleted line does not colour the added ones."""
    lines = parse_patch(render_patch(['"""open', "x = 1"], ["y = 2", "x = 1"]))
    highlighter = Highlighter("a.py", lines)
    assert highlighter.find_tokens(0) == ((0, 7, "syntax-string"),)
    assert highlighter.find_tokens(1) == ((4, 5, "syntax-number"),)
    assert highlighter.find_tokens(2) == ((4, 5, "syntax-number"),)


def test_text_of_several_lines_is_one() -> None:
    """Also where it began before the lines that are read together."""
    new = ["x = 1", *["y"] * 50, '"""', *["inside"] * 20, '"""', "def f"]
    highlighter = Highlighter("a.py", parse_patch(render_patch([], new)))
    assert highlighter.find_tokens(65) == ((0, 6, "syntax-string"),)
    assert highlighter.find_tokens(73) == ((0, 3, "syntax-keyword"), (4, 5, "syntax-name"))


def test_unknown_language_and_long_lines_have_no_colours() -> None:
    """A line that nobody wrote by hand is left alone, the one after it is not."""
    lines = parse_patch(render_patch([], ["1 " * 2_000, "2"]))
    assert Highlighter("a.txt", lines).find_tokens(0) == ()
    assert Highlighter("a.py", lines).find_tokens(0) == ()
    assert Highlighter("a.py", lines).find_tokens(1) == ((0, 1, "syntax-number"),)


def test_little_is_kept() -> None:
    """Reading through a long file does not keep all of it."""
    highlighter = Highlighter("a.py", parse_patch(render_patch([], ["1"] * 10_000)))
    for index in range(0, 10_000, 64):
        assert highlighter.find_tokens(index)
    assert len(highlighter._windows) <= 64


def tell(path: str, text: str) -> list[tuple[str, str]]:
    language = find_language(path)
    assert language is not None
    return [(text[start:end], role.removeprefix("syntax-")) for start, end, role in find_words(language, text)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "def lamp(): # on", [("def", "keyword"), ("lamp", "name"), ("# on", "comment")]),
        ("a.py", '"""two\nlines""" + 1.5', [('"""two\nlines"""', "string"), ("1.5", "number")]),
        ("a.py", 'x = "a\\"b"', [('"a\\"b"', "string")]),
        ("a.py", "@cache\nclass Lamp:", [("@cache", "name"), ("class", "keyword"), ("Lamp", "name")]),
        ("a.ts", "const a = `x\ny`; // b", [("const", "keyword"), ("`x\ny`", "string"), ("// b", "comment")]),
        ("src/a.c", "#include <x>\na; /* b\nc */", [("#include <x>", "keyword"), ("/* b\nc */", "comment")]),
        ("a.rs", "fn f<'a>(x: &'a str) {}", [("fn", "keyword"), ("f", "name")]),
        ("a.go", "func f() {}", [("func", "keyword"), ("f", "name")]),
        ("ci.yml", "on: push # x\n- a: 'a'", [("on", "name"), ("# x", "comment"), ("- a", "name"), ("'a'", "string")]),
        ("a.toml", "[a]\nb = true", [("[a]", "keyword"), ("b", "name"), ("true", "keyword")]),
        ("a.json", '{"a": null}', [('"a"', "string"), ("null", "keyword")]),
        ("a.sql", "SELECT x -- y", [("SELECT", "keyword"), ("-- y", "comment")]),
        ("a.html", '<a href="x"><!-- y -->', [("<a", "name"), ('"x"', "string"), ("<!-- y -->", "comment")]),
        ("README.md", "# Lamp\n`x`", [("# Lamp", "keyword"), ("`x`", "string")]),
        ("Makefile", "all: x # y", [("all", "name"), ("# y", "comment")]),
        ("a.py", "'not closed\nx = 1", [("'not closed", "string"), ("1", "number")]),
    ],
)  # fmt: skip
def test_words_are_what_they_look_like(path: str, text: str, expected: list[tuple[str, str]]) -> None:
    """Comments, texts, numbers, keywords, and names where they are defined."""
    assert tell(path, text) == expected


@pytest.mark.parametrize("path", ["a.txt", "a", "py", "a.py.orig", "folder.py/x"])
def test_unknown_files_have_no_language(path: str) -> None:
    """Only an ending that is known, and only of the name itself."""
    assert find_language(path) is None
