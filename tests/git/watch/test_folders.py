from __future__ import annotations

import os
from pathlib import Path

from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository
from handoff_tui.git.watch.folders import (
    build_ancestors,
    keep_folders_below,
    read_git_folders,
    read_named_folders,
    read_tracked_folders,
    read_unknown_folders,
    read_work_folders,
    walk_folders,
)
from tests.support.repositories import RepositoryBuilder


def read(builder: RepositoryBuilder, *named: str) -> frozenset[str]:
    repository = open_repository(builder.folder)
    tracked, unknown = read_tracked_folders(repository.git), read_unknown_folders(repository.git)
    walk = read_work_folders(repository.root, repository.git, tracked, unknown, named)
    assert walk.complete
    return walk.folders


def test_ancestors_include_the_root() -> None:
    """Every folder on the way is watched, or a rename above would go unseen."""
    assert build_ancestors(["a/b/c", "a/d", ""]) == {"", "a", "a/b", "a/b/c", "a/d"}


def test_tracked_unknown_and_empty_folders_are_watched_and_ignored_ones_are_not(builder: RepositoryBuilder) -> None:
    """Whatever can hold something that git would speak of."""
    builder.write("src/inner/a.py").write(".gitignore", "node_modules/\n").commit()
    builder.write("new/deep/b.py").write("node_modules/x/y.js").write("new/node_modules/x/y.js")
    builder.place("empty/inside").mkdir(parents=True)
    builder.place("src/empty").mkdir()
    assert read(builder) == {
        "", "src", "src/inner", "src/empty", "new", "new/deep", "empty", "empty/inside",
    }  # fmt: skip


def test_tracked_folder_that_is_gone_or_a_link_is_not_watched(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Neither the link nor what seems to be below it."""
    builder.write("gone/a.py").write("linked/inner/b.py").commit()
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    for name in ("gone", "linked"):
        builder.place(name).rename(tmp_path / name)
    builder.place("linked").symlink_to(tmp_path / "outside")
    assert read(builder) == {""}


def test_other_repository_inside_is_not_entered(builder: RepositoryBuilder) -> None:
    """Its top is watched, since git names it; its inside is its own affair."""
    builder.write("a.py").commit()
    RepositoryBuilder.init(builder.place("inner")).write("deep/b.py").commit()
    assert read(builder) == {"", "inner"}


def test_named_folders_are_watched_even_when_ignored(builder: RepositoryBuilder) -> None:
    """With all below them, and the folder that a named file is in; our own folder always."""
    builder.write(".gitignore", ".handoff/\n.claude/\n.handoff-tui/\n").commit()
    builder.write(".handoff/a/b.md").write(".claude/HANDOFF.md").write(".claude/cache/x").write(".handoff-tui/log/x")
    assert read(builder, ".handoff", ".claude/HANDOFF.md", "absent/name") == {
        "", ".handoff", ".handoff/a", ".claude", ".handoff-tui", ".handoff-tui/log",
    }  # fmt: skip


def test_walk_stops_when_there_is_too_much(builder: RepositoryBuilder) -> None:
    """It says so, instead of going on for ever."""
    for number in range(6):
        builder.write(f"many/{number}/file")
    assert not walk_folders(builder.folder, Git(builder.folder), ["many"], 3).complete


def test_walk_begins_at_real_folders_only(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Files, links, what is behind a link, what is gone, and git's own folder are none."""
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    builder.write("file").write("real/file").link("link", tmp_path / "outside")
    tops = ["file", "real", "link", "link/inner", "gone", ".git", ".git/refs"]
    assert list(keep_folders_below(builder.folder, tops)) == ["real"]


def test_folder_with_an_odd_name_is_found(builder: RepositoryBuilder) -> None:
    """Spaces, newlines, brackets and bytes that are no UTF-8."""
    odd = os.fsdecode(b"odd [x]\n\xff")
    builder.write("a.py").commit().write(f"{odd}/inner/file")
    assert read(builder) == {"", odd, f"{odd}/inner"}


def test_folders_of_git_are_its_top_and_all_refs(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Objects and logs are none of it; a linked work tree has its own top beside the shared one."""
    builder.write("a.py").commit().ref("refs/heads/team/one")
    linked = builder.worktree(tmp_path / "linked", "side")
    git = builder.place(".git")
    found = read_git_folders(open_repository(builder.folder))
    assert {str(git), f"{git}/refs", f"{git}/refs/heads", f"{git}/refs/heads/team"} <= found
    assert not any(name.startswith((f"{git}/objects", f"{git}/logs")) for name in found)
    shared = read_git_folders(open_repository(linked.folder))
    assert {str(git), f"{git}/worktrees/linked", f"{git}/refs/heads"} <= shared


def test_folders_of_a_reftable_are_watched(builder: RepositoryBuilder) -> None:
    """Newer git keeps refs there."""
    builder.write("a.py").commit().place(".git/reftable").mkdir()
    assert str(builder.place(".git/reftable")) in read_git_folders(open_repository(builder.folder))


def test_named_folder_is_not_followed_for_ever(builder: RepositoryBuilder) -> None:
    """What is named is looked through to a depth."""
    builder.write("/".join([".handoff", *map(str, range(20)), "file"]))
    assert len(read_named_folders(builder.folder, [".handoff"])) == 6
