"""What the watcher told since it was last looked at, put together."""

from __future__ import annotations

import threading
from typing import NamedTuple


class Notices(NamedTuple):
    """What may have changed."""

    paths: frozenset[str] = frozenset()
    refs: bool = False
    everything: bool = False

    def merge(self, other: Notices) -> Notices:
        return Notices(self.paths | other.paths, self.refs or other.refs, self.everything or other.everything)


class PendingNotices:
    """Filled by the watcher's thread, emptied by the one that reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending = Notices()

    def add(self, notices: Notices) -> bool:
        """Whether there is anything to read again."""
        with self._lock:
            self._pending = self._pending.merge(notices)
            return self._pending != Notices()

    def take(self) -> Notices | None:
        """All of it; nothing when somebody was faster."""
        with self._lock:
            taken, self._pending = self._pending, Notices()
        return None if taken == Notices() else taken
