"""One try: with a time limit, ended early when the run is withdrawn, and never an exception."""

from __future__ import annotations

import threading
from collections.abc import Callable
from threading import Event

from handoff_tui.agents.engine.engine import Attempted, GateLook
from handoff_tui.agents.procedures.report import ProcedureTry, TryResult
from handoff_tui.core.errors import HandoffError
from handoff_tui.system.background import Background

GRACE_SECONDS = 10.0
"""How long a built-in step may go on after its time, before it counts as still at work."""
_LOOK_SECONDS = 0.5


class Watch:
    """The work of one run in this process: what is under way, and what did not end when it should have."""

    def __init__(self, grace_seconds: float = GRACE_SECONDS) -> None:
        self.withdrawn = Event()
        """Set when somebody has asked the run to end, so that work under way ends early."""
        self._grace_seconds = grace_seconds
        self._overdue: list[Background[ProcedureTry]] = []

    def attempt(
        self,
        draft: ProcedureTry,
        seconds: float,
        work: Callable[[Event], Attempted],
        *,
        to_the_end: bool = False,
    ) -> ProcedureTry:
        """Does the work on a thread of its own, so that a step that hangs does not hold the run.

        What undoes a run is done to the end although somebody asked the run to end.
        """
        if self.withdrawn.is_set() and not to_the_end:
            return draft.model_copy(update={"result": TryResult.WITHDRAWN, "begun": False})
        cancel = Event()
        thread = Background(lambda: _attempt(draft, lambda: work(cancel)))
        left = seconds
        while thread.is_alive() and left > 0:
            thread.join(min(left, _LOOK_SECONDS))
            left -= _LOOK_SECONDS
            if self.withdrawn.is_set() and not to_the_end:
                break
        if not thread.is_alive():
            return thread.finish()
        cancel.set()
        self._overdue.append(thread)
        if left > 0:
            return _end(draft, TryResult.WITHDRAWN)
        return _end(draft, TryResult.TIMEOUT, f"not done within {seconds:g} s")

    def look(self, draft: ProcedureTry, look: Callable[[], GateLook]) -> ProcedureTry:
        """One look at a gate. What cannot be read now may be readable later, so it is waited for."""
        if self.withdrawn.is_set():
            return _end(draft, TryResult.WITHDRAWN)
        try:
            found = look()
        except HandoffError as unread:
            return _end(draft, TryResult.WAITING, unread.message)
        result = {True: TryResult.PASS, False: TryResult.FAIL, None: TryResult.WAITING}[found.open]
        return draft.model_copy(update={"result": result, "detail": found.why, "evidence": found.entry})

    def fence(self, draft: ProcedureTry, stop_agents: Callable[[], None]) -> ProcedureTry:
        """Nothing may be undone under work that is still being done."""
        for thread in self._overdue:
            thread.join(self._grace_seconds)
        self._overdue = [thread for thread in self._overdue if thread.is_alive()]
        if self._overdue:
            return _end(draft, TryResult.FAIL, "a step that took too long is still at work")
        try:
            stop_agents()
        except HandoffError as refused:
            return _end(draft, TryResult.FAIL, refused.message)
        return _end(draft, TryResult.PASS)


class Watches:
    """The runs of this process, each with its watch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_run: dict[str, Watch] = {}

    def find(self, run: str) -> Watch:
        with self._lock:
            return self._by_run.setdefault(run, Watch())

    def forget(self, run: str) -> None:
        with self._lock:
            self._by_run.pop(run, None)

    def list(self) -> dict[str, Watch]:
        with self._lock:
            return dict(self._by_run)


def _attempt(draft: ProcedureTry, work: Callable[[], Attempted]) -> ProcedureTry:
    try:
        passed, detail, evidence = work()
    except HandoffError as refused:
        return _end(draft, TryResult.ERROR, refused.message)
    result = TryResult.PASS if passed else TryResult.FAIL
    return draft.model_copy(update={"result": result, "detail": detail, "evidence": evidence})


def _end(draft: ProcedureTry, result: TryResult, detail: str = "") -> ProcedureTry:
    return draft.model_copy(update={"result": result, "detail": detail})
