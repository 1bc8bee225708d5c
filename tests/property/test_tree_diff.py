"""Laws of comparing two trees, with real git, and of what is drawn of it."""

from __future__ import annotations

import os
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.changes.files.file_diff import parse_hunks, read_file_diff, render_notebook
from handoff_tui.changes.files.file_kinds import classify
from handoff_tui.changes.files.lines import (
    LineRow,
    PairRow,
    build_line_row,
    build_split_rows,
    build_unified_rows,
    find_word_spans,
)
from handoff_tui.core.text.columns import compute_width, wrap_cells
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import has_hidden_characters, render_safe
from handoff_tui.git.command import Git
from handoff_tui.git.file_diff import DiffLine, DiffOptions, FileChange, FileDiff
from handoff_tui.git.objects.tree_diff import list_changes, parse_numstat, parse_raw, read_patch
from handoff_tui.git.repository import open_repository
from tests.support.diffs import build_text_diff
from tests.support.repositories import RepositoryBuilder, build_git_environment

MODES = ("100644", "100755", "120000")
NAMES = ("a", "b", "c d", 'q"u', "é", "n\nl", "dir/a", "dir/b", "dir/sub/a")
LINES = (
    *("", "x", "y", "same", "a b", "a  b", "\ttab", "cr\r", "-- a", "@@ -1 +1 @@", "\\ No newline at end of file"),
    *("é",),
)

text_contents = st.builds(
    lambda lines, ending: "\n".join(lines) + ending,
    st.lists(st.sampled_from(LINES), max_size=12),
    st.sampled_from(["", "\n"]),
).map(str.encode)
contents = st.one_of(text_contents, text_contents, st.binary(max_size=40), st.just(b"\0binary"))
Entry = tuple[str, bytes]
trees = st.dictionaries(st.sampled_from(NAMES), st.tuples(st.sampled_from(MODES), contents), max_size=6)


