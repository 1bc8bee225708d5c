"""The tree of the work tree beside what plain git would commit, and the repository beside what it was."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from handoff_tui.core.errors import CaptureError, ObjectMissingError, TreeMovedError
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree import capture as work_tree_module
from handoff_tui.git.work_tree.capture import CapturedTree, offer_objects, write_work_tree
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import HostileRepository
from tests.support.repositories import RepositoryBuilder, build_git_environment


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def capture(builder: RepositoryBuilder, cache: Path) -> CapturedTree:
    """Captures twice, and once more without any cache: all three agree, and the repository stays as it is."""
    before = read_fingerprint(builder.folder)
    first = write_work_tree(open_repository(builder.folder), cache)
    again = write_work_tree(open_repository(builder.folder), cache)
    fresh = write_work_tree(open_repository(builder.folder), cache.with_name(f"{cache.name}-fresh"))
    shutil.rmtree(cache.with_name(f"{cache.name}-fresh"))
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []
    assert first == again
    assert first._replace(objects=fresh.objects) == fresh
    return first


def commit_elsewhere(builder: RepositoryBuilder, folder: Path) -> str:
    """The tree that plain git makes of everything that is there, in a copy of the repository."""
    shutil.copytree(builder.folder, folder, symlinks=True)
    other = RepositoryBuilder(folder)
    other.git("add", "--all")
    other.git("rm", "-r", "-f", "--quiet", "--cached", "--ignore-unmatch", ".handoff-tui/")
    return other.git("write-tree")


def list_paths(builder: RepositoryBuilder, cache: Path, tree: str) -> list[str]:
    repository = open_repository(builder.folder)
    listing = repository.git.read("ls-tree", "-r", "-z", "--name-only", tree, extra=offer_objects(repository, cache))
    return os.fsdecode(listing).split("\0")[:-1]


def read_content(builder: RepositoryBuilder, cache: Path, tree: str, path: str) -> bytes:
    repository = open_repository(builder.folder)
    return repository.git.read("cat-file", "blob", f"{tree}:{path}", extra=offer_objects(repository, cache))


def test_staged_modified_deleted_and_untracked_files_are_in_the_tree(
    builder: RepositoryBuilder, cache: Path, tmp_path: Path
) -> None:
    """As plain git would commit it, ignored files left out, and every content can be read."""
    for name in ("both", "staged", "unstaged", "deleted", "kept", "mode"):
        builder.write(name)
    builder.write(".gitignore", "*.log\nbuild/\n").commit().write("both", "1\n").write("staged", "1\n")
    builder.step("add", "both", "staged").write("both", "2\n").write("unstaged", "2\n").write("new/deep/file", "new\n")
    builder.write("a.log").write("build/x").link("link", "kept")
    (builder.folder / "deleted").unlink()
    (builder.folder / "mode").chmod(0o755)
    captured = capture(builder, cache)
    assert captured.tree == commit_elsewhere(builder, tmp_path / "copy")
    assert captured.ignored == ("a.log", "build/")
    assert read_content(builder, cache, captured.tree, "both") == b"2\n"
    assert read_content(builder, cache, captured.tree, "new/deep/file") == b"new\n"
    assert read_content(builder, cache, captured.tree, "link") == b"kept"


def test_each_change_gives_another_tree_and_going_back_gives_the_old_one(
    builder: RepositoryBuilder, cache: Path, tmp_path: Path
) -> None:
    """The private index is used again and again, and the tree is always that of the files."""
    builder.write("a", "one\n").write("dir/b", "two\n").commit()
    first = capture(builder, cache).tree
    builder.write("a", "uno\n").write("dir/c")
    second = capture(builder, cache).tree
    assert second == commit_elsewhere(builder, tmp_path / "second")
    (builder.folder / "dir" / "c").unlink()
    builder.write("a", "one\n")
    assert capture(builder, cache).tree == first
    (builder.folder / "dir" / "b").unlink()
    assert capture(builder, cache).tree == commit_elsewhere(builder, tmp_path / "third")
    builder.write("dir/b", "two\n")
    assert capture(builder, cache).tree == first != second


def test_own_folder_is_no_part_of_the_tree(builder: RepositoryBuilder, cache: Path) -> None:
    """Committed, changed, new or in conflict: what we write in `.handoff-tui/` changes nothing."""
    builder.write("a").commit()
    plain = capture(builder, cache).tree
    builder.write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", "1\n").commit().write(
        f".handoff-tui/log/bb/{'b' * 64}.intoto.jsonl"
    ).write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", "2\n")
    captured = capture(builder, cache)
    assert captured.tree == captured.head_tree == plain
    assert build_commit_tree(open_repository(builder.folder), "HEAD", cache) == plain
    assert builder.head("HEAD^{tree}") != plain
    builder.write("b")
    assert list_paths(builder, cache, capture(builder, cache).tree) == ["a", "b"]


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_overlooked_file_is_looked_at(builder: RepositoryBuilder, cache: Path, flag: str, tmp_path: Path) -> None:
    """A change that git was told not to see is in the tree; a deletion too."""
    builder.write("a", "one\n").write("b").write("c").commit().step("update-index", flag, "a", "b")
    builder.write("a", "changed\n")
    (builder.folder / "b").unlink()
    captured = capture(builder, cache)
    assert read_content(builder, cache, captured.tree, "a") == b"changed\n"
    assert list_paths(builder, cache, captured.tree) == ["a", "c"]


def test_sparse_checkout_keeps_what_it_leaves_out(builder: RepositoryBuilder, cache: Path) -> None:
    """Absent files stay in the tree; one that is there all the same counts as it is."""
    builder.write("in/a").write("out/b").write("out/c").commit()
    builder.step("sparse-checkout", "set", "in")
    assert not (builder.folder / "out").exists()
    assert capture(builder, cache).tree == builder.head("HEAD^{tree}")
    builder.write("out/b", "changed\n").write("out/new")
    captured = capture(builder, cache)
    assert list_paths(builder, cache, captured.tree) == ["in/a", "out/b", "out/c", "out/new"]
    assert read_content(builder, cache, captured.tree, "out/b") == b"changed\n"


def test_sparse_index_is_read_whole(builder: RepositoryBuilder, cache: Path) -> None:
    """An index whose left-out folders are one entry each gives the same tree."""
    builder.write("in/a").write("out/b").write("out/c").commit()
    builder.step("sparse-checkout", "set", "--cone", "--sparse-index", "in").write("in/new")
    captured = capture(builder, cache)
    assert list_paths(builder, cache, captured.tree) == ["in/a", "in/new", "out/b", "out/c"]


def test_split_index_is_not_touched(builder: RepositoryBuilder, cache: Path, tmp_path: Path) -> None:
    """The shared part is neither marked as used nor written."""
    builder.write("a").write("b").commit().config("core.splitIndex", "true").step("update-index", "--split-index")
    builder.write("a", "changed\n").step("add", "a").write("c")
    assert list(builder.place(".git").glob("sharedindex.*"))
    captured = capture(builder, cache)
    assert captured.tree == commit_elsewhere(builder, tmp_path / "copy")


def test_intent_to_add_counts_as_the_file(builder: RepositoryBuilder, cache: Path) -> None:
    """A file that was only announced to git is in the tree with its content; when it is gone, it is not."""
    builder.write("a").commit().write("b", "soon\n").step("add", "--intent-to-add", "b")
    assert read_content(builder, cache, capture(builder, cache).tree, "b") == b"soon\n"
    (builder.folder / "b").unlink()
    assert list_paths(builder, cache, capture(builder, cache).tree) == ["a"]


def test_conflict_is_captured_as_it_lies_there(builder: RepositoryBuilder, cache: Path) -> None:
    """Files in conflict count with their marks; one that was deleted does not; ours does not stand in the way."""
    builder.write("a", "base\n").write("b", "base\n").write(".handoff-tui/trust/policy.toml", "base\n").commit()
    builder.step("checkout", "--quiet", "-b", "other")
    builder.write("a", "theirs\n").write("b", "theirs\n").write(".handoff-tui/trust/policy.toml", "theirs\n").commit()
    builder.step("checkout", "--quiet", "main")
    builder.write("a", "ours\n").write("b", "ours\n").write(".handoff-tui/trust/policy.toml", "ours\n").commit()
    with pytest.raises(AssertionError, match="merge"):
        builder.git("merge", "other")
    (builder.folder / "b").unlink()
    captured = capture(builder, cache)
    assert list_paths(builder, cache, captured.tree) == ["a"]
    assert b"<<<<<<<" in read_content(builder, cache, captured.tree, "a")


def test_submodule_counts_as_the_commit_that_is_checked_out(
    builder: RepositoryBuilder, cache: Path, tmp_path: Path
) -> None:
    """A new commit in it changes the tree; a change inside it does not, and nothing of it is run."""
    library = RepositoryBuilder.init(tmp_path / "library").write("x").commit()
    builder.write("a").commit()
    inner = builder.submodule(library, "lib")
    canary = tmp_path / "canary"
    inner.config("core.fsmonitor", f"touch {canary}; false").write("x", "dirty\n")
    assert capture(builder, cache).tree == builder.head("HEAD^{tree}")
    inner.git("-c", "core.fsmonitor=false", "commit", "--quiet", "--all", "-m", "inside")
    canary.unlink(missing_ok=True)
    captured = capture(builder, cache)
    assert not canary.exists()
    entry = open_repository(builder.folder).git.read(
        "ls-tree", captured.tree, "lib", extra=offer_objects(open_repository(builder.folder), cache)
    )
    assert entry.split()[2].decode() == inner.git("-c", "core.fsmonitor=false", "rev-parse", "HEAD")


def test_ignored_submodule_is_not_overlooked(builder: RepositoryBuilder, cache: Path, tmp_path: Path) -> None:
    """`ignore = all` in .gitmodules hides nothing."""
    library = RepositoryBuilder.init(tmp_path / "library").write("x").commit()
    inner = builder.submodule(library, "lib")
    builder.step("config", "-f", ".gitmodules", "submodule.lib.ignore", "all").commit()
    inner.write("y").commit()
    assert capture(builder, cache).tree != builder.head("HEAD^{tree}")


def test_nested_repository_counts_as_its_commit(builder: RepositoryBuilder, cache: Path) -> None:
    """A repository in the work tree is one entry; one without a commit is named as left out, until it has one."""
    builder.write("a").commit()
    nested = RepositoryBuilder.init(builder.folder / "nested").write("x")
    captured = capture(builder, cache)
    assert captured.tree == builder.head("HEAD^{tree}")
    assert [left.path for left in captured.left_out] == ["nested"]
    nested.commit()
    captured = capture(builder, cache)
    assert captured.left_out == ()
    assert list_paths(builder, cache, captured.tree) == ["a", "nested"]


def test_file_and_folder_may_change_places(builder: RepositoryBuilder, cache: Path, tmp_path: Path) -> None:
    """A file becomes a folder, a folder a file, and a folder a link to a folder with the same files."""
    builder.write("file").write("folder/x").write("linked/x", "same\n").write("target/x", "same\n").commit()
    capture(builder, cache)
    (builder.folder / "file").unlink()
    builder.write("file/inside")
    shutil.rmtree(builder.folder / "folder")
    builder.write("folder")
    shutil.rmtree(builder.folder / "linked")
    builder.link("linked", "target")
    captured = capture(builder, cache)
    assert captured.tree == commit_elsewhere(builder, tmp_path / "copy")
    assert list_paths(builder, cache, captured.tree) == ["file/inside", "folder", "linked", "target/x"]


def test_file_may_become_a_repository(builder: RepositoryBuilder, cache: Path) -> None:
    """A tracked file, and a tracked folder, in whose place there is now a repository with a commit."""
    builder.write("file").write("folder/x").write("kept").commit()
    (builder.folder / "file").unlink()
    RepositoryBuilder.init(builder.folder / "file").write("x").commit()
    RepositoryBuilder.init(builder.folder / "folder").write("y").commit()
    captured = capture(builder, cache)
    assert "file" in list_paths(builder, cache, captured.tree)
    assert captured.left_out == ()


def test_pipes_and_sockets_are_left_out(
    builder: RepositoryBuilder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not opened; where one stands in the place of a tracked file, that is said."""
    builder.write("a").write("b").write("c").commit()
    for name in ("a", "b"):
        (builder.folder / name).unlink()
    os.mkfifo(builder.folder / "a")
    os.mkfifo(builder.folder / "untracked-pipe")
    monkeypatch.chdir(builder.folder)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("b")
    captured = write_work_tree(open_repository(builder.folder), cache)
    assert captured == write_work_tree(open_repository(builder.folder), cache)
    assert list_paths(builder, cache, captured.tree) == ["c"]
    assert [(left.path, left.reason.split(",")[0]) for left in captured.left_out] == [
        ("a", "is a named pipe"),
        ("b", "is a socket"),
    ]


