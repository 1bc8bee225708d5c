from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path

import pytest

from handoff_tui.git.repository import WorkTree, open_repository, read_work_tree
from tests.support.repositories import RepositoryBuilder


def read(builder: RepositoryBuilder) -> WorkTree:
    return read_work_tree(open_repository(builder.folder))


def test_clean_work_tree_has_no_changes(builder: RepositoryBuilder) -> None:
    """What is committed and untouched is tracked and nothing else."""
    work_tree = read(builder.write("a.txt").write("b/c.txt").commit())
    assert (work_tree.facts.changed, work_tree.facts.untracked, work_tree.overlooked) == ((), (), ())
    assert work_tree.tracked == {"a.txt": builder.head("HEAD:a.txt"), "b/c.txt": builder.head("HEAD:b/c.txt")}


def test_staged_and_unstaged_changes_are_both_seen(builder: RepositoryBuilder) -> None:
    """A change counts whether it is staged, not staged, or both; each path once."""
    for name in ("both", "staged", "unstaged", "deleted", "kept"):
        builder.write(name)
    builder.commit().write("both", "1\n").write("staged", "1\n").step("add", "both", "staged")
    builder.write("both", "2\n").write("unstaged", "2\n").write("added").step("add", "added").write("new")
    (builder.folder / "deleted").unlink()
    facts = read(builder).facts
    assert facts.changed == ("added", "both", "deleted", "staged", "unstaged")
    assert facts.untracked == ("new",)


def test_renamed_file_counts_under_both_names(builder: RepositoryBuilder) -> None:
    """A rename is a change of the old path and of the new one, whatever rename settings say."""
    builder.write("old.txt", "some lines\nof text\n").commit().step("mv", "old.txt", "new.txt")
    assert read(builder).facts.changed == ("new.txt", "old.txt")
    assert read(builder.config("status.renames", "copies")).facts.changed == ("new.txt", "old.txt")


def test_copied_file_does_not_change_its_source(builder: RepositoryBuilder) -> None:
    """Where copies are looked for, the untouched source of a copy is no change."""
    content = "some lines\nof text\n" * 9
    builder.write("source.txt", content).commit().write("copy.txt", content).step("add", "--all")
    assert read(builder.config("status.renames", "copies")).facts.changed == ("copy.txt",)


def test_conflicted_merge_lists_its_paths(builder: RepositoryBuilder) -> None:
    """A path in conflict is a change, once, and its blob is ours."""
    builder.write("a.txt", "one\n").commit().step("checkout", "-q", "-b", "side").write("a.txt", "side\n").commit()
    builder.step("checkout", "-q", "main").write("a.txt", "main\n").commit()
    ours = builder.head("HEAD:a.txt")
    with pytest.raises(AssertionError, match="merge"):
        builder.git("merge", "side")
    work_tree = read(builder)
    assert work_tree.facts.changed == ("a.txt",)
    assert work_tree.tracked == {"a.txt": ours}


@pytest.mark.parametrize(
    "path",
    [
        b"with space.txt",
        b" leading and trailing ",
        b"new\nline.txt",
        b"tab\there",
        b'"quoted"',
        b"back\\slash",
        "grün ☃.txt".encode(),
        b"separator\xe2\x80\xa8.txt",
        b"not-utf-8-\xff\xfe.txt",
        b"1 not a line of status",
        b"folder/? x",
    ],
)
def test_paths_are_read_as_they_are(builder: RepositoryBuilder, path: bytes) -> None:
    """Tracked, changed or untracked: a path keeps its very bytes."""
    name = os.fsdecode(path)
    builder.write("keep").commit().write(path)
    assert read(builder).facts.untracked == (name,)
    work_tree = read(builder.commit().write(path, "changed\n"))
    assert work_tree.facts.changed == (name,)
    assert work_tree.tracked.keys() == {"keep", name}


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_overlooked_files_are_named(builder: RepositoryBuilder, flag: str) -> None:
    """A change that git was told not to see is not seen by git, so the path is named."""
    builder.write("hidden.txt").write("seen.txt").commit().step("update-index", flag, "hidden.txt")
    builder.write("hidden.txt", "changed\n").write("seen.txt", "changed\n")
    work_tree = read(builder)
    assert work_tree.facts.changed == ("seen.txt",)
    assert work_tree.overlooked == ("hidden.txt",)


def test_overlooked_submodule_is_named(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A submodule can be hidden the same way."""
    library = RepositoryBuilder.init(tmp_path / "library").write("lib.txt").commit("library")
    builder.submodule(library, "sub")
    work_tree = read(builder.step("update-index", "--assume-unchanged", "sub"))
    assert (work_tree.facts.submodules, work_tree.overlooked) == (("sub",), ("sub",))


def test_same_size_and_time_do_not_hide_a_change(builder: RepositoryBuilder) -> None:
    """A repository cannot tell git to trust size and modification time alone."""
    place = builder.write("a.txt", "old\n").folder / "a.txt"
    os.utime(place, (1_000_000_000, 1_000_000_000))
    builder.commit().config("core.checkStat", "minimal").config("core.trustctime", "false").write("a.txt", "new\n")
    os.utime(place, (1_000_000_000, 1_000_000_000))
    age_first_entry(builder.folder / ".git" / "index")
    assert read(builder).facts.changed == ("a.txt",)
    assert builder.git("status", "--porcelain") == ""


def age_first_entry(index: Path) -> None:
    """Lets the index remember an earlier ctime, as if the file had been committed long before it was changed."""
    content = bytearray(index.read_bytes()[:-20])
    struct.pack_into(">I", content, 12, 1_100_000_000)
    index.write_bytes(content + hashlib.sha1(content, usedforsecurity=False).digest())


def test_ignored_and_nested_untracked_files(builder: RepositoryBuilder) -> None:
    """Untracked files are listed one by one, ignored ones not, also where the repository asks for less."""
    builder.write(".gitignore", "*.log\n").commit().write("folder/a").write("folder/b").write("x.log")
    builder.config("status.showUntrackedFiles", "no")
    assert read(builder).facts.untracked == ("folder/a", "folder/b")


def test_upstream_is_counted_ahead_and_behind(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Commits on each side are counted, also where the repository would rather not."""
    builder.write("a.txt").commit("one").commit("two").push(tmp_path / "remote.git")
    facts = read(builder).facts
    assert (facts.upstream, facts.ahead, facts.behind) == ("origin/main", 0, 0)
    builder.step("reset", "--quiet", "--hard", "HEAD~1").commit("three").commit("four").config(
        "status.aheadBehind", "false"
    )
    facts = read(builder).facts
    assert (facts.ahead, facts.behind) == (2, 1)


def test_upstream_that_is_gone_is_named_without_counts(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """An upstream that no longer exists is still the upstream; nothing can be counted."""
    builder.write("a.txt").commit().push(tmp_path / "remote.git").step("update-ref", "-d", "refs/remotes/origin/main")
    facts = read(builder).facts
    assert (facts.upstream, facts.ahead, facts.behind) == ("origin/main", None, None)


def test_no_upstream_is_nothing(builder: RepositoryBuilder) -> None:
    """A branch that tracks nothing has no upstream and no counts."""
    facts = read(builder.commit()).facts
    assert (facts.upstream, facts.ahead, facts.behind) == (None, None, None)
