"""Parts of the screen end as read, whatever was saved while they were being read."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from handoff_tui.core.classes import replace
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.snapshot import RepositorySnapshot, read_snapshot
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.parts.visible import VisibleParts
from handoff_tui.live.state.app import AppState, Loaded, Part, RepositoryPart
from handoff_tui.live.state_store import Change, StateStore
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder


class SlowLoader:
    """Reads the version of the snapshot; a test decides when a reading ends."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.began = threading.Event()

    def read(self, _part: Part, _state: AppState, snapshot: RepositorySnapshot, _cancel: threading.Event) -> Any:  # noqa: ANN401 - as the loader
        self.began.set()
        assert self.may_end.wait(60)
        return snapshot.version


class Screen:
    """One part on screen over one repository, without a feed: a test says when something was saved."""

    def __init__(self, first: RepositorySnapshot) -> None:
        self._first, self._root = first, str(first.session.repository.root)
        self.store = StateStore(lambda _: None)
        part = RepositoryPart(self._root, "lamp", Loaded(first.state))
        self.store.change(lambda state: replace(state, repositories=(part,)))
        self.worker = KeyedWorker("quick", self.store.on_bug)
        self.loader = SlowLoader()
        self.visible = VisibleParts(self.store, self.worker, self.worker, DraftKeeper(self.store))
        self.visible._loader = self.loader  # type: ignore[assignment]
        self.save(1)

    def save(self, version: int) -> None:
        """Stores a newer snapshot; whoever keeps the parts fresh is told later."""
        self.store.snapshots[self._root] = replace(self._first, version=version)

    def wait_until_idle(self) -> Loaded[object]:
        deadline = time.monotonic() + 60
        while not self.worker.is_idle():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        shown: Loaded[object] = self.store.state.coverage  # type: ignore[assignment]
        return shown


@pytest.fixture
def screen(builder: RepositoryBuilder) -> Iterator[Screen]:
    build_work(builder, handoffs=1).commit()
    made = Screen(read_snapshot(builder.folder, 1))
    yield made
    made.loader.may_end.set()
    made.worker.stop()
    made.worker.join()


def is_at_rest(shown: Loaded[object], version: int) -> bool:
    return (shown.value, shown.loading, shown.stale) == (version, False, False)


def test_part_read_newer_than_asked_for_is_no_longer_loading(screen: Screen) -> None:
    """The worker starts after the next save, and before anybody heard of that: it has read what is asked next."""
    screen.loader.may_end.set()
    screen.visible.need(frozenset({Part.COVERAGE}))
    screen.save(2)
    screen.worker.start()
    assert is_at_rest(screen.wait_until_idle(), 2)
    screen.visible.catch_up()
    assert is_at_rest(screen.wait_until_idle(), 2)


def test_part_saved_again_while_it_is_read_is_read_again(screen: Screen) -> None:
    """What was read for an older save is shown as stale until the newer one is read."""
    screen.worker.start()
    screen.visible.need(frozenset({Part.COVERAGE}))
    assert screen.loader.began.wait(60)
    screen.save(2)
    screen.visible.catch_up()
    screen.loader.may_end.set()
    assert is_at_rest(screen.wait_until_idle(), 2)


def test_mark_of_an_old_look_changes_nothing_that_was_read_since(screen: Screen) -> None:
    """Two threads look at once: the slower one must not mark as stale what the other has read meanwhile."""
    screen.loader.may_end.set()
    change_now, seen = screen.store.change, threading.Event()

    def change_late(change: Change) -> AppState:
        """Lets the worker finish between the look and the mark."""
        if threading.current_thread() is threading.main_thread() and not seen.is_set():
            seen.set()
            screen.worker.submit(Part.COVERAGE, lambda cancel: screen.visible._read_part(Part.COVERAGE, cancel))
            screen.wait_until_idle()
        return change_now(change)

    screen.worker.start()
    screen.visible._needed = frozenset({Part.COVERAGE})
    screen.visible._asked[Part.COVERAGE] = (screen._root, 1)
    screen.store.change = change_late  # type: ignore[method-assign]
    screen.visible.catch_up()
    assert is_at_rest(screen.wait_until_idle(), 1)
