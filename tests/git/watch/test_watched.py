from __future__ import annotations

import os
import queue
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import RepositoryError, WatchRefusedError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository, read_status
from handoff_tui.git.watch.keeper import (
    ADDED,
    DELETED,
    MODIFIED,
    Event,
    Listener,
    Notify,
    Pace,
    Sorted,
    WatchedPlaces,
    WatchKeeper,
    build_refusal,
    open_notify,
    open_rust_notify,
    sort_events,
)
from handoff_tui.git.watch.noticed import Touched
from handoff_tui.git.watch.reconcile import (
    FolderReader,
    FullScan,
    StatusSnapshot,
    compare_states,
    list_lines,
    read_status_snapshot,
    read_tracked_folders,
    read_unknown_folders,
    read_work_folders,
    reopen,
    scan_repository,
    walk_folders,
)
from handoff_tui.git.work_tree.listing import parse_status
from tests.support.repositories import RepositoryBuilder

PLACES = WatchedPlaces("/home/ada/work", ("/home/ada/work/.git",), "/home/ada/work/.cache/handoff-tui/0123")


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
    """Without the folder, or without git's, there is nothing to watch; a touch of either isn't a loss."""
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
    """Whatever can hold something that git would mention."""
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
    assert compare_states(before, read_snapshot(builder)) == Touched(frozenset({"b.py"}))


def test_ignored_file_counts_when_it_is_named(builder: RepositoryBuilder) -> None:
    """Handoffs often lie where git does not look."""
    builder.write(".gitignore", ".handoff/\n").commit().write(".handoff/note.md")
    before, unnamed = read_snapshot(builder, ".handoff"), read_snapshot(builder)
    os.utime(builder.place(".handoff/note.md"), ns=(1, 1))
    assert compare_states(before, read_snapshot(builder, ".handoff")).paths == {".handoff/note.md"}
    assert not compare_states(unnamed, read_snapshot(builder)).paths


NO_STATE = StatusSnapshot(b"", {}, b"", {})


class Kept:
    """A keeper, what it hears, and a limit for how many folders one listener may have."""

    def __init__(self, builder: RepositoryBuilder) -> None:
        self.builder = builder
        self.heard: queue.SimpleQueue[set[Event]] = queue.SimpleQueue()
        self.told: set[str] = set()
        self.stop = threading.Event()
        self.most = 1_000
        self.keeper = WatchKeeper(
            open_repository(builder.folder), (".handoff",), self.stop, self.heard.put, lambda _: None, self.open_one
        )

    def open_one(self, folders: list[str]) -> Notify:
        if len(folders) > self.most:
            raise OSError("OS file watch limit reached.")
        return open_rust_notify(folders)

    def place(self, path: str) -> str:
        return str(self.builder.place(path)).removesuffix("/.")

    def follow(self, appeared: tuple[str, ...] = (), deleted: tuple[str, ...] = ()) -> bool:
        new, old = (frozenset(map(self.place, paths)) for paths in (appeared, deleted))
        return self.keeper.follow(Sorted(frozenset(), new, old, refs=False, reconcile=False, root_gone=False))

    def look(self, *folders: str) -> FullScan:
        return FullScan(NO_STATE, frozenset(map(self.place, folders)), complete=True, began=0, seconds=0)

    def hears(self, path: str) -> bool:
        """Whether a file that is written now is heard of."""
        self.builder.write(path)
        try:
            while self.place(path) not in self.told:
                self.told.update(told for _, told in self.heard.get(timeout=150))
        except queue.Empty:
            return False
        return True


@pytest.fixture
def kept(builder: RepositoryBuilder) -> Iterator[Kept]:
    builder.write("a.py").write(".gitignore", "ignored/\n.handoff/\n").commit()
    kept = Kept(builder)
    kept.keeper.watch([kept.place(".")])
    yield kept
    kept.stop.set()


def test_new_folder_is_watched_with_all_below_it(kept: Kept) -> None:
    """As soon as `follow` returns, nothing in it goes unheard."""
    kept.builder.write("new/deep/b.py")
    assert kept.follow(appeared=("new",))
    assert kept.hears("new/deep/c.py")
    assert kept.keeper.scattered
    assert kept.keeper.merge()
    assert not kept.keeper.scattered
    assert kept.hears("new/deep/d.py")


