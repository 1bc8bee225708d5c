from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.system.files.addressed_files import AddressedFolder
from handoff_tui.system.files.own_folder import is_own, read_layout_problems
from tests.support.repositories import RepositoryBuilder


def write_entry(root: Path, content: bytes = b"entry\n") -> Path:
    folder = AddressedFolder(root, "log", ".intoto.jsonl", sharded=True, max_bytes=1000)
    return root / folder.build_path(folder.write(content))


def test_git_files_protect_every_folder(builder: RepositoryBuilder) -> None:
    """Git converts nothing in the four folders and offers no temporary file for adding."""
    write_entry(builder.folder)
    for folder in ("log", "trust", "baselines", "reviews"):
        asked = builder.git("check-attr", "text", "ident", "filter", "--", f".handoff-tui/{folder}/aa/file")
        assert [line.rpartition(" ")[2] for line in asked.splitlines()] == ["unset"] * 3
        assert builder.git("check-ignore", f".handoff-tui/{folder}/.tmp-0123")
    assert read_layout_problems(builder.folder) == ()


@pytest.mark.parametrize("name", [".gitattributes", ".gitignore"])
def test_file_that_is_there_is_left_alone_and_told(builder: RepositoryBuilder, name: str) -> None:
    """A person's own file is never overwritten; what it lacks is said."""
    builder.write(f".handoff-tui/{name}", "# mine\n")
    write_entry(builder.folder)
    assert builder.place(f".handoff-tui/{name}").read_text() == "# mine\n"
    (problem,) = read_layout_problems(builder.folder)
    assert f".handoff-tui/{name} lacks the line" in problem


def test_file_with_more_lines_is_no_problem(builder: RepositoryBuilder) -> None:
    """Only what is missing counts."""
    write_entry(builder.folder)
    place = builder.place(".handoff-tui/.gitignore")
    place.write_text(place.read_text() + "*.bak\n")
    assert read_layout_problems(builder.folder) == ()


def test_linked_or_missing_file_is_told(builder: RepositoryBuilder) -> None:
    """Git follows no link there, so it is as good as missing."""
    write_entry(builder.folder)
    place = builder.place(".handoff-tui/.gitattributes")
    place.rename(builder.place("elsewhere"))
    assert "does not exist" in read_layout_problems(builder.folder)[0]
    place.symlink_to(builder.place("elsewhere"))
    assert "is a link" in read_layout_problems(builder.folder)[0]


def test_repository_without_the_folder_has_no_problem(tmp_path: Path) -> None:
    """Before the first entry there is nothing to say."""
    assert read_layout_problems(tmp_path) == ()


@pytest.mark.parametrize("setting", ["true", "input"])
def test_bytes_survive_a_clone_that_converts_line_ends(
    builder: RepositoryBuilder, tmp_path: Path, setting: str
) -> None:
    """With autocrlf on both sides, LF and CRLF stay as they were written."""
    content = b"one\ntwo\r\n$Id$\n"
    builder.config("core.autocrlf", setting)
    path = write_entry(builder.folder, content).relative_to(builder.folder)
    builder.write("plain.txt", "one\n").commit()
    clone = tmp_path / "clone"
    builder.git("clone", "--quiet", "--config", f"core.autocrlf={setting}", str(builder.folder), str(clone))
    assert (clone / path).read_bytes() == content
    if setting == "true":
        assert (clone / "plain.txt").read_bytes() == b"one\r\n"


@pytest.mark.parametrize(
    ("path", "own"),
    [
        (".handoff-tui/log/aa/x", True),
        (".handoff-tui", False),
        (".handoff-tui-not/ours", False),
        ("a/.handoff-tui/x", False),
    ],
)
def test_only_what_is_below_our_folder_is_ours(path: str, own: bool) -> None:  # noqa: FBT001 - expected value
    """At the top of the work tree, and by its whole name."""
    assert is_own(path) is own
