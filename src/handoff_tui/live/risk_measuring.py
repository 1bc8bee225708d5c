"""Measures what makes the work of a repository's handoffs risky, after everything else that is to be read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.desk import DeskState
from handoff_tui.live.state_store import Board
from handoff_tui.status.inbox_item import InboxItem

if TYPE_CHECKING:
    from handoff_tui.changes.risk.risk import RiskMemory
    from handoff_tui.live.feed.snapshot import Scene
    from handoff_tui.status.inbox import Measured

_LAST_RANK = 99
_QUIET_SECONDS = 1.0
_MOST_TRIES = 3


class RiskMeasuring:
    """The risks of one repository. What was measured last is shown until it was measured anew."""

    def __init__(self, board: Board, lane: Lane, find_scene: Callable[[], Scene | None]) -> None:
        self._board = board
        self._lane = lane
        self._find_scene = find_scene
        self._memory: RiskMemory | None = None
        self._measured: dict[str, Measured] = {}
        self._tries = 0

    def add_known(self, root: str, inbox: tuple[InboxItem, ...]) -> tuple[InboxItem, ...]:
        """The items with what is known of their risks."""
        from handoff_tui.status.inbox import add_risks  # noqa: PLC0415 - after the first paint

        return add_risks(inbox, root, self._measured)

    def begin(self, root: str) -> None:
        """Has them measured when it has been quiet for a while; the first time at once."""
        delay = _QUIET_SECONDS if self._measured else 0.0
        self._lane.submit(("risks", root), lambda cancel: self._measure(root, cancel), rank=_LAST_RANK, delay=delay)

    def _measure(self, root: str, cancel: threading.Event) -> None:
        from handoff_tui.changes.risk.risk import RiskMemory, read_risks  # noqa: PLC0415 - after the first paint

        scene = self._find_scene()
        if scene is None:
            return
        if self._memory is None:
            self._memory = RiskMemory()
        try:
            measured = read_risks(scene.desk, scene.state, scene.gates, self._memory)
        except (HandoffError, OSError):
            self._try_again(root)
            return
        self._tries = 0
        if cancel.is_set() or measured == self._measured:
            return
        self._measured = measured

        def show(state: DeskState) -> DeskState:
            return replace(state, inbox=self.add_known(root, state.inbox))

        self._board.change(show)

    def _try_again(self, root: str) -> None:
        """A few times, later and later: an agent may be writing. Until then the inbox calls nothing free of risk."""
        self._tries += 1
        if self._tries <= _MOST_TRIES:
            delay = self._tries * _QUIET_SECONDS
            self._lane.submit(("risks", root), lambda cancel: self._measure(root, cancel), rank=_LAST_RANK, delay=delay)
        else:
            self._tries = 0