def test_name_that_git_refuses_is_left_out(builder: RepositoryBuilder, cache: Path) -> None:
    """Such a file can be in no tree; it is named instead of passed over."""
    captured = capture(builder.write("a").commit().write("git~1", "x\n"), cache)
    assert captured.tree == builder.head("HEAD^{tree}")
    assert [left.path for left in captured.left_out] == ["git~1"]


@pytest.mark.parametrize("path", [b"\xff\xfe name", b"new\nline", b'"quoted"', b" space ", b"tab\t", "ä/ü".encode()])
def test_odd_names_are_captured(builder: RepositoryBuilder, cache: Path, path: bytes, tmp_path: Path) -> None:
    """Names that are not UTF-8, or have line ends and quotes in them, are in the tree as they are."""
    captured = capture(builder.write("a").commit().write(path, "odd\n").link(os.fsdecode(path) + "-link", "a"), cache)
    assert captured.tree == commit_elsewhere(builder, tmp_path / "copy")
    assert read_content(builder, cache, captured.tree, os.fsdecode(path)) == b"odd\n" or b"\n" in path


@pytest.mark.parametrize("attributes", ["* text=auto\n", "*.txt eol=crlf\n", "*.txt ident\n", ""])
@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_line_ends_are_converted_as_git_does(
    builder: RepositoryBuilder, cache: Path, tmp_path: Path, attributes: str, autocrlf: str
) -> None:
    """Also for a file that was committed with CRLF, which git leaves alone, and with warnings turned into errors."""
    builder.write("kept.txt", "one\r\ntwo\r\n").commit().config("core.autocrlf", autocrlf)
    builder.config("core.safecrlf", "false").write(".gitattributes", attributes)
    builder.write("kept.txt", "one\r\ntwo\r\nthree\r\n").write("new.txt", "$Id: x $\r\nmixed\n")
    expected = commit_elsewhere(builder, tmp_path / "copy")
    assert capture(builder.config("core.safecrlf", "true"), cache).tree == expected


