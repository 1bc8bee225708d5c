from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import WatchRefusedError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository
from handoff_tui.git.watch.events import ADDED, Event, Sorted
from handoff_tui.git.watch.keeper import (
    Listener,
    Notify,
    Pace,
    WatchKeeper,
    build_refusal,
    open_notify,
    open_rust_notify,
)
from handoff_tui.git.watch.reconcile import FullScan, StatusSnapshot
from tests.support.repositories import RepositoryBuilder

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
