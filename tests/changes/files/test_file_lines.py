from __future__ import annotations

import json

import pytest

from handoff_tui.changes.files.file_diff import read_file_diff
from handoff_tui.changes.files.file_lines import read_file_lines
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.core.errors import ObjectMissingError
from handoff_tui.git.file_diff import DiffOptions, FileChange, FileKind, Whitespace
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.repository import open_repository
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
    """Who looks at another file does not wait for this one."""
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


def test_mode_alone_has_no_lines(builder: RepositoryBuilder) -> None:
    """And says that the content is the same."""
    builder.write("run.sh", "#!/bin/sh\n").commit()
    builder.place("run.sh").chmod(0o755)
    builder.commit()
    shown = read(builder, "run.sh")
    assert (len(shown.lines), shown.note) == (0, "the content is the same")


def test_white_space_can_be_left_out(builder: RepositoryBuilder) -> None:
    """Nothing is left of a change of blanks, and that is said."""
    builder.write("a.py", "a b\n").commit().write("a.py", "a  b\n").commit()
    shown = read(builder, "a.py", DiffOptions(whitespace=Whitespace.IGNORE_AMOUNT))
    assert (mark(shown), shown.note) == ([], "nothing else differs with white space set to ignore-amount")


def test_notebook_is_shown_as_cells_or_as_it_is_stored(builder: RepositoryBuilder) -> None:
    """Cells are what a reader reads; the JSON is there for who asks."""
    before, after = ({"cells": [{"cell_type": "code", "source": [word], "outputs": []}]} for word in ("one", "two"))
    for cells in (before, after):
        builder.write("a.ipynb", json.dumps({**cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})).commit()
    shown = read(builder, "a.ipynb")
    assert shown.kind is FileKind.NOTEBOOK
    assert "-    one" in mark(shown)
    assert not any(line.startswith("-    one") for line in mark(read(builder, "a.ipynb", DiffOptions(as_stored=True))))
    builder.write("a.ipynb", "{").commit()
    assert "cannot be read as a notebook" in (read(builder, "a.ipynb").note or "")


def test_missing_content_is_named(builder: RepositoryBuilder) -> None:
    """A content that is not in the repository is an error that says which."""
    builder.write("a.py", "a\n").commit().write("a.py", "b\n").commit()
    change = find_change(builder, "a.py")._replace(new_id="1" * 40)
    git = open_repository(builder.folder).git
    with pytest.raises(ObjectMissingError, match=r"the new content of a\.py"):
        read_file_lines(git, change, DiffOptions())