def test_sha256_repository_is_captured(tmp_path: Path, cache: Path) -> None:
    """Ids are as long as the repository's."""
    builder = RepositoryBuilder.init(tmp_path / "repository", "--object-format=sha256").write("a").write("b").commit()
    (builder.folder / "b").unlink()
    captured = capture(builder.write("c"), cache)
    assert len(captured.tree) == 64
    assert captured.tree == commit_elsewhere(builder, tmp_path / "copy")


def test_linked_worktree_has_its_own_index(builder: RepositoryBuilder, cache: Path, tmp_path: Path) -> None:
    """The files of the worktree count, not those of the main one; nothing is written to either."""
    builder.write("a").commit()
    linked = builder.worktree(tmp_path / "linked", "side").write("b")
    before = read_fingerprint(builder.folder)
    captured = capture(linked, cache)
    assert list_paths(linked, cache, captured.tree) == ["a", "b"]
    assert captured.branch == "side"
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_repository_without_a_commit_is_captured(builder: RepositoryBuilder, cache: Path, tmp_path: Path) -> None:
    """Nothing at all is the empty tree; there is no tree of HEAD."""
    captured = capture(builder, cache)
    assert (captured.tree, captured.head_tree, captured.commit) == (
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        None,
        None,
    )
    captured = capture(builder.write("a").write("b").step("add", "a"), cache)
    assert captured.tree == commit_elsewhere(builder, tmp_path / "copy")


