"""Listens to the operating system's reports about some folders, on a thread of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from handoff_tui.core.errors import FoldersMovedError, WatchRefusedError
from handoff_tui.git.watch.events import Event
from handoff_tui.git.watch.folders import is_folder

STEP_MILLISECONDS = 5
"""A change is told after one to two steps, and each step costs a little even when nothing happens."""
RESTING_STEP_MILLISECONDS = 10
"""After some quiet seconds; the first change then comes half a frame later, and waiting costs half as much."""
UNFOCUSED_STEP_MILLISECONDS = 50
DEBOUNCE_MILLISECONDS = 50
"""The longest that changes which follow each other are collected."""
_LOOK_UP_MILLISECONDS = 1_000
"""How often it is asked whether the listener is still wanted."""
_RESTS_AFTER = 5
"""So many times nothing was heard for that long."""
_ATTEMPTS = 5


class Notify(Protocol):
    """What is used of `watchfiles.RustNotify`."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: threading.Event | None
    ) -> set[Event] | Literal["signal", "stop", "timeout"]: ...

    def close(self) -> None: ...


OpenNotify = Callable[[list[str]], Notify]


class Pace:
    """The step of all listeners; it may be changed while they listen."""

    def __init__(self) -> None:
        self.step = STEP_MILLISECONDS


class Listener(threading.Thread):
    """Tells batches of events until `stop` is set or it is retired. When it cannot go on, it says so and ends."""

    def __init__(
        self,
        notify: Notify,
        pace: Pace,
        stop: threading.Event,
        tell: Callable[[set[Event]], None],
        tell_broken: Callable[[str], None],
    ) -> None:
        super().__init__(name="watch-listener", daemon=True)
        self._notify = notify
        self._pace = pace
        self._stop_event = stop
        self._tell = tell
        self._tell_broken = tell_broken
        self._retired = threading.Event()
        self.start()

    def retire(self) -> None:
        """It is not needed any more; what it has heard by now is still told."""
        self._retired.set()

    def run(self) -> None:
        try:
            self._listen()
        except RuntimeError as broken:  # a name that is not UTF-8 ends it for good, for one
            if not self._retired.is_set():
                self._tell_broken(str(broken))
        finally:
            self._notify.close()

    def _listen(self) -> None:
        quiet = 0
        while not self._retired.is_set():
            step = self._pace.step if quiet < _RESTS_AFTER else max(self._pace.step, RESTING_STEP_MILLISECONDS)
            answer = self._notify.watch(DEBOUNCE_MILLISECONDS, step, _LOOK_UP_MILLISECONDS, self._stop_event)
            quiet += 1
            if isinstance(answer, set):
                quiet = 0
                self._tell(answer)
            elif answer != "timeout":
                return
        rest = self._notify.watch(0, 1, 1, None)
        if isinstance(rest, set):
            self._tell(rest)


def open_rust_notify(folders: list[str]) -> Notify:
    from watchfiles import _rust_notify  # noqa: PLC0415 - only who watches pays for the import

    # `ignore_permission_denied` would ignore every error, the watch limit included
    notify: Notify = _rust_notify.RustNotify(folders, False, False, 0, False, False)  # noqa: FBT003 - positional there
    return notify


def open_notify(folders: Iterable[str], open_one: OpenNotify = open_rust_notify) -> Notify:
    """Watches the folders that are there and may be read; raises `WatchRefusedError` when not all of them can be."""
    fault: Exception | None = None
    for _ in range(_ATTEMPTS):
        there = [folder for folder in folders if is_folder(folder) and os.access(folder, os.R_OK | os.X_OK)]
        try:
            return open_one(there)
        except (FileNotFoundError, PermissionError) as moved:  # between the look and the call
            fault = moved
        except (OSError, RuntimeError) as refused:
            raise build_refusal(refused) from refused
    raise FoldersMovedError(f"the folders come and go: {fault}", "They are watched again when it is quiet.") from fault


def is_watchable(folder: str) -> bool:
    """Whether watchfiles can take the name at all: it must be UTF-8."""
    try:
        folder.encode()
    except UnicodeEncodeError:
        return False
    return True


def build_refusal(refused: Exception) -> WatchRefusedError:
    words = str(refused)
    if "limit" in words or "os error 28" in words:
        hint = "Raise it with: sudo sysctl fs.inotify.max_user_watches=1048576"
    elif "os error 24" in words or "Too many open files" in words:
        hint = "Raise it with: sudo sysctl fs.inotify.max_user_instances=1024, or close programs that watch files."
    else:
        hint = "Is the repository on a network drive?"
    return WatchRefusedError(f"the folders cannot be watched: {words}", hint)
