"""Holds the one state of the desk: whoever learns something changes it here, and everybody is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from handoff_tui.live.state.desk import DeskState, Loaded, Telling

Change = Callable[[DeskState], DeskState]


def put_parts(state: DeskState, parts: Mapping[str, Loaded[Any]]) -> DeskState:
    """The state with these parts, by the names of their fields."""
    fields: dict[str, Any] = dict(parts)
    return replace(state, **fields)


class Board:
    """Changes are made one after the other, on any thread; each is a new frozen state with the next generation.

    No lock is held while a state is told, so `tell` may wait for the thread that draws. States are told in their order;
    what changed while one was told comes with the next.
    """

    def __init__(self, tell: Callable[[DeskState], None]) -> None:
        self._tell = tell
        self.settle: Change = lambda state: state
        """Gives each new state what follows from the rest of it; quick, and asks for no change itself."""
        self.present: Change = lambda state: state
        """What is told in place of a state; pure, and quick."""
        self._lock = threading.Lock()
        self._state = DeskState()
        self._told = self._state
        self._telling = False
        self._closed = False

    @property
    def state(self) -> DeskState:
        return self._state

    def change(self, change: Change) -> DeskState:
        """Nothing is told when the change gives back the very state that it was given. A change asks for no other."""
        with self._lock:
            changed = self.settle(change(self._state))
            if changed is not self._state:
                self._state = replace(changed, generation=self._state.generation + 1)
            state = self._state
        self._tell_newest()
        return state

    def _tell_newest(self) -> None:
        while True:
            with self._lock:
                if self._telling or self._closed or self._told is self._state:
                    return
                self._telling, self._told = True, self._state
                newest = self._state
            try:
                self._tell(self.present(newest))
            finally:
                with self._lock:
                    self._telling = False

    def say(self, text: str, role: str = "text") -> None:
        """A sentence for the status line."""

        def add(state: DeskState) -> DeskState:
            number = state.telling.number + 1 if state.telling else 1
            return replace(state, telling=Telling(number, text, role))

        self.change(add)

    def close(self) -> None:
        """Nothing is told any more."""
        with self._lock:
            self._closed = True