def test_path_of_the_repository_may_hold_a_colon(tmp_path: Path, cache: Path) -> None:
    """The list of object folders is parted by colons; one in the path is not taken for that."""
    builder = RepositoryBuilder.init(tmp_path / 'a:b "c"').write("a").commit().write("b")
    assert list_paths(builder, cache, capture(builder, cache).tree) == ["a", "b"]


def test_cache_inside_the_work_tree_is_no_change(builder: RepositoryBuilder) -> None:
    """Where the repository is the user's home, our own files there count for nothing."""
    builder.write("a").commit()
    cache = builder.folder / ".cache" / "ours"
    first = write_work_tree(open_repository(builder.folder), cache)
    assert first == write_work_tree(open_repository(builder.folder), cache)
    assert first.tree == builder.head("HEAD^{tree}")


def test_file_that_becomes_ignored_leaves_the_tree(builder: RepositoryBuilder, cache: Path) -> None:
    """The private index remembers what was untracked; it is not taken for tracked."""
    builder.write("a").commit().write("notes.tmp")
    assert list_paths(builder, cache, capture(builder, cache).tree) == ["a", "notes.tmp"]
    builder.place(".git/info").mkdir(exist_ok=True)
    builder.write(".git/info/exclude", "*.tmp\n")
    assert list_paths(builder, cache, capture(builder, cache).tree) == ["a"]