def test_many_new_folders_are_left_to_a_full_look(kept: Kept) -> None:
    """So is one with very many inside."""
    many = tuple(f"new{number}" for number in range(17))
    for name in many:
        kept.builder.place(name).mkdir()
    assert not kept.follow(appeared=many)


def test_file_is_no_folder_to_follow(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """For single files git is not asked at all."""
    monkeypatch.setattr(Git, "run", None)
    assert kept.follow(appeared=("a.py",), deleted=("b.py",))


def test_folder_that_a_look_found_is_watched_and_makes_the_look_doubtful(kept: Kept) -> None:
    """What happened there before is known only after another look; then all is well."""
    kept.builder.write("missed/b.py")
    look = kept.look(".", "missed")
    assert not kept.keeper.adjust(look, quiet=True)
    assert kept.keeper.adjust(look, quiet=True)
    assert kept.hears("missed/c.py")


def test_folder_that_a_look_did_not_find_is_let_go_only_when_it_was_quiet(kept: Kept) -> None:
    """It may have come after the look."""
    kept.builder.write("new/b.py")
    kept.follow(appeared=("new",))
    special = kept.look(".", ".git", ".git/refs", ".git/refs/heads", ".git/refs/tags")
    assert kept.keeper.adjust(special, quiet=False)
    assert kept.hears("new/c.py")
    assert kept.keeper.adjust(special, quiet=True)
    assert kept.place("new") not in kept.keeper._set.folders


def test_limit_leaves_the_folders_that_matter_most(kept: Kept) -> None:
    """The root and git's own are heard of, and it is said that the rest is not."""
    kept.most = 12
    folders = [f"part{number}" for number in range(20)]
    for name in folders:
        kept.builder.place(name).mkdir()
    assert not kept.keeper.adjust(kept.look(".", *folders), quiet=True)
    assert kept.keeper.refused is not None
    assert not kept.keeper.complete
    assert kept.hears("at_the_root.txt")
    kept.most = 1_000
    assert kept.keeper.watch([kept.place("."), *map(kept.place, folders)])
    assert kept.keeper.complete
    assert kept.hears("part3/file.txt")


def test_retired_listener_tells_what_it_has_heard(tmp_path: Path) -> None:
    """Nothing is lost when another takes over."""
    heard: queue.SimpleQueue[set[Event]] = queue.SimpleQueue()
    notify = open_notify([str(tmp_path)])
    (tmp_path / "file").touch()
    listener = Listener(notify, Pace(), threading.Event(), heard.put, lambda _: None)
    listener.retire()
    assert (ADDED, str(tmp_path / "file")) in heard.get(timeout=150)
    listener.join(20)
    assert not listener.is_alive()


def test_folder_that_vanishes_while_it_is_taken_in_is_tried_without(tmp_path: Path) -> None:
    """The call fails for all of them; the next one leaves it out."""
    places = [tmp_path / "a", tmp_path / "b"]
    for place in places:
        place.mkdir()

    def vanish(folders: list[str]) -> Notify:
        if places[1].exists():
            places[1].rmdir()
        return open_rust_notify(folders)

    open_notify([str(place) for place in places], vanish).close()


def test_limit_is_refused_and_never_passed_over(tmp_path: Path) -> None:
    """Every error but a missing folder is told, with the words of the system."""

    def refuse(_: list[str]) -> Notify:
        raise OSError("OS file watch limit reached.")

    with pytest.raises(WatchRefusedError, match="limit reached") as raised:
        open_notify([str(tmp_path)], refuse)
    assert "max_user_watches" in raised.value.hint


@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        (RuntimeError("Too many open files (os error 24)"), "max_user_instances"),
        (OSError("No space left on device (os error 28)"), "max_user_watches"),
        (OSError("Function not implemented (os error 38)"), "network drive"),
    ],
)
def test_refusal_names_a_remedy(fault: Exception, remedy: str) -> None:
    """Each limit has its own setting."""
    assert remedy in build_refusal(fault).hint