class Desk(NamedTuple):
    """A repository for all examples: each adds its own trees."""

    builder: RepositoryBuilder
    git: Git
    folder: Path

    def write_tree(self, entries: dict[str, Entry]) -> str:
        environment = build_git_environment() | {"GIT_INDEX_FILE": str(self.folder / "index")}
        self.run(environment, "read-tree", "--empty")
        lines = []
        for path, (mode, content) in sorted(entries.items()):
            # a link to nothing isn't a link that git applies
            kept = content.replace(b"\0", b"") or b"t" if mode == "120000" else content
            blob = self.run(environment, "hash-object", "-w", "--stdin", stdin=kept)
            lines.append(f"{mode} {blob}\t{path}\0".encode())
        self.run(environment, "update-index", "-z", "--index-info", stdin=b"".join(lines))
        return self.run(environment, "write-tree")

    def apply(self, tree: str, patch: bytes) -> str:
        environment = build_git_environment() | {"GIT_INDEX_FILE": str(self.folder / "index")}
        self.run(environment, "read-tree", tree)
        if patch:
            self.run(environment, "apply", "--cached", "--whitespace=nowarn", "-", stdin=patch)
        return self.run(environment, "write-tree")

    def run(self, environment: dict[str, str], *arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ["git", "-C", str(self.builder.folder), *arguments],
            input=stdin,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return os.fsdecode(done.stdout).strip()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    folder = tmp_path_factory.mktemp("trees")
    builder = RepositoryBuilder.init(folder / "repository").write("a").commit()
    return Desk(builder, open_repository(builder.folder).git, folder)


@given(output=st.one_of(st.binary(max_size=300), st.text(": 0123456789abcdefMRAD\0\t-", max_size=200).map(str.encode)))
def test_decoders_take_anything(output: bytes) -> None:
    """No output, however damaged, is an exception; and none is changed by reading it twice."""
    assert parse_raw(output) == parse_raw(output)
    assert all(change.path for change in parse_raw(output))
    parse_numstat(output)
    parse_hunks(output.split(b"\n"))
    parse_hunks([b"@@ -1 +1 @@", *output.split(b"\n")], 5)
    classify("a", output, "100644")
    render_notebook(output)


@settings(max_examples=25)
@given(old=trees, new=trees)
def test_patch_of_any_two_trees_applies(desk: Desk, old: dict[str, Entry], new: dict[str, Entry]) -> None:
    """Applying the patch to the old tree gives the new one; equal trees have no changes."""
    one, other = desk.write_tree(drop_clashes(old)), desk.write_tree(drop_clashes(new))
    assert desk.apply(one, b"".join(read_patch(desk.git, one, other))) == other
    assert list_changes(desk.git, one, one) == []


@settings(max_examples=25)
@given(old=trees, new=trees)
def test_changes_mirror(desk: Desk, old: dict[str, Entry], new: dict[str, Entry]) -> None:
    """From new to old, every path is there with its sides exchanged."""
    one, other = desk.write_tree(drop_clashes(old)), desk.write_tree(drop_clashes(new))
    forth = {side for change in list_changes(desk.git, one, other) for side in list_sides(change)}
    back = {side for change in list_changes(desk.git, other, one) for side in list_sides(change)}
    assert forth == {(path, "new" if side == "old" else "old", mode, blob) for path, side, mode, blob in back}


@given(old=text_contents, new=text_contents, context=st.integers(0, 30))
def test_hunks_hold_both_contents(desk: Desk, old: bytes, new: bytes, context: int) -> None:
    """Old lines of the hunks are lines of the old file, at their numbers; whole files with enough context."""
    one, other = desk.write_tree({"a": ("100644", old)}), desk.write_tree({"a": ("100644", new)})
    for change in list_changes(desk.git, one, other):
        diff = read_file_diff(desk.git, change, DiffOptions(context=context))
        for side, content in (("-", old), ("+", new)):
            assert_lines_fit(diff, side, content, whole=context == 30)


@given(
    old=st.lists(st.sampled_from(LINES), max_size=12),
    new=st.lists(st.sampled_from(LINES), max_size=12),
)
def test_rows_hold_every_line_once(old: list[str], new: list[str]) -> None:
    """Unified and side by side, both texts can be read off the rows, in order."""
    diff = build_text_diff(old, new)
    unified = [row.line for row in build_unified_rows(diff) if isinstance(row, LineRow)]
    assert [line.text for line in unified if line.mark != "+"] == old
    assert [line.text for line in unified if line.mark != "-"] == new
    pairs = [row for row in build_split_rows(diff) if isinstance(row, PairRow)]
    assert [pair.left.line.text for pair in pairs if pair.left] == old
    assert [pair.right.line.text for pair in pairs if pair.right] == new


@given(old=st.text(max_size=80), new=st.text(max_size=80))
def test_spans_are_in_order_and_inside(old: str, new: str) -> None:
    """What is outside of the spans is common to both lines."""
    spans = find_word_spans(old, new)
    for text, found in ((old, spans.old), (new, spans.new)):
        assert all(0 <= start < end <= len(text) for start, end in found)
        assert all(before[1] < after[0] for before, after in pairwise(found))


@given(text=st.text(max_size=120), mark=st.sampled_from(" +-"), data=st.data())
def test_drawn_line_is_safe_and_whole(text: str, mark: str, data: st.DataObject) -> None:
    """Nothing in it is obeyed by a terminal, and but for blanks that are made visible it is the safe text."""
    line = DiffLine(mark, text.translate({ord(one): None for one in "\n·→"}), None, None)
    end = data.draw(st.integers(0, len(line.text)))
    drawn = "".join(cell.text for cell in build_line_row(line, ((0, end),) if end else ()).cells)
    assert not has_hidden_characters(drawn)
    assert drawn.replace("·", " ").replace("→", " ") == render_safe(line.text)


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=("C", "Z")), max_size=20), max_size=5),
    width=st.integers(2, 30),
)
def test_wrapped_cells_fill_their_lines(texts: list[str], width: int) -> None:
    """Each line is as wide as asked for."""
    for line in wrap_cells([Cell(text) for text in texts], width):
        assert compute_width("".join(cell.text for cell in line)) == width


def drop_clashes(entries: dict[str, Entry]) -> dict[str, Entry]:
    """No path that is a file and a folder at once."""
    return {
        path: entry for path, entry in entries.items() if not any(other.startswith(f"{path}/") for other in entries)
    }


def list_sides(change: FileChange) -> list[tuple[str, str, str, str]]:
    """What a change says of its old and its new path; a rename is a deletion and an addition."""
    old = (change.old_path or change.path, "old", change.old_mode, change.old_id)
    new = (change.path, "new", change.new_mode, change.new_id)
    return [side for side in (old, new) if side[2] != "000000"]


def assert_lines_fit(diff: FileDiff, side: str, content: bytes, *, whole: bool) -> None:
    lines = content.split(b"\n")
    ends_without = lines.pop() != b""
    if ends_without:
        lines = content.split(b"\n")
    found = [line for hunk in diff.hunks for line in hunk.lines if line.mark in {" ", side}]
    for line in found:
        number = line.old_number if side == "-" else line.new_number
        assert number is not None
        assert os.fsencode(line.text) == lines[number - 1]
        assert line.ends_without_newline == (ends_without and number == len(lines))
    if whole:
        assert len(found) == len(lines)
