"""Looks at the log that a person asks for: one entry, or every byte anew."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handoff_tui.core.errors import HandoffError
from handoff_tui.live.feed.repository_feed import build_trouble
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.desk import DeskState, Loaded
from handoff_tui.live.state_store import Board, put_parts
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import Scene


class LogLooks:
    """What was asked last wins."""

    def __init__(self, board: Board, lane: Lane, find_scene: Callable[[DeskState], Scene | None]) -> None:
        self._board = board
        self._lane = lane
        self._find_scene = find_scene

    def open_entry(self, entry: str) -> None:
        def read(scene: Scene) -> object:
            from handoff_tui.live.parts.readers import read_entry  # noqa: PLC0415 - after the first paint

            return read_entry(scene, entry)

        self._begin("entry", read, keep=False)

    def verify(self) -> None:
        def read(scene: Scene) -> object:
            from handoff_tui.live.parts.readers import read_report  # noqa: PLC0415 - after the first paint

            return read_report(scene)

        self._begin("report", read, keep=True)

    def _begin(self, name: str, read: Callable[[Scene], object], *, keep: bool) -> None:
        def wait(state: DeskState) -> DeskState:
            before: Loaded[Any] = getattr(state, name)
            waiting = replace(before, loading=True, stale=before.value is not None) if keep else Loaded(loading=True)
            return put_parts(state, {name: waiting})

        self._board.change(wait)
        self._lane.cancel(name)
        self._lane.submit(name, lambda cancel: self._read(name, read, cancel), rank=-1)

    def _read(self, name: str, read: Callable[[Scene], object], cancel: threading.Event) -> None:
        scene = self._find_scene(self._board.state)
        if scene is None:
            return
        try:
            loaded: Loaded[Any] = Loaded(read(scene), at=read_now())
        except (HandoffError, OSError) as refused:
            loaded = Loaded(trouble=build_trouble(refused), at=read_now())
        if not cancel.is_set():
            self._board.change(lambda state: put_parts(state, {name: loaded}))
