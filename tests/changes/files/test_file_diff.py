from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.changes.files.file_diff import parse_hunks, read_file_diff, render_notebook
from handoff_tui.changes.files.file_kinds import build_changed_file, classify
from handoff_tui.core.errors import ObjectMissingError
from handoff_tui.git.file_diff import BlobFacts, DiffOptions, FileChange, FileDiff, FileKind, LineCounts, Whitespace
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.repository import open_repository
from tests.support.command_line import list_children
from tests.support.repositories import RepositoryBuilder

LINES = "".join(f"line {number}\n" for number in range(1, 41))


def read(builder: RepositoryBuilder, path: str, options: DiffOptions | None = None) -> FileDiff:
    git = open_repository(builder.folder).git
    return read_file_diff(git, find_change(builder, path), options)


def find_change(builder: RepositoryBuilder, path: str) -> FileChange:
    git = open_repository(builder.folder).git
    changes = list_changes(git, builder.head("HEAD~1"), builder.head())
    return next(change for change in changes if change.path == path)


def marked(diff: FileDiff) -> list[str]:
    return [line.mark + line.text for hunk in diff.hunks for line in hunk.lines]


def test_hunks_have_context_and_numbers(builder: RepositoryBuilder) -> None:
    """Each line knows its number on both sides; context is as much as was asked for."""
    builder.write("a", LINES).commit().write("a", LINES.replace("line 20\n", "line twenty\nand more\n")).commit()
    diff = read(builder, "a", DiffOptions(context=1))
    [hunk] = diff.hunks
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (19, 3, 19, 4)
    assert [(line.mark, line.old_number, line.new_number) for line in hunk.lines] == [
        (" ", 19, 19),
        ("-", 20, None),
        ("+", None, 20),
        ("+", None, 21),
        (" ", 21, 22),
    ]
    assert (diff.kind, diff.note, diff.truncated) == (FileKind.TEXT, None, False)
    assert len(read(builder, "a", DiffOptions(context=5)).hunks[0].lines) == 13


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, "a\nb\n", ["+a", "+b"]),
        ("a\n", None, ["-a"]),
        ("", "a\n", ["+a"]),
        ("a\n", "", ["-a"]),
        ("a\r\n", "a\n", ["-a\r", "+a"]),
        ("@@ -1 +1 @@\n-- a\n", "++ b\n", ["-@@ -1 +1 @@", "--- a", "+++ b"]),
        (b"caf\xe9\n", "café\n", ["-caf\udce9", "+café"]),
        ("a\x1b[31m\n", "a\u202e\n", ["-a\x1b[31m", "+a\u202e"]),
    ],
)
def test_lines_are_the_bytes_of_the_file(
    builder: RepositoryBuilder, old: str | bytes | None, new: str | bytes | None, expected: list[str]
) -> None:
    """Added, deleted and empty files, line ends, lines that look like a patch, and bytes of any kind."""
    builder.write("keep")
    for content in (old, new):
        if content is None:
            builder.place("a").unlink(missing_ok=True)
        else:
            builder.write("a", content)
        builder.commit()
    assert marked(read(builder, "a")) == expected


def test_missing_final_newline_is_told(builder: RepositoryBuilder) -> None:
    """A side whose last line does not end is marked there, and only there."""
    builder.write("a", "x\ny").commit().write("a", "x\ny\n").commit()
    lines = read(builder, "a").hunks[0].lines
    assert [(line.mark, line.text, line.ends_without_newline) for line in lines] == [
        (" ", "x", False),
        ("-", "y", True),
        ("+", "y", False),
    ]


@pytest.mark.parametrize("attributes", ["* -diff", "* binary", "* diff=planted"])
def test_attributes_and_drivers_hide_nothing(builder: RepositoryBuilder, attributes: str) -> None:
    """Neither in the tree nor in info/attributes, and no text conversion is run."""
    builder.config("diff.planted.textconv", "echo same; true").config("diff.planted.command", "true")
    builder.write(".gitattributes", attributes + "\n").write(".git/info/attributes", attributes + "\n")
    builder.write("a.py", "one\n").commit().write("a.py", "two\n").commit()
    diff = read(builder, "a.py")
    assert (diff.kind, marked(diff)) == (FileKind.TEXT, ["-one", "+two"])


def test_binary_content_has_size_and_hash(builder: RepositoryBuilder) -> None:
    """Content with a NUL byte is not shown as lines, whatever its name; asked for as text, it is."""
    builder.write("a.py", "one\n").commit().write("a.py", b"two\0\n").commit()
    diff = read(builder, "a.py")
    assert (diff.kind, diff.hunks) == (FileKind.BINARY, ())
    assert diff.old_facts == BlobFacts(4, hashlib.sha256(b"one\n").hexdigest())
    assert diff.new_facts == BlobFacts(5, hashlib.sha256(b"two\0\n").hexdigest())
    assert marked(read(builder, "a.py", DiffOptions(as_text=True))) == ["-one", "+two\0"]


