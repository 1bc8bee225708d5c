"""A thread that runs jobs by key: the newest job of a key wins, older ones never run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from handoff_tui.core.classes import dataclass
from handoff_tui.system.clock import read_monotonic

_PATIENCE = 4
"""A job is put off at most this many times its delay while others keep coming."""
Work = Callable[[threading.Event], None]
"""What a job does; the event is set when its result is no longer wanted."""


@dataclass(frozen=True, slots=True)
class _Job:
    key: Hashable
    work: Work
    order: tuple[int, int]
    since: float
    not_before: float
    cancel: threading.Event


class BackgroundThread(threading.Thread):
    """A thread that never keeps the program alive."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)

    def join(self, timeout: float | None = None) -> None:
        """Waits for the thread; returns at once if it was never started."""
        if self.ident is not None:
            super().join(timeout)


class KeyedWorker(BackgroundThread):
    """Runs one job at a time; each key has at most one running and one waiting. Lower ranks go first."""

    def __init__(self, name: str, on_bug: Callable[[BaseException], None]) -> None:
        super().__init__(f"worker-{name}")
        self._on_bug = on_bug
        self._news = threading.Condition()
        self._waiting: dict[Hashable, _Job] = {}
        self._running: _Job | None = None
        self._number = 0
        self._stopped = False

    def submit(self, key: Hashable, work: Work, *, rank: int = 0, delay: float = 0.0) -> None:
        """Replaces the waiting job of this key and keeps its turn; returns at once.

        With a delay the job waits until no other has come for that long, but not much longer.
        """
        with self._news:
            if self._stopped:
                return
            earlier = self._waiting.get(key)
            self._number += 1
            number = earlier.order[1] if earlier is not None else self._number
            now = read_monotonic()
            since = now if earlier is None else earlier.since
            not_before = min(now + delay, since + _PATIENCE * delay)
            self._waiting[key] = _Job(key, work, (rank, number), since, not_before, threading.Event())
            self._news.notify_all()

    def cancel(self, key: Hashable) -> None:
        """Drops the waiting job of this key, and tells the running one that nobody wants its result."""
        with self._news:
            self._waiting.pop(key, None)
            if self._running is not None and self._running.key == key:
                self._running.cancel.set()

    def cancel_all(self) -> None:
        with self._news:
            self._waiting.clear()
            if self._running is not None:
                self._running.cancel.set()

    def stop(self) -> None:
        """Ends the thread after the running job, which is told to stop."""
        with self._news:
            self._stopped = True
        self.cancel_all()
        with self._news:
            self._news.notify_all()

    @property
    def submitted(self) -> int:
        """How many jobs were submitted so far."""
        with self._news:
            return self._number

    def is_idle(self) -> bool:
        """Tells whether nothing runs and nothing waits."""
        with self._news:
            return self._running is None and not self._waiting

    def run(self) -> None:
        while (job := self._take()) is not None:
            try:
                job.work(job.cancel)
            except Exception as bug:  # noqa: BLE001 - the worker's owner reports it, and the worker goes on
                self._on_bug(bug)
            finally:
                with self._news:
                    self._running = None
                    self._news.notify_all()

    def _take(self) -> _Job | None:
        """Waits for the next job; None when the worker is stopped."""
        with self._news:
            while not self._stopped:
                now = read_monotonic()
                ready = [job for job in self._waiting.values() if job.not_before <= now]
                if ready:
                    self._running = min(ready, key=lambda job: job.order)
                    return self._waiting.pop(self._running.key)
                soonest = min((job.not_before for job in self._waiting.values()), default=None)
                self._news.wait(None if soonest is None else max(soonest - now, 0.0))
            return None
