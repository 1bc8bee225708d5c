from __future__ import annotations

import pytest

from handoff_tui.changes.files.file_lines import PatchParser, find_runs
from tests.support.patches import parse_patch, render_patch


def test_head_is_no_line_and_binary_is_told() -> None:
    """What stands before the first hunk is not shown, however much it looks like lines."""
    lines = parse_patch(render_patch(["a"], ["b"]))
    assert [lines.read_line(index).text for index in range(len(lines))] == ["a", "b"]
    parser = PatchParser()
    parser.feed(b"diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n")
    parser.flush()
    assert parser.binary
    assert len(parser.build()) == 0


def test_lines_that_look_like_the_patch_itself_are_lines() -> None:
    """Content may hold marks, heads of hunks and names of files."""
    new = ["@@ -1 +1 @@", "--- a/x", "\\ No newline at end of file", "Binary files a and b differ", ""]
    lines = parse_patch(render_patch([], new))
    assert [lines.read_line(index).text for index in range(len(lines))] == new
    assert lines.read_line(4).new_number == 5


def test_missing_newline_belongs_to_the_line_before() -> None:
    """Git says it on a line of its own, which is none of the file."""
    patch = b"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    lines = parse_patch(patch)
    assert [lines.read_line(index).ends_without_newline for index in range(3)] == [False, True, True]
    assert [lines.read_line(index).new_number for index in range(3)] == [1, None, 2]


def test_second_hunk_is_numbered_by_its_own_head() -> None:
    """Where git leaves lines out, the numbers go on where it says."""
    lines = parse_patch(b"@@ -1 +1 @@\n-a\n+b\n@@ -20,0 +21,2 @@\n+c\n+d\n")
    assert [lines.read_line(index).new_number for index in range(4)] == [None, 1, 21, 22]
    assert parse_patch(b"@@ -0,0 +1 @@\n+a\n").read_line(0)[2:4] == (None, 1)


def test_what_is_there_can_be_asked_for_before_the_end() -> None:
    """Only whole lines; what was given out does not change when more comes."""
    parser = PatchParser()
    parser.feed(b"@@ -1,3 +1,3 @@\n a\n-b\n+c")
    parser.flush()
    early = parser.build()
    parser.feed(b"c\n d\n")
    parser.flush(ended=True)
    assert (len(early), len(parser.build())) == (2, 4)
    assert early.runs.get(0) == (1, 2, 2)
    assert parser.build().runs.get(0) == (1, 2, 3)
    assert parser.build().read_line(2).text == "cc"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("plain", False),
        ("tab\there", False),
        ("crlf\r", False),
        ("größe", False),
        ("a\u202eb", True),
        ("\x1b[31m", True),
        ("a\rb", True),
        ("zero\u200bwidth", True),
        ("\udcff", True),
    ],
)
def test_added_lines_with_hidden_characters_are_listed(text: str, *, hidden: bool) -> None:
    """Those that were there before are not this change's doing."""
    lines = parse_patch(render_patch(["before \u202e"], ["before \u202e", text, "end"]))
    assert (lines.hidden, lines.hidden_count) == (((1,), 1) if hidden else ((), 0))


def test_many_hidden_lines_are_counted() -> None:
    """The list ends; the number does not."""
    lines = parse_patch(render_patch([], ["\u200b"] * 500))
    assert (len(lines.hidden), lines.hidden_count) == (200, 500)


def test_runs_are_found_in_the_marks() -> None:
    """Deleted and then added lines are one change; added and then deleted ones are two."""
    runs = find_runs(b"  --++ + -+-  -")
    assert [runs.get(number) for number in range(len(runs.starts))] == [
        (2, 4, 6),
        (7, 7, 8),
        (9, 10, 11),
        (11, 12, 12),
        (14, 15, 15),
    ]