def test_links_show_their_targets(builder: RepositoryBuilder) -> None:
    """A link's target is its content; a file that becomes a link says so."""
    builder.link("link", "old target").write("typed", "was text\n").commit()
    for name in ("link", "typed"):
        builder.place(name).unlink()
    builder.link("link", "/etc/passwd").link("typed", "target").commit()
    diff = read(builder, "link")
    assert (diff.kind, marked(diff)) == (FileKind.SYMLINK, ["-old target", "+/etc/passwd"])
    typed = read(builder, "typed")
    assert (typed.kind, marked(typed)) == (FileKind.SYMLINK, ["-was text", "+target"])
    assert typed.note == "was a file, is now a symbolic link"


def test_submodules_show_their_commits(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The ids are in the change; the note says what is not compared."""
    source = RepositoryBuilder.init(tmp_path / "source").write("a").commit()
    module = builder.submodule(source, "module")
    first = module.head()
    module.write("b").commit()
    builder.commit()
    diff = read(builder, "module")
    assert (diff.kind, diff.change.old_id, diff.change.new_id) == (FileKind.SUBMODULE, first, module.head())
    assert diff.note == "only the submodule's commit is compared, not its contents"


def test_mode_and_name_alone_have_no_lines(builder: RepositoryBuilder) -> None:
    """When only the mode or the name differs, the content is said to be the same."""
    builder.write("run", "#!/bin/sh\n").write("old", LINES).commit().step("mv", "old", "new")
    builder.place("run").chmod(0o755)
    builder.commit()
    for path in ("run", "new"):
        diff = read(builder, path)
        assert (diff.hunks, diff.note, diff.kind) == ((), "the content is the same", FileKind.TEXT)


@pytest.mark.parametrize(
    ("old", "new", "ignored_by"),
    [
        ("a\n", "a  \n", {Whitespace.IGNORE_AT_END, Whitespace.IGNORE_AMOUNT, Whitespace.IGNORE}),
        ("a b\n", "a   b\n", {Whitespace.IGNORE_AMOUNT, Whitespace.IGNORE}),
        ("ab\n", "a b\n", {Whitespace.IGNORE}),
        ("a\nb\n", "a\n\nb\n", {Whitespace.IGNORE_BLANK_LINES}),
    ],
)
def test_white_space_counts_as_asked(
    builder: RepositoryBuilder, old: str, new: str, ignored_by: set[Whitespace]
) -> None:
    """Each setting ignores its own kind; where nothing is left, a note says why."""
    builder.write("a", old).commit().write("a", new).commit()
    for setting in Whitespace:
        diff = read(builder, "a", DiffOptions(whitespace=setting))
        assert bool(diff.hunks) == (setting not in ignored_by), setting
        assert (diff.note is None) == bool(diff.hunks)


def test_reading_ends_when_there_is_enough(builder: RepositoryBuilder) -> None:
    """A long diff is cut after the lines that were asked for, and says so; its header keeps the whole count."""
    builder.write("a", "".join(f"{number}\n" for number in range(100_000))).commit()
    builder.write("a", "".join(f"x{number}\n" for number in range(100_000))).commit()
    diff = read(builder, "a", DiffOptions(most_lines=10))
    assert (diff.truncated, diff.note) == (True, "only the first 10 lines are shown")
    assert [len(hunk.lines) for hunk in diff.hunks] == [10]
    assert diff.hunks[0].old_count == 100_000
    assert len(marked(read(builder, "a", DiffOptions(most_lines=None)))) == 200_000


def test_folder_in_the_place_of_a_file_is_no_part_of_it(builder: RepositoryBuilder) -> None:
    """A file that gives way to a folder of its name shows its own lines alone."""
    builder.write("a", "file\n").commit()
    builder.place("a").unlink()
    builder.write("a/b", "other\n").commit()
    assert marked(read(builder, "a")) == ["-file"]


def build_notebook(source: str, output: str = "1") -> str:
    cell = {
        "cell_type": "code",
        "source": [source],
        "metadata": {},
        "execution_count": 1,
        "outputs": [{"text": output}],
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4})


def test_notebook_shows_cells_and_folds_outputs(builder: RepositoryBuilder) -> None:
    """Sources are lines, an output is one line with a digest; asked for as stored, it is JSON."""
    builder.write("n.ipynb", build_notebook("a = 1\n")).commit().write(
        "n.ipynb", build_notebook("a = 2\n", "2")
    ).commit()
    diff = read(builder, "n.ipynb", DiffOptions(context=0))
    lines = marked(diff)
    assert (diff.kind, lines[:2]) == (FileKind.NOTEBOOK, ["-    a = 1", "+    a = 2"])
    assert [line.split(" sha256")[0] for line in lines[2:]] == [
        "-── folded: outputs 1 None ·",
        "+── folded: outputs 1 None ·",
    ]
    assert marked(read(builder, "n.ipynb", DiffOptions(as_stored=True)))[0].startswith('-{"cells"')


def test_notebook_that_is_none_is_shown_as_stored(builder: RepositoryBuilder) -> None:
    """A file with a notebook's name and other content hides nothing behind it."""
    builder.write("n.ipynb", build_notebook("a\n")).commit().write("n.ipynb", "not json\n").commit()
    diff = read(builder, "n.ipynb")
    assert "+not json" in marked(diff)
    assert diff.note == "not a readable notebook, so shown as stored"


def test_notebook_that_is_laid_out_anew_says_so(builder: RepositoryBuilder) -> None:
    """Equal cells in other JSON have no lines, and a note."""
    text = build_notebook("a\n")
    builder.write("n.ipynb", text).commit().write("n.ipynb", json.dumps(json.loads(text), indent=1)).commit()
    diff = read(builder, "n.ipynb")
    assert (diff.hunks, diff.note) == ((), "only the layout of the notebook's JSON differs")


@pytest.mark.parametrize("name", ["a", "n.ipynb"])
def test_missing_content_is_named(builder: RepositoryBuilder, name: str) -> None:
    """The error says of which file, which side, and which blob."""
    builder.write(name, "one\n").commit().write(name, "two\n").commit()
    change = find_change(builder, name)
    (builder.folder / ".git" / "objects" / change.old_id[:2] / change.old_id[2:]).unlink()
    with pytest.raises(ObjectMissingError, match=f"the old content of {name} {change.old_id}"):
        read_file_diff(open_repository(builder.folder).git, change)


def test_user_settings_change_nothing(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """What a user set for the porcelain does not change what is read."""
    builder.write("a", LINES).commit().write("a", LINES.replace("line 9\n", "\n").replace("line 30", "x")).commit()
    before = read(builder, "a")
    settings = {"noprefix": "true", "context": "0", "algorithm": "patience", "suppressBlankEmpty": "true"}
    settings |= {"interHunkContext": "50", "relative": "true", "mnemonicPrefix": "true", "external": "false"}
    for key, value in settings.items():
        builder.git("config", "--file", os.environ["GIT_CONFIG_GLOBAL"], f"diff.{key}", value)
    assert read(builder, "a") == before


def test_nothing_is_left_running_or_lying_about(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a read that ended early there is no child process and no temporary folder."""
    builder.write("a", "x\n" * 200_000).write("n.ipynb", build_notebook("a")).commit()
    builder.write("a", "y\n" * 200_000).write("n.ipynb", build_notebook("b")).commit()
    read(builder, "a")  # from here on the process has its one folder
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    before = list_children()
    read(builder, "a", DiffOptions(most_lines=1))
    assert read(builder, "n.ipynb").hunks
    assert list(folder.iterdir()) == []
    assert list_children() <= before


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


PLAIN = "100644"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        *((name, FileKind.LOCK) for name in ("package-lock.json", "a/yarn.lock", "Cargo.lock", "go.sum", "b/uv.lock")),
        *((name, FileKind.LOCK) for name in ("Gemfile.lock", "poetry.lock", "constraints.txt", "pnpm-lock.yaml")),
        *((name, FileKind.GENERATED) for name in ("a/b.min.js", "x_pb2.py", "x_pb2_grpc.py", "api.pb.go", "b.js.map")),
        ("notes/Try.ipynb", FileKind.NOTEBOOK),
        *((name, FileKind.TEXT) for name in ("lock.py", "my-package-lock.json.md", "min.js", "pb2.py", "go.summary")),
        ("Cargo.lock/main.rs", FileKind.TEXT),
    ],
)
def test_name_tells_the_kind(path: str, kind: FileKind) -> None:
    """The last part of the path decides, in full."""
    assert classify(path, b"", PLAIN) is kind


@pytest.mark.parametrize(
    ("head", "generated"),
    [
        (b"// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n", True),
        (b"#!/bin/sh\n# This file is automatically generated; do not edit it\n", True),
        (b"/* @generated */\n", True),
        (b"<!-- AUTO-GENERATED, do not modify -->\n", True),
        (b"\n" * 30 + b"// @generated\n", False),
        (b"send(me@generated.example)\n", False),
        (b"@generated-by-hand\n", False),
        (b"The code generated heat. Nobody minded.\n", False),
        (b"", False),
    ],
)
def test_content_tells_what_says_that_it_is_generated(head: bytes, generated: bool) -> None:  # noqa: FBT001
    """Marker words in the first lines, as tools write them."""
    assert (classify("a.go", head, PLAIN) is FileKind.GENERATED) == generated


def test_nul_byte_makes_content_binary() -> None:
    """Among the first 8,000 bytes, as git has it, whatever the name says."""
    assert classify("uv.lock", b"a\0", PLAIN) is FileKind.BINARY
    assert classify("a.py", b"a" * 8_000 + b"\0", PLAIN) is FileKind.TEXT


def test_mode_comes_first() -> None:
    """A link and a submodule are what they are, whatever they are called."""
    assert classify("uv.lock", b"\0", "120000") is FileKind.SYMLINK
    assert classify("a.ipynb", b"", "160000") is FileKind.SUBMODULE


def build_change(path: str, status: str = "M", old_mode: str = PLAIN, new_mode: str = PLAIN) -> FileChange:
    return FileChange(status, path, None, old_mode, new_mode, "a" * 40, "b" * 40)


def test_file_list_knows_what_is_known() -> None:
    """By name at first, by counts when they are there."""
    lock, binary = build_change("uv.lock"), build_change("a.bin")
    assert [build_changed_file(change, None).kind for change in (lock, binary)] == [FileKind.LOCK, FileKind.TEXT]
    counted = build_changed_file(lock, LineCounts(1, 2))
    assert (counted.kind, counted.counts) == (FileKind.LOCK, LineCounts(1, 2))
    assert build_changed_file(binary, LineCounts(None, None)).kind is FileKind.BINARY


def build(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": list(cells), **more}).encode()


def build_cell(source: object, **more: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, **more}


def test_sources_are_shown_and_the_rest_folded() -> None:
    """Each cell has its kind, its source, one line of metadata and one of outputs."""
    cell = build_cell(["a\n", "b"], metadata={}, outputs=[{"output_type": "stream", "text": "x"}], execution_count=3)
    text = (render_notebook(build(cell, {"cell_type": "markdown", "source": "# t"}, nbformat=4)) or b"").decode()
    lines = [line.split(" · ")[0] for line in text.splitlines()]
    assert lines == [
        "── cell: code",
        "    a",
        "    b",
        "── folded: metadata",
        "── folded: outputs 1 stream",
        "",
        "── cell: markdown",
        "    # t",
        "",
        "── notebook: nbformat",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (build(build_cell("a")), build(build_cell("b"))),
        (build(build_cell("a", outputs=[1])), build(build_cell("a", outputs=[2]))),
        (build(build_cell("a", outputs=[])), build(build_cell("a"))),
        (build(build_cell("a", execution_count=1)), build(build_cell("a", execution_count=2))),
        (build(build_cell("a", metadata={"x": 1})), build(build_cell("a", metadata={"x": True}))),
        (build(build_cell("a"), nbformat=4), build(build_cell("a"), nbformat=5)),
        (build(build_cell(["a", 1])), build(build_cell(["a", 2]))),
        (build({**build_cell("a"), "cell_type": "x"}), build({**build_cell("a"), "cell_type": "y"})),
        (build(build_cell("a\n── cell: code\n    b")), build(build_cell("a"), build_cell("b"))),
        (build(build_cell("a\n\n── cell: code\n    b\n")), build(build_cell("a"), build_cell("b\n"))),
        (build(build_cell("\ud800")), build(build_cell("\ud801"))),
    ],
)
def test_texts_differ_where_notebooks_do(one: bytes, other: bytes) -> None:
    """Nothing is folded so far that a difference vanishes, and no source passes for a cell."""
    assert None not in {render_notebook(one), render_notebook(other)}
    assert render_notebook(one) != render_notebook(other)


def test_layout_of_the_json_does_not_matter() -> None:
    """Indentation, order of keys, and a source as one text or as lines."""
    one = build(build_cell("a\nb", metadata={"x": 1, "y": 2}))
    other = json.dumps(
        {"cells": [{"metadata": {"y": 2, "x": 1}, "source": ["a\n", "b"], "cell_type": "code"}]}, indent=2
    )
    assert render_notebook(one) == render_notebook(other.encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no",
        b"[]",
        b"{}",
        b'{"cells": {}}',
        b'{"cells": [1]}',
        b'{"cells": [], "cells": []}',
        b'{"cells": [{"source": "a", "source": "b"}]}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_what_is_no_notebook_is_none(content: bytes) -> None:
    """Not JSON, other JSON, or a key twice, behind which another could hide."""
    assert render_notebook(content) is None
