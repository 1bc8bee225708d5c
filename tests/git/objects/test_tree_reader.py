from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, ObjectMissingError, UnsafePathError
from handoff_tui.git.objects import tree_reader as tree_store
from handoff_tui.git.objects.tree_reader import TreeReader, TreeStore
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import build_commit_tree
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


@pytest.fixture
def store(builder: RepositoryBuilder) -> TreeStore:
    builder.write("a.txt", "one\n").write("sub/b.txt", "two\n").write("sub/deep/c.txt", "three\n").commit()
    return TreeStore(open_repository(builder.folder).git, "sha1")


def find_tree(builder: RepositoryBuilder, name: str = "HEAD") -> str:
    return builder.head(f"{name}^{{tree}}")


def test_store_tells_submodules_from_files(builder: RepositoryBuilder, store: TreeStore, tmp_path: Path) -> None:
    """A submodule is no file."""
    inner = RepositoryBuilder.init(tmp_path / "inner").write("x").commit()
    builder.submodule(inner, "sub/module")
    listing = store.list_files(find_tree(builder))
    assert listing.submodules == ("sub/module",)
    assert "sub/module" not in listing.files


def test_store_gives_contents_and_refuses_large_ones(builder: RepositoryBuilder, store: TreeStore) -> None:
    """The size counts, also where the content is known already."""
    blob = builder.head("HEAD:sub/deep/c.txt")
    with pytest.raises(FileUnreadableError, match="too large: 6 bytes"):
        store.read_content("sub/deep/c.txt", blob, 5)
    assert store.read_content("sub/deep/c.txt", blob, 6) == b"three\n"
    with pytest.raises(FileUnreadableError, match="too large"):
        store.read_content("sub/deep/c.txt", blob, 5)


def test_store_says_what_is_missing(store: TreeStore) -> None:
    """A content or folder that is not in this clone is an error, not an empty one."""
    with pytest.raises(ObjectMissingError, match=r"of a\.txt is not in this repository"):
        store.read_content("a.txt", "1" * 40, 100)
    with pytest.raises(ObjectMissingError, match="the tree 2222"):
        store.list_files("2" * 40)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_store_knows_the_tree_that_the_log_binds_to(tmp_path: Path, object_format: str) -> None:
    """The id without our own folder is the one that is computed by writing it."""
    builder = RepositoryBuilder.init(tmp_path / "repository", f"--object-format={object_format}")
    builder.write("a").write("z/b").commit().write(".handoff-tui/log/x").commit()
    repository = open_repository(builder.folder)
    store = TreeStore(repository.git, object_format)
    for name in ("HEAD", "HEAD~1"):
        written = build_commit_tree(repository, builder.head(name), tmp_path / "cache")
        assert store.build_work_tree(find_tree(builder, name)) == written


def test_store_keeps_no_more_than_it_may(
    builder: RepositoryBuilder, store: TreeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was let go is read again, with the same answer."""
    monkeypatch.setattr(tree_store, "_MOST_KEPT_NAMES", 3)
    monkeypatch.setattr(tree_store, "_MOST_KEPT_BYTES", 5)
    expected = store.list_files(find_tree(builder))
    for number in range(4):
        builder.write("sub/b.txt", str(number)).commit()
        assert store.list_files(find_tree(builder)) == expected
        assert store.read_content("b", builder.head("HEAD:sub/b.txt"), 9) == str(number).encode()
        assert store.read_content("a", builder.head("HEAD:a.txt"), 9) == b"one\n"
    assert (len(store._listings), store._kept_names <= 4, store._kept_bytes <= 5) == (1, True, True)