def test_tracked_file_that_is_ignored_comes_back(builder: RepositoryBuilder, cache: Path) -> None:
    """Deleted, captured, and written again: it is tracked still."""
    builder.write("a.log", "1\n").write("b").commit().write(".gitignore", "*.log\n")
    (builder.folder / "a.log").unlink()
    assert list_paths(builder, cache, capture(builder, cache).tree) == [".gitignore", "b"]
    builder.write("a.log", "2\n")
    assert list_paths(builder, cache, capture(builder, cache).tree) == [".gitignore", "a.log", "b"]


@pytest.mark.parametrize("damage", [b"", b"no index", None])
def test_damaged_cache_is_made_anew(builder: RepositoryBuilder, cache: Path, damage: bytes | None) -> None:
    """A cache may be deleted or broken at any time; that costs time and nothing else."""
    builder.write("a").commit().write("b")
    expected = capture(builder, cache)
    index = cache / "work-tree" / "index"
    if damage is None:
        index.unlink()
    else:
        index.write_bytes(damage)
    (cache / "work-tree" / "index.lock").touch()
    assert capture(builder, cache) == expected


def test_killed_capture_leaves_no_wrong_notes(
    builder: RepositoryBuilder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is ended after the private index was changed does not make the next one believe the old tree."""
    builder.write("a").commit()
    capture(builder, cache)
    builder.write("a", "changed\n")

    def end(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(work_tree_module, "write_contents", end)
        with pytest.raises(KeyboardInterrupt):
            write_work_tree(open_repository(builder.folder), cache)
    assert read_content(builder, cache, capture(builder, cache).tree, "a") == b"changed\n"


def make_restless(builder: RepositoryBuilder, times: int) -> Callable[..., GitAnswer]:
    """A `Git.run` that writes to a file of the work tree after each change of the index, some number of times."""
    run, left = Git.run, [times]

    def run_and_write(
        git: Git, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None
    ) -> GitAnswer:
        answer = run(git, *arguments, stdin=stdin, extra=extra)
        if arguments[0] == "update-index" and left[0]:
            left[0] -= 1
            builder.write("a", f"moving {left[0]}\n" * (left[0] + 2))
        return answer

    return run_and_write


def test_tree_that_moves_once_is_captured_on_the_second_try(
    builder: RepositoryBuilder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write between looking and adding is noticed, and the tree is that of the files afterwards."""
    builder.write("a").commit().write("a", "changed\n")
    monkeypatch.setattr(Git, "run", make_restless(builder, 1))
    captured = write_work_tree(open_repository(builder.folder), cache)
    assert read_content(builder, cache, captured.tree, "a") == builder.place("a").read_bytes()


def test_tree_that_keeps_moving_is_an_error(
    builder: RepositoryBuilder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one retry it is said, with the path."""
    builder.write("a").commit().write("a", "changed\n")
    monkeypatch.setattr(Git, "run", make_restless(builder, 10))
    with pytest.raises(TreeMovedError, match="kept changing while it was captured: a") as caught:
        write_work_tree(open_repository(builder.folder), cache)
    assert "Wait" in caught.value.hint


def test_commit_that_is_gone_is_an_error(builder: RepositoryBuilder, cache: Path) -> None:
    """A baseline's commit can be missing in a shallow clone or after a gc."""
    builder.write("a").commit()
    with pytest.raises(ObjectMissingError, match="0123456"):
        build_commit_tree(open_repository(builder.folder), "0123456789" * 4, cache)


def test_cache_that_cannot_be_written_is_an_error(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A file in the place of the cache folder: the message names it."""
    (tmp_path / "file").touch()
    with pytest.raises(CaptureError, match="file") as caught:
        write_work_tree(open_repository(builder.write("a").commit().folder), tmp_path / "file" / "cache")
    assert "XDG_CACHE_HOME" in caught.value.hint


def test_hostile_repository_is_captured_without_running_anything(
    hostile_repository: HostileRepository, tmp_path: Path
) -> None:
    """No filter, hook, monitor or driver of the repository runs, and it stays as it is."""
    hostile_repository.builder.write("plain.txt", "changed\n").write("new.txt")
    before = read_fingerprint(hostile_repository.folder)
    repository = open_repository(hostile_repository.folder)
    captured = write_work_tree(repository, tmp_path / "cache")
    assert captured == write_work_tree(repository, tmp_path / "cache")
    build_commit_tree(repository, "HEAD", tmp_path / "cache")
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []


_AS_NOBODY = """
import os, sys, tempfile
from pathlib import Path
from handoff_tui.core.errors import CaptureError
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import write_work_tree
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    write_work_tree(open_repository(Path(sys.argv[1])), Path(sys.argv[2]))
except CaptureError as refused:
    print(refused.message)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become a user who may not read everything")
@pytest.mark.parametrize("path", ["tracked", "untracked", "folder", "closed/file"])
def test_unreadable_path_is_named(path: str) -> None:
    """Nothing is passed over in silence: a file or folder that may not be read ends the capture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = RepositoryBuilder.init(folder / "repository").write("tracked").write("closed/file").commit()
        builder.write("untracked").write("folder/inside").write("tracked", "changed\n")
        for place in (folder, *folder.rglob("*")):
            os.chown(place, 65534, 65534, follow_symlinks=False)
        builder.place(path.partition("/")[0]).chmod(0)
        environment = build_git_environment() | {"HOME": name}
        command = [sys.executable, "-c", _AS_NOBODY, str(builder.folder), str(folder / "cache")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        builder.place(path.partition("/")[0]).chmod(0o755)
    assert done.stderr == ""
    assert done.stdout.startswith(f"{path} may not be read")
