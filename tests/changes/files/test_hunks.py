from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.changes.files.file_diff import find_first_lines, parse_hunks
from handoff_tui.git.file_diff import DiffLine

PATCH = b"""diff --git a/x b/x
index 1..2 100644
--- a/x
+++ b/x
@@ -1,2 +1,2 @@ def first():
 kept
-old
\\ No newline at end of file
+new
@@ -10 +10,0 @@
-@@ -1 +1 @@
"""


def test_hunks_are_read_from_a_patch() -> None:
    """Headers, headings, numbers, marks, and lines that look like headers."""
    first, second = parse_hunks(PATCH.removesuffix(b"\n").split(b"\n")).hunks
    assert (first.heading, second.heading) == ("def first():", "")
    assert first.lines == (
        DiffLine(" ", "kept", 1, 1),
        DiffLine("-", "old", 2, None, ends_without_newline=True),
        DiffLine("+", "new", None, 2),
    )
    assert (second.old_count, second.new_count) == (1, 0)
    assert second.lines == (DiffLine("-", "@@ -1 +1 @@", 10, None),)


def test_heading_that_was_cut_in_a_character_is_readable() -> None:
    """Git cuts at bytes; half a character is left away."""
    [hunk] = parse_hunks([b"@@ -1 +1 @@ caf\xc3"]).hunks
    assert hunk.heading == "caf"


def test_binary_content_is_noticed() -> None:
    """The line that says so is no hunk; the same words inside a hunk mean nothing."""
    assert parse_hunks([b"index 1..2", b"Binary files a/x and b/x differ"]).binary
    assert not parse_hunks([b"@@ -1 +1 @@", b" Binary files a/x and b/x differ"]).binary


def test_no_line_is_asked_for_beyond_the_limit() -> None:
    """The reader stops at the first line that is too many, by number or by size."""
    asked: list[int] = []

    def offer() -> Iterator[bytes]:
        yield b"@@ -1,1000 +0,0 @@"
        for number in range(1000):
            asked.append(number)
            yield b"-" + b"x" * 9

    found = parse_hunks(offer(), most_lines=3)
    assert (found.truncated, len(found.hunks[0].lines), len(asked)) == (True, 3, 4)
    assert len(parse_hunks(offer(), most_bytes=20).hunks[0].lines) == 2
    assert not parse_hunks(offer(), most_lines=1000).truncated


def test_first_lines_are_taken_where_a_hunk_has_them() -> None:
    """Of the side that is asked for, from the first line on, and only when there are enough."""
    hunks = parse_hunks([b"@@ -1,3 +1,2 @@", b"-a", b"-b\xff", b"+x", b" c"]).hunks
    assert find_first_lines(hunks, 3, old=True) == b"a\nb\xff\nc"
    assert find_first_lines(hunks, 2, old=False) == b"x\nc"
    assert find_first_lines(hunks, 3, old=False) is None
    assert find_first_lines(parse_hunks([b"@@ -2 +2 @@", b" c"]).hunks, 1, old=True) is None
    assert find_first_lines((), 1, old=True) is None
