"""Keeps the parts that are on screen fresh, and marks the others as stale."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handoff_tui.core.errors import HandoffError
from handoff_tui.live.feed.repository_feed import build_trouble
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.desk import PACKET, DeskState, Loaded, Part
from handoff_tui.live.state_store import Board, put_parts
from handoff_tui.system.clock import read_monotonic, read_now

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import Scene

Token = tuple[Hashable, ...]
"""What a part was read for; the last element is the version of the scene."""
Reader = Callable[[Part, DeskState, "Scene", threading.Event], Any]

QUICK = frozenset({Part.SHOWN, Part.PIPELINE, Part.CHECKS, Part.DOCUMENT})
"""Read on a lane of their own, so that they wait for nothing that takes long."""
_ORDER = (
    *(Part.CHECKS, Part.SHOWN, Part.DOCUMENT, Part.PIPELINE),
    *(Part.LOG, Part.FILES, Part.FILE, Part.GATE, Part.DIFFERENCE, Part.ATTEMPTS, Part.FIGURES),
)
_FIRST = -1
"""What a handoff says is read again in no time after a save; the checks, which rest on it, come next."""
_HEAD_START = 0.01
"""Who draws has the processor for about so long."""
_SHORTEST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0


class PartsInView:
    """Which parts are needed, what each was read for, and what is being read."""

    def __init__(self, board: Board, quick: Lane, slow: Lane, find_scene: Callable[[DeskState], Scene | None]) -> None:
        self._board = board
        self._quick, self._slow = quick, slow
        self._find_scene = find_scene
        self._lock = threading.Lock()
        self._needed: frozenset[Part] = frozenset()
        self._read: dict[Part, Token] = {}
        self._asked: dict[Part, Token] = {}
        self._seconds: dict[Part, float] = {}
        self.reader: Reader | None = None

    def need(self, parts: frozenset[Part]) -> None:
        self._needed = parts
        self.catch_up()

    def forget(self, *parts: Part) -> None:
        """What was read is for something else now; what is being read is not wanted any more."""
        for part in parts:
            self._quick.cancel(part)
            self._slow.cancel(part)
        with self._lock:
            for part in parts:
                self._read.pop(part, None)
                self._asked.pop(part, None)

    def catch_up(self, *, drawn_first: bool = False) -> None:
        """Has read what is needed and not up to date; returns at once.

        `drawn_first` where much is drawn anew just now: checks, which take a while, must not slow that down.
        """
        state = self._board.state
        scene = self._find_scene(state)
        wanted: list[Part] = []
        with self._lock:
            tokens = {part: build_token(part, state, scene) for part in _ORDER} if scene is not None else {}
            old = frozenset(part for part, token in tokens.items() if token != self._read.get(part))
            for part, token in tokens.items():
                if token is not None and part in self._needed and part in old and self._asked.get(part) != token:
                    self._asked[part] = token
                    wanted.append(part)
        if old:
            self._board.change(lambda state: self._mark(state, old))
        for part in wanted:
            self._submit(part, _HEAD_START if drawn_first and part is Part.CHECKS else 0.0)

    def _submit(self, part: Part, least: float) -> None:
        """What takes long to read is read again when it has been quiet: it must not slow down what is quick."""
        pause = min(max(2 * self._seconds.get(part, 0.0), _SHORTEST_PAUSE), _LONGEST_PAUSE)
        is_quick = part in QUICK and not (part is Part.DOCUMENT and self._board.state.open_document == PACKET)
        delay = pause if part in self._read and not is_quick else least
        lane = self._quick if is_quick else self._slow
        rank = _FIRST if part is Part.SHOWN and part in self._read else _ORDER.index(part)
        lane.submit(part, lambda cancel: self._read_part(part, cancel), rank=rank, delay=delay)

    def _mark(self, state: DeskState, old: frozenset[Part]) -> DeskState:
        changes: dict[str, Loaded[Any]] = {}
        for part in old:
            loaded: Loaded[Any] = getattr(state, part.value)
            loading, stale = part in self._asked, loaded.value is not None
            if (loading, stale) != (loaded.loading, loaded.stale):
                changes[part.value] = replace(loaded, loading=loading, stale=stale)
        return put_parts(state, changes) if changes else state

    def _read_part(self, part: Part, cancel: threading.Event) -> None:
        state = self._board.state
        scene = self._find_scene(state)
        token = build_token(part, state, scene) if scene is not None else None
        if self.reader is None or scene is None or token is None:
            return
        began = read_monotonic()
        try:
            loaded: Loaded[Any] = Loaded(self.reader(part, state, scene, cancel))
        except (HandoffError, OSError) as refused:
            loaded = Loaded(trouble=build_trouble(refused))
        self._seconds[part] = read_monotonic() - began
        with self._lock:
            if self._asked.get(part) == token:
                del self._asked[part]
            if not cancel.is_set():
                self._read[part] = token
        if not cancel.is_set():
            self._board.change(lambda state: self._apply(state, part, token, loaded))
        self.catch_up()

    def _apply(self, state: DeskState, part: Part, token: Token, loaded: Loaded[Any]) -> DeskState:
        scene = self._find_scene(state)
        now = build_token(part, state, scene) if scene is not None else None
        if now is None or now[:-1] != token[:-1]:
            return state  # something else is in view by now
        before: Loaded[Any] = getattr(state, part.value)
        value = before.value if loaded.value is None or loaded.value == before.value else loaded.value
        stale = value is not None and (now != token or loaded.trouble is not None)
        fresh = Loaded(value, loaded.trouble, loading=part in self._asked, stale=stale, at=read_now())
        return put_parts(state, {part.value: fresh})


def build_token(part: Part, state: DeskState, scene: Scene) -> Token | None:
    """What a part must be read for, as things are; nothing where there is nothing to read."""
    if part in {Part.LOG, Part.FIGURES}:
        return (scene.state.repository.root, scene.log_version)
    subject = _find_subject(part, state)
    return None if state.chosen is None or None in subject else (state.chosen, *subject, scene.version)


def _find_subject(part: Part, state: DeskState) -> Token:
    """What is in view besides the handoff; a nothing among it: there is nothing to read."""
    if part is Part.FILE:
        return (state.scope, state.open_file)
    if part in {Part.FILES, Part.DIFFERENCE}:
        return (state.scope,)
    if part in {Part.CHECKS, Part.GATE, Part.ATTEMPTS}:
        return (state.phase or "",)
    return (state.open_document,) if part is Part.DOCUMENT else ()
