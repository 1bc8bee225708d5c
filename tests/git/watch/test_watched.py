from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository, read_status
from handoff_tui.git.watch.events import ADDED, DELETED, MODIFIED, Places, sort_events
from handoff_tui.git.watch.folders import read_tracked_folders, read_unknown_folders, read_work_folders, walk_folders
from handoff_tui.git.watch.reconcile import (
    FolderReader,
    StatusSnapshot,
    compare_states,
    list_lines,
    read_status_snapshot,
    reopen,
    scan_repository,
)
from handoff_tui.git.work_tree.status import parse_status
from tests.support.repositories import RepositoryBuilder

PLACES = Places("/home/ada/work", ("/home/ada/work/.git",), "/home/ada/work/.cache/handoff-tui/0123")


@pytest.mark.parametrize(
    "path",
    [
        "/home/ada/work/.git/index.lock",
        "/home/ada/work/.git/refs/heads/main.lock",
        "/home/ada/work/.git/COMMIT_EDITMSG",
        "/home/ada/work/.git/gc.pid",
        "/home/ada/work/.git/handoff-tui",
        "/home/ada/work/.cache/handoff-tui/0123/results.json",
        "/home/ada/work/.handoff-tui/log/.tmp-00ff",
        "/home/ada/elsewhere.txt",
        "/home/ada/workshop/file.txt",
    ],
)
def test_noise_is_left_out(path: str) -> None:
    """Locks and messages of git, our cache, half-written files, and what is outside say nothing."""
    found = sort_events({(ADDED, path), (DELETED, path)}, PLACES)
    assert not any(found)


@pytest.mark.parametrize(
    "path", ["Cargo.lock", "src/.tmp-note", ".handoff-tui/log/entry.json", ".gitmodules", "refs/x"]
)
def test_files_of_the_work_tree_are_paths(path: str) -> None:
    """What only looks like git's or ours is told, and so are decisions."""
    found = sort_events({(MODIFIED, f"/home/ada/work/{path}")}, PLACES)
    assert found.paths == {path}
    assert not found.refs
    assert not found.reconcile


@pytest.mark.parametrize(
    ("path", "reconcile"),
    [
        ("refs/heads/main", False),
        ("packed-refs", False),
        ("reftable/tables.list", False),
        ("HEAD", True),
        ("index", True),
    ],
)
def test_files_of_git_are_refs(path: str, reconcile: bool) -> None:  # noqa: FBT001 - a parameter of the table
    """A new tip concerns no path; HEAD and the index may concern any."""
    found = sort_events({(ADDED, f"/home/ada/work/.git/{path}")}, PLACES)
    assert (found.paths, found.refs, found.reconcile) == (frozenset(), True, reconcile)


@pytest.mark.parametrize("path", [".gitignore", "src/.gitignore"])
def test_ignore_rules_ask_for_a_full_look(path: str) -> None:
    """They decide about paths that had no event."""
    found = sort_events({(MODIFIED, f"/home/ada/work/{path}")}, PLACES)
    assert found.reconcile
    assert found.paths == {path}


@pytest.mark.parametrize("path", ["/home/ada/work", "/home/ada/work/.git"])
def test_deleted_root_is_said(path: str) -> None:
    """Without the folder, or without git's, there is nothing to watch; a touch of either is no loss."""
    assert sort_events({(DELETED, path)}, PLACES).root_gone
    assert not sort_events({(MODIFIED, path)}, PLACES).root_gone


def test_folders_are_told_apart_by_what_happened() -> None:
    """What appeared may have to be watched, what was deleted forgotten; one path can be both."""
    one, other = "/home/ada/work/a", "/home/ada/work/.git/refs/heads/team"
    found = sort_events({(ADDED, one), (DELETED, one), (ADDED, other)}, PLACES)
    assert found.appeared == {one, other}
    assert found.deleted == {one}


def read(builder: RepositoryBuilder, *named: str) -> frozenset[str]:
    repository = open_repository(builder.folder)
    tracked, unknown = read_tracked_folders(repository.git), read_unknown_folders(repository.git)
    walk = read_work_folders(repository.root, repository.git, tracked, unknown, named)
    assert walk.complete
    return walk.folders


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


def test_full_look_has_gits_answer_and_all_folders(builder: RepositoryBuilder) -> None:
    """State and folders are of the same repository, and absolute."""
    builder.write("src/a.py").commit().write("new/b.py")
    repository = open_repository(builder.folder)
    look = scan_repository(repository, FolderReader(repository, ()), ())
    assert look.state.status == read_status(repository)
    assert {str(builder.place(name)) for name in ("src", "new", ".git", ".git/refs/heads")} <= look.folders
    assert str(builder.folder) in look.folders
    assert look.complete
    assert look.seconds > 0


def test_repository_that_is_gone_is_said_to_be(builder: RepositoryBuilder) -> None:
    """A clear reason, and no question to a git that would find another repository above."""
    builder.write("a.py").commit()
    repository = open_repository(builder.folder)
    shutil.rmtree(builder.folder)
    with pytest.raises(RepositoryError, match="gone"):
        reopen(repository)


def read_snapshot(builder: RepositoryBuilder, *named: str) -> StatusSnapshot:
    repository = open_repository(builder.folder)
    return read_status_snapshot(repository, repository.git, named)


def test_lines_of_every_kind_name_their_paths() -> None:
    """Changed, renamed with the old name behind, unmerged, untracked; a folder without its slash."""
    ids = " ".join(["0" * 40] * 3)
    status = "\0".join(
        [
            "# branch.head main",
            f"1 .M N... 100644 100644 100644 {ids[:81]} with space.py",
            f"2 R. N... 100644 100644 100644 {ids[:81]} R100 new name.py",
            "old name.py",
            f"u UU N... 100644 100644 100644 100644 {ids} both.py",
            "? other repository/",
            "",
        ]
    )
    parsed = parse_status(status.encode())
    assert parsed.headers == {"branch.head": "main"}
    lines = list_lines(parsed)
    assert list(lines) == ["with space.py", "new name.py", "old name.py", "both.py", "other repository"]


def test_what_became_clean_is_a_difference(builder: RepositoryBuilder) -> None:
    """A path that git does not name any more has changed, too."""
    builder.write("a.py").commit().write("b.py")
    before = read_snapshot(builder)
    builder.place("b.py").unlink()
    assert compare_states(before, read_snapshot(builder)) == (frozenset({"b.py"}), False)


def test_ignored_file_counts_when_it_is_named(builder: RepositoryBuilder) -> None:
    """Handoffs often lie where git does not look."""
    builder.write(".gitignore", ".handoff/\n").commit().write(".handoff/note.md")
    before, unnamed = read_snapshot(builder, ".handoff"), read_snapshot(builder)
    os.utime(builder.place(".handoff/note.md"), ns=(1, 1))
    assert compare_states(before, read_snapshot(builder, ".handoff")).paths == {".handoff/note.md"}
    assert not compare_states(unnamed, read_snapshot(builder)).paths
