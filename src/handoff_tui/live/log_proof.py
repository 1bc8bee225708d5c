"""Every byte of the log verified again behind the desk: a file changed in place is not noticed by who remembers it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.log.record import ProblemLevel

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import Scene

_RANK = 50
"""After everything that somebody waits for."""
_PAUSE_SECONDS = 1.0


class LogProof:
    """What a verification without any memory finds fatal. It writes nothing."""

    def __init__(self, lane: Lane, find_scene: Callable[[], Scene | None], tell: Callable[[], None]) -> None:
        self._lane = lane
        self._find_scene = find_scene
        self._tell = tell
        self._proven: int | None = None
        self.fatal: tuple[str, ...] = ()

    def begin(self) -> None:
        """Has it verified when the log may be another one than the one that was; returns at once."""
        scene = self._find_scene()
        if scene is not None and scene.gates is not None and scene.log_version != self._proven:
            self._lane.submit((self, "prove"), self._prove, rank=_RANK, delay=_PAUSE_SECONDS)

    def _prove(self, _: threading.Event) -> None:
        from handoff_tui.log.open_log import open_log  # noqa: PLC0415 - after the first paint

        scene = self._find_scene()
        if scene is None:
            return
        try:
            verdict = open_log(scene.desk.repository, remembered=False).verify()
        except (HandoffError, OSError) as unreadable:
            fatal: tuple[str, ...] = (str(unreadable),)
        else:
            fatal = tuple(one.text for one in verdict.problems if one.level is ProblemLevel.FATAL)
        self._proven = scene.log_version
        if fatal != self.fatal:
            self.fatal = fatal
            self._tell()
