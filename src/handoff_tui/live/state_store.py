"""Holds the app's one state and the newest snapshot of each repository. Every change goes through here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.state.agents import Bell
from handoff_tui.live.state.app import AppState, StatusMessage, build_trouble

if TYPE_CHECKING:
    from handoff_tui.checks.report import CheckResult
    from handoff_tui.live.feed.snapshot import RepositorySnapshot
    from handoff_tui.status.inbox_item import HandoffKey

Change = Callable[[AppState], AppState]


def raise_bug(bug: BaseException) -> None:
    """Leaves a bug to the hook of the thread it happened on."""
    raise bug


def put_parts(state: AppState, parts: Mapping[str, Any]) -> AppState:
    """Returns the state with these parts, by the names of their fields."""
    return replace(state, **parts)


class StateStore:
    """Makes changes one after the other, on any thread; each gives a new frozen state with the next generation.

    No lock is held while a state is told, so `tell` may wait for the thread that draws. States are told in order; what
    changed while one was told comes with the next. `on_bug` gets every unexpected exception of a background thread.
    """

    def __init__(
        self,
        tell: Callable[[AppState], None],
        on_bug: Callable[[BaseException], None] = raise_bug,
        present: Change = lambda state: state,
    ) -> None:
        """`present` gives what is told in place of a state; pure, and quick."""
        self._tell = tell
        self.on_bug = on_bug
        self.present = present
        self.snapshots: dict[str, RepositorySnapshot] = {}
        """By the root of the repository; written by the one thread that follows it."""
        self.derive: Change = lambda state: state
        """Completes each new state with what follows from the rest of it; quick, and asks for no change itself."""
        self.opened: tuple[HandoffKey, RepositorySnapshot] | None = None
        """The handoff under review and the state it was opened in: its diff and documents are shown as of then."""
        self._commands: dict[str, dict[str, CheckResult]] = {}
        self._lock = threading.Lock()
        self._state = AppState()
        self._told = self._state
        self._telling = False
        self._closed = False

    @property
    def state(self) -> AppState:
        return self._state

    def find_snapshot(self, state: AppState | None = None) -> RepositorySnapshot | None:
        """Returns the newest snapshot of the repository in view; None if it has not been read yet."""
        repository = (state or self._state).repository
        return None if repository is None else self.snapshots.get(repository.root)

    def find_opened(self, key: HandoffKey | None) -> RepositorySnapshot | None:
        """Returns the state in which a handoff was opened; None if it isn't under review."""
        opened = self.opened
        return opened[1] if opened is not None and opened[0] == key else None

    def note_commands(self, root: str, results: Iterable[CheckResult]) -> None:
        """Keeps the results of commands that were run here."""
        self._commands.setdefault(root, {}).update({result.id: result for result in results})

    def list_commands(self, root: str) -> tuple[CheckResult, ...]:
        """Returns the last results of commands that were run here, in a repository."""
        return tuple(self._commands.get(root, {}).values())

    def change(self, change: Change) -> AppState:
        """Applies a change. Nothing is told if it returns the very state it was given. A change asks for no other."""
        with self._lock:
            changed = self.derive(change(self._state))
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

    def change_part(self, name: str, number: int, **changes: Any) -> None:  # noqa: ANN401 - each of its field's own type
        """Changes a numbered part of the state, unless another has taken its place."""

        def put(state: AppState) -> AppState:
            part = getattr(state, name)
            if part is None or part.number != number:
                return state
            return put_parts(state, {name: replace(part, **changes)})

        self.change(put)

    def say_trouble(self, words: str, refused: HandoffError | OSError) -> None:
        """Says what was not done, why, and what to do about it."""
        trouble = build_trouble(refused)
        self.say(f"{words}{trouble.message}. {trouble.hint}", "fail")

    def say(self, text: str, role: str = "text") -> None:
        """Shows a sentence in the status line."""

        def add(state: AppState) -> AppState:
            number = state.status.number + 1 if state.status else 1
            return replace(state, status=StatusMessage(number, text, role))

        self.change(add)

    def ring(self, sequence: str) -> None:
        """Sends bell and notification to the terminal."""
        self.change(lambda state: replace(state, ring=Bell(state.ring.number + 1 if state.ring else 1, sequence)))

    def close(self) -> None:
        """Stops telling."""
        with self._lock:
            self._closed = True
