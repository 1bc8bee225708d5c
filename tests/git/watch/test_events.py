from __future__ import annotations

import pytest

from handoff_tui.git.watch.events import ADDED, DELETED, MODIFIED, Places, sort_events

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
