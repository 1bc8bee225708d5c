from __future__ import annotations

import pytest

from handoff_tui.changes.files.file_diff import read_file_diff
from handoff_tui.changes.files.file_lines import read_file_lines
from handoff_tui.changes.files.shown_file import LONGEST_LINE, PatchLines, ShownFile
from handoff_tui.git.file_diff import DiffOptions, FileChange, FileKind
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.repository import open_repository
from tests.support.diffs import number_lines, parse_patch, render_patch
from tests.support.repositories import RepositoryBuilder

LINES = "".join(f"line {number}\n" for number in range(1, 401))


def find_change(builder: RepositoryBuilder, path: str) -> FileChange:
    git = open_repository(builder.folder).git
    return next(one for one in list_changes(git, builder.head("HEAD~1"), builder.head()) if one.path == path)


def read(builder: RepositoryBuilder, path: str, options: DiffOptions | None = None) -> ShownFile:
    git = open_repository(builder.folder).git
    shown = read_file_lines(git, find_change(builder, path), options or DiffOptions())
    assert shown is not None
    return shown


def mark(shown: ShownFile) -> list[str]:
    lines = (shown.lines.read_line(index) for index in range(len(shown.lines)))
    return [line.mark + line.text for line in lines]


def test_whole_file_is_read_with_its_changes(builder: RepositoryBuilder) -> None:
    """All lines are there, and what changed is what the hunks of the same file say."""
    builder.write("a.py", LINES).commit().write("a.py", LINES.replace("line 20\n", "line twenty\nand more\n")).commit()
    shown = read(builder, "a.py")
    assert (len(shown.lines), shown.kind, shown.note, shown.complete) == (402, FileKind.TEXT, None, True)
    git = open_repository(builder.folder).git
    hunks = read_file_diff(git, shown.change, DiffOptions(context=0)).hunks
    expected = [line for hunk in hunks for line in hunk.lines]
    run = shown.lines.runs.get(0)
    assert [shown.lines.read_line(index) for index in range(run.start, run.end)] == expected


def test_first_lines_are_told_before_the_last(builder: RepositoryBuilder) -> None:
    """A long file is told in growing parts; each part is the beginning of the whole."""
    text = "".join(f"value_{number} = {number}\n" for number in range(30_000))
    builder.write("a.py", "").commit().write("a.py", text).commit()
    told: list[ShownFile] = []
    git = open_repository(builder.folder).git
    shown = read_file_lines(git, find_change(builder, "a.py"), DiffOptions(), tell=told.append)
    assert shown is not None
    counts = [len(one.lines) for one in told]
    assert len(counts) > 1
    assert counts == sorted(counts)
    assert counts[-1] <= len(shown.lines) == 30_000
    assert not any(one.complete for one in told)
    assert told[0].lines.read_line(5) == shown.lines.read_line(5)


def test_reading_ends_when_nobody_wants_it(builder: RepositoryBuilder) -> None:
    """Another file does not wait for this one."""
    builder.write("a.py", "").commit().write("a.py", LINES).commit()
    git = open_repository(builder.folder).git
    assert read_file_lines(git, find_change(builder, "a.py"), DiffOptions(), is_unwanted=lambda: True) is None


def test_each_kind_of_content_is_known(builder: RepositoryBuilder) -> None:
    """By mode, name and first lines; binary content has facts in place of lines, or lines when asked for."""
    builder.write("x.bin", b"\0old").write("uv.lock", "a\n").write("made.py", "1\n").write("gone.py", LINES).commit()
    builder.write("x.bin", b"\0new").write("uv.lock", "b\n").write("made.py", "# @generated\n1\n").link("ln", "x.bin")
    builder.place("gone.py").unlink()
    builder.commit()
    binary = read(builder, "x.bin")
    assert (binary.kind, len(binary.lines)) == (FileKind.BINARY, 0)
    assert binary.new_facts is not None
    assert binary.new_facts.size == 4
    assert mark(read(builder, "x.bin", DiffOptions(as_text=True)))[0] == "-\0old"
    kinds = {path: read(builder, path).kind for path in ("uv.lock", "made.py", "ln", "gone.py")}
    assert kinds == {
        "uv.lock": FileKind.LOCK,
        "made.py": FileKind.GENERATED,
        "ln": FileKind.SYMLINK,
        "gone.py": FileKind.TEXT,
    }


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


OLD = number_lines(10)

NEW = [*number_lines(4), "four and a half", *number_lines(10, {7: "Seven"})[4:]]

PATCH_LINES_LINES = parse_patch(render_patch(OLD, NEW))


def test_line_is_found_by_its_number() -> None:
    """On either side; a number beyond the end gives the last line."""
    assert [PATCH_LINES_LINES.find_numbered(number) for number in (1, 5, 8, 11, 99)] == [0, 4, 8, 11, 11]
    assert [PATCH_LINES_LINES.find_numbered(number, old=True) for number in (4, 5, 7, 8)] == [3, 5, 7, 9]
    assert PatchLines().find_numbered(3) is None
    assert PatchLines().find_last_numbers() == (0, 0)


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
    """Forwards from a line on, or backwards from it; the marks of the patch aren't text."""
    assert PATCH_LINES_LINES.find_text(text, start, backwards=backwards) == found


def test_text_with_other_letters_is_found_too() -> None:
    """Letters beyond ASCII are compared as letters, not as bytes."""
    lines = parse_patch(render_patch(["a"], ["a", "GRÖSSE", "größe"]))
    assert lines.find_text("grösse", 0) == 1
    assert lines.find_text("größe", 2, backwards=True) == 2


def test_very_long_line_is_read_in_part() -> None:
    """Its length is known, its beginning is decoded."""
    lines = parse_patch(render_patch([], ["x" * (3 * LONGEST_LINE), "end"]))
    assert lines.count_bytes(0) == 3 * LONGEST_LINE
    assert lines.read_line(0).text == "x" * LONGEST_LINE
    assert lines.read_line(1).text == "end"
    assert lines.read_mark(1) == "+"
