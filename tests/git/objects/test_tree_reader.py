"""Trees: their files read, and two of them compared."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, ObjectMissingError, UnsafePathError
from handoff_tui.git.command import Git
from handoff_tui.git.file_diff import FileChange, LineCounts
from handoff_tui.git.objects import tree_diff
from handoff_tui.git.objects import tree_reader as tree_store
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.git.objects.tree_diff import count_lines, list_changes, parse_raw, read_patch, read_tree_changes
from handoff_tui.git.objects.tree_reader import TreeReader, TreeStore
from handoff_tui.git.repository import open_repository
from handoff_tui.system.files.reader import FileReader
from tests.support.repositories import RepositoryBuilder, build_git_environment

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
    """A submodule isn't a file."""
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


ODD_NAMES: list[str | bytes] = [
    " lead ing ",
    'quo"te',
    "new\nline",
    "tab\tbed",
    "back\\slash",
    "ünï",
    b"caf\xe9",
    ":colon",
    "-dash",
    "\x1b[31m",
]
LINES = "".join(f"line {number}\n" for number in range(40))


def git_of(builder: RepositoryBuilder) -> Git:
    return open_repository(builder.folder).git


def trees_of(builder: RepositoryBuilder) -> tuple[str, str]:
    return builder.head("HEAD~1^{tree}"), builder.head("HEAD^{tree}")


def changes_of(builder: RepositoryBuilder) -> dict[str, FileChange]:
    return {change.path: change for change in list_changes(git_of(builder), *trees_of(builder))}


def apply_patch(builder: RepositoryBuilder, old: str, patch: bytes, folder: Path) -> str:
    """The tree that plain `git apply` makes of an old tree."""
    environment = build_git_environment() | {"GIT_INDEX_FILE": str(folder / "index")}
    run_git(builder, ("read-tree", old), environment)
    run_git(builder, ("apply", "--cached", "--whitespace=nowarn", "-"), environment, patch)
    return run_git(builder, ("write-tree",), environment)


