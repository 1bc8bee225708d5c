from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.git.objects.tree_reader import TreeReader, TreeStore
from handoff_tui.git.repository import open_repository
from handoff_tui.system.files.reader import FileReader
from tests.support.repositories import RepositoryBuilder

PATHS = (
    *("a.txt", "sub/b.txt", "sub", "missing", "sub/missing", "a.txt/below", "./sub/../a.txt", "", "."),
    *("near", "far", "up", "folder/b.txt", "folder", "loop", "nowhere", "out", "into-git", "chain", ".git/HEAD", "/a"),
)
"""What both readers are asked about: files, folders, links of every kind, and what is not there."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    builder = RepositoryBuilder.init(tmp_path_factory.mktemp("tree") / "repository")
    builder.write("a.txt", "one\n").write("sub/b.txt", "two\n").write("run.sh", "true\n")
    builder.place("run.sh").chmod(0o755)
    links = {
        "chain": "folder/b.txt",
        "far": "sub/b.txt",
        "far-out": "/etc",
        "folder": "sub",
        "into-git": ".git/HEAD",
        "loop": "loop",
        "near": "a.txt",
        "nowhere": "missing",
        "out": "../elsewhere",
        "sub/up": "../a.txt",
        "up": "sub/up",
    }
    for name, target in links.items():
        builder.link(name, target)
    return builder.commit().folder


@pytest.fixture(scope="module")
def reader(folder: Path) -> TreeReader:
    repository = open_repository(folder)
    tree = repository.git.read("rev-parse", "HEAD^{tree}").decode().strip()
    return TreeReader.open(Path("/nowhere"), 1_000, TreeStore(repository.git, "sha1"), tree)


def attempt(read: Callable[[str], object], path: str) -> object:
    try:
        return read(path)
    except (FileUnreadableError, UnsafePathError) as refused:
        return type(refused)


@pytest.mark.parametrize("path", PATHS)
def test_reader_answers_as_for_files_on_disk(folder: Path, reader: TreeReader, path: str) -> None:
    """The same content, the same kind of refusal, the same presence."""
    disk = FileReader(folder, 1_000)
    read_here, read_there = attempt(reader.read_bytes, path), attempt(disk.read_bytes, path)
    assert isinstance(read_here, bytes) == isinstance(read_there, bytes)
    assert read_here == read_there or path in {"loop", "nowhere", "a.txt/below"}
    assert reader.exists(path) == disk.exists(path)


def test_reader_knows_links_and_permissions(reader: TreeReader) -> None:
    """As the tree says."""
    assert [reader.is_linked(path) for path in ("a.txt", "near", "folder/b.txt", "far-out")] == [
        False,
        True,
        True,
        True,
    ]
    assert [reader.is_executable(path) for path in ("run.sh", "a.txt", "sub", "missing", "out")] == [True, *[False] * 4]


def test_reader_never_gives_a_place_on_disk(reader: TreeReader) -> None:
    """There is none, and the file of now must not be taken for it."""
    with pytest.raises(UnsafePathError, match="read from a commit"):
        reader.resolve("a.txt")


def test_reader_finds_blobs_by_path(folder: Path, reader: TreeReader) -> None:
    """The id under just this path; nothing for folders and what is missing."""
    assert reader.find_blob("sub/b.txt") == RepositoryBuilder(folder).head("HEAD:sub/b.txt")
    assert [reader.find_blob(path) for path in ("sub", "no/such", "a.txt/b")] == [None, None, None]
