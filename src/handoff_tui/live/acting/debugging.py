"""Looks into attempts that a person asks for: two of them compared, or why the handoff in view fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from handoff_tui.core.errors import HandoffError
from handoff_tui.live.feed.repository_feed import build_trouble
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.desk import DeskState, Loaded
from handoff_tui.live.state_store import Board, put_parts
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import Scene
    from handoff_tui.live.parts.readers import Wanted

PLACES = ("comparison", "failure")
"""Where in the state the answers are."""
_COMPARISON, _FAILURE = PLACES
_Read = Callable[["Scene", "Wanted", threading.Event], object]


class Debugging:
    """What was asked last wins; what was asked of another handoff is not shown."""

    def __init__(
        self,
        board: Board,
        lane: Lane,
        find_scene: Callable[[DeskState], Scene | None],
        build_wanted: Callable[[DeskState, HandoffKey], Wanted],
    ) -> None:
        self._board = board
        self._lane = lane
        self._find_scene = find_scene
        self._build_wanted = build_wanted

    def compare(self, before: str, after: str) -> None:
        """Two attempts by their names; for what is here now the checks are looked at, and no command is started."""

        def read(scene: Scene, _: Wanted, cancel: threading.Event) -> object:
            from handoff_tui.live.parts.debug_readers import read_comparison  # noqa: PLC0415 - when it is asked for

            return read_comparison(scene, before, after, cancel)

        self._begin(_COMPARISON, read)

    def explain(self) -> None:
        """Why the gate in view is closed."""

        def read(scene: Scene, wanted: Wanted, cancel: threading.Event) -> object:
            from handoff_tui.live.parts.debug_readers import read_why  # noqa: PLC0415 - when it is asked for

            return read_why(scene, wanted, cancel)

        self._begin(_FAILURE, read)

    def forget(self) -> None:
        """Another handoff is in view."""
        for name in PLACES:
            self._lane.cancel(name)

    def _begin(self, name: str, read: _Read) -> None:
        key = self._board.state.chosen
        if key is None:
            return
        self._board.change(lambda state: put_parts(state, {name: Loaded(loading=True)}))
        self._lane.cancel(name)
        self._lane.submit(name, lambda cancel: self._read(name, key, read, cancel), rank=-1)

    def _read(self, name: str, key: HandoffKey, read: _Read, cancel: threading.Event) -> None:
        state = self._board.state
        scene = self._find_scene(state)
        if scene is None or state.chosen != key:
            return
        try:
            loaded: Loaded[Any] = Loaded(read(scene, self._build_wanted(state, key), cancel), at=read_now())
        except (HandoffError, OSError) as refused:
            loaded = Loaded(trouble=build_trouble(refused), at=read_now())
        if not cancel.is_set():
            self._board.change(lambda state: put_parts(state, {name: loaded}) if state.chosen == key else state)