def run_git(
    builder: RepositoryBuilder, arguments: tuple[str, ...], environment: dict[str, str], stdin: bytes = b""
) -> str:
    done = subprocess.run(
        ["git", "-C", str(builder.folder), *arguments], input=stdin, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def build_everything(builder: RepositoryBuilder, source: RepositoryBuilder) -> RepositoryBuilder:
    """Two commits with each kind of change between them."""
    source.write("a").commit()
    builder.write("kept", "same\n").write("modified", LINES).write("deleted", "gone\n").write("old/name", LINES)
    builder.write("script", "#!/bin/sh\n").write("binary", b"\0" * 100).write("typed").link("link", "kept").write(
        "empty", ""
    )
    builder.submodule(source, "module")
    builder.write("modified", LINES + "more").write("added", "no newline").write("crlf", "a\r\nb\r\n").write(
        "empty", "\n"
    )
    builder.write("new/name", LINES + "x\n").write("binary", b"\1\0\2" * 50).write("zero", "")
    for name in ("deleted", "old/name", "typed", "link"):
        builder.place(name).unlink()
    builder.link("typed", "kept").link("link", "elsewhere")
    builder.place("script").chmod(0o755)
    for odd_name in ODD_NAMES:
        builder.write(odd_name)
    source.write("b").commit()
    RepositoryBuilder(builder.folder / "module").git("pull", "--quiet", str(source.folder), "main")
    return builder.commit()


def test_each_kind_of_change_is_listed(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Added, modified, deleted, renamed, mode, type, link, submodule, and names of any bytes."""
    changes = changes_of(build_everything(builder, RepositoryBuilder.init(tmp_path / "source")))
    assert {path: changes[path].status for path in ("added", "modified", "deleted", "typed", "link", "module")} == {
        "added": "A",
        "modified": "M",
        "deleted": "D",
        "typed": "T",
        "link": "M",
        "module": "M",
    }
    renamed = changes["new/name"]
    assert (renamed.status, renamed.old_path) == ("R", "old/name")
    assert renamed.similarity is not None
    assert 90 <= renamed.similarity < 100
    assert (changes["script"].mode_changed, changes["script"].new_mode) == (True, "100755")
    assert (changes["link"].new_mode, changes["module"].new_mode) == ("120000", "160000")
    assert {os.fsdecode(name) for name in ODD_NAMES} <= set(changes)
    assert "kept" not in changes


def test_patch_makes_the_new_tree_of_the_old_one(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Plain git applies it, and the tree id is that of the new tree; backwards too."""
    build_everything(builder, RepositoryBuilder.init(tmp_path / "source"))
    old, new = trees_of(builder)
    for one, other in ((old, new), (new, old)):
        assert apply_patch(builder, one, b"".join(read_patch(git_of(builder), one, other)), tmp_path) == other


@pytest.mark.parametrize("attributes", ["*.py -diff", "*.py binary", "*.py diff=planted", "* linguist-generated -text"])
@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes", "user"])
def test_attributes_hide_nothing(
    builder: RepositoryBuilder, attributes: str, place: str, isolated_user: Path, tmp_path: Path
) -> None:
    """Whatever attributes say, in the tree, in .git or of the user: counts and patch are those of the content."""
    builder.config("diff.planted.binary", "true").config("diff.planted.textconv", "true")
    builder.write("a.py", "one\n").commit().write("a.py", "two\n").commit()
    target = isolated_user / "config" / "git" / "attributes" if place == "user" else builder.folder / place
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(attributes + "\n")
    git, trees = git_of(builder), trees_of(builder)
    assert count_lines(git, *trees) == {"a.py": LineCounts(1, 1)}
    assert b"\n-one\n+two\n" in b"".join(read_patch(git, *trees))


@pytest.mark.parametrize("place", [".gitmodules", ".git/config"])
def test_submodule_settings_hide_nothing(builder: RepositoryBuilder, tmp_path: Path, place: str) -> None:
    """A submodule that is to be ignored is listed all the same."""
    build_everything(builder, RepositoryBuilder.init(tmp_path / "source"))
    builder.git("config", "--file", str(builder.folder / place), "submodule.module.ignore", "all")
    builder.config("diff.ignoreSubmodules", "all")
    assert "module" in changes_of(builder)
    assert b"Subproject commit" in b"".join(read_patch(git_of(builder), *trees_of(builder)))


def test_rename_limit_is_stated(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """When there are too many files to look for renames, the list says so and misses none of the files."""
    monkeypatch.setattr(tree_diff, "_RENAMES", ("--find-renames", "-l2"))
    for number in range(5):
        builder.write(f"old/{number}", f"{number}\n{LINES}")
    builder.commit()
    for number in range(5):
        builder.place(f"old/{number}").unlink()
        builder.write(f"new/moved-{number}", f"{number}\n{LINES}more\n")
    found = read_tree_changes(git_of(builder.commit()), *trees_of(builder))
    assert found.note is not None
    assert "renames" in found.note
    assert sorted(change.status for change in found.changes) == ["A"] * 5 + ["D"] * 5


def test_missing_tree_is_named(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """In a shallow clone the old tree is gone: the error names it and says how it may come back."""
    builder.write("a", "1\n").commit().write("a", "2\n").commit()
    old, new = trees_of(builder)
    git = git_of(builder.clone_shallow(tmp_path / "shallow"))
    for call in (list_changes, count_lines):
        with pytest.raises(ObjectMissingError, match=f"the old tree {old}") as caught:
            call(git, old, new)
        assert "unshallow" in caught.value.hint
    with pytest.raises(ObjectMissingError, match=old):
        list(read_patch(git, old, new))


def test_missing_blob_does_not_prevent_the_list(builder: RepositoryBuilder) -> None:
    """A list needs no contents: it comes without renames and says so; what needs the content names it."""
    builder.write("a", LINES).commit().write("b", LINES + "x\n")
    builder.place("a").unlink()
    gone = builder.commit().head("HEAD:b")
    (builder.folder / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    found = read_tree_changes(git_of(builder), *trees_of(builder))
    assert [(change.status, change.path) for change in found.changes] == [("D", "a"), ("A", "b")]
    assert found.note is not None
    with pytest.raises(ObjectMissingError, match=gone):
        count_lines(git_of(builder), *trees_of(builder))


def test_raw_output_is_parsed_as_far_as_it_is_whole() -> None:
    """Renames have two paths; what was cut off is left out."""
    head = f":100644 100755 {'a' * 40} {'b' * 40}"
    whole = f"{head} M\0:odd name\0{head} R096\0old\0new\0"
    modified, renamed = parse_raw(whole.encode())
    assert (modified.path, modified.similarity, modified.mode_changed) == (":odd name", None, True)
    assert (renamed.old_path, renamed.path, renamed.similarity) == ("old", "new", 96)
    assert parse_raw(f"{whole}{head} R096\0old".encode()) == [modified, renamed]
    assert parse_raw(b"") == []


def test_patch_of_some_changes_makes_only_these(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A rename stays one, odd names are taken as they are, and as many paths as there are go through."""
    for name in (*ODD_NAMES, "*.py", "left.txt", "gone/old.txt"):
        builder.write(name, LINES)
    builder.commit()
    for name in (*ODD_NAMES, "*.py", "left.txt"):
        builder.write(name, LINES + "more\n")
    builder.step("mv", "gone/old.txt", "new.txt").commit()
    old, new = trees_of(builder)
    git = git_of(builder)
    some = [change for change in list_changes(git, old, new) if change.path != "left.txt"]
    patch = b"".join(read_patch(git, old, new, only=some))
    assert b"rename from gone/old.txt" in patch
    made = apply_patch(builder, old, patch, tmp_path)
    assert [change.path for change in list_changes(git, made, new)] == ["left.txt"]
    assert list(read_patch(git, old, new, only=[])) == []


def test_patch_is_split_where_there_are_many_paths(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pieces together are the same patch."""
    monkeypatch.setattr(tree_diff, "_PATHS_OF_A_CALL", 2)
    for number in range(5):
        builder.write(f"{number}.txt", LINES)
    builder.commit()
    for number in range(5):
        builder.write(f"{number}.txt", f"{LINES}{number}\n")
    old, new = trees_of(builder.commit())
    git = git_of(builder)
    only = list_changes(git, old, new)
    assert b"".join(read_patch(git, old, new, only=only)) == b"".join(read_patch(git, old, new))
