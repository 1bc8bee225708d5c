from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import WatchRefusedError
from handoff_tui.git.watch.keeper import Listener, Pace, WatchSet, open_notify


class Ear:
    """Makes real listeners, and remembers them."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.listeners: list[Listener] = []
        self.refuse = False

    def listen(self, folders: Iterable[str]) -> Listener:
        if self.refuse:
            raise WatchRefusedError("no more")
        self.listeners.append(Listener(open_notify(folders), Pace(), self.stop, lambda _: None, lambda _: None))
        return self.listeners[-1]


@pytest.fixture
def ear() -> Iterator[Ear]:
    ear = Ear()
    yield ear
    ear.stop.set()
    for listener in ear.listeners:
        listener.join(20)


def test_folders_that_come_later_are_scattered_until_they_are_replaced(ear: Ear, tmp_path: Path) -> None:
    """Each gets its own listener; too many are put together at once."""
    watched = WatchSet(ear.listen)
    watched.replace([str(tmp_path)])
    assert not watched.scattered
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        watched.add([str(folder)])
        assert watched.scattered == (number < 4)
    assert watched.folders == {str(tmp_path), *(str(tmp_path / str(number)) for number in range(5))}


def test_forgotten_folder_takes_all_below_it_along(ear: Ear, tmp_path: Path) -> None:
    """But not its neighbour with a longer name."""
    watched = WatchSet(ear.listen)
    watched.replace(["/w", "/w/a", "/w/a/b", "/w/ab"])
    assert watched.forget("/w/a")
    assert not watched.forget("/w/a")
    assert watched.folders == {"/w", "/w/ab"}


def test_refused_replacement_leaves_the_old_one_listening(ear: Ear, tmp_path: Path) -> None:
    """Better the old folders than none."""
    watched = WatchSet(ear.listen)
    watched.replace([str(tmp_path)])
    ear.refuse = True
    with pytest.raises(WatchRefusedError):
        watched.replace([str(tmp_path), "/elsewhere"])
    assert watched.folders == {str(tmp_path)}
    assert ear.listeners[0].is_alive()


def test_name_that_cannot_be_watched_is_set_apart(ear: Ear, tmp_path: Path) -> None:
    """It is remembered, so that somebody polls for it."""
    watched = WatchSet(ear.listen)
    watched.replace([str(tmp_path), f"{tmp_path}/\udcff"])
    assert watched.folders == {str(tmp_path)}
    assert watched.unwatchable == {f"{tmp_path}/\udcff"}


def test_cleared_set_listens_to_nothing(ear: Ear, tmp_path: Path) -> None:
    """Its listeners end by themselves."""
    watched = WatchSet(ear.listen)
    watched.replace([str(tmp_path)])
    watched.clear()
    ear.listeners[0].join(20)
    assert not ear.listeners[0].is_alive()
    assert not watched.folders
