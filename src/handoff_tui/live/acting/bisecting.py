"""Finds the commit that broke a check: on a separate worker, with progress, and cancelled on request."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import AppState, BisectPart, build_trouble
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey

if TYPE_CHECKING:
    from handoff_tui.history.bisect.report import BisectProgress

_KEY = "bisect"


class Bisecting:
    """Runs one search at a time; a later one replaces an earlier one."""

    def __init__(self, store: StateStore, worker: KeyedWorker) -> None:
        self._store, self._worker = store, worker

    def begin(self, check: str) -> None:
        """Searches the history of HEAD for the handoff in view."""
        state = self._store.state
        key = state.chosen
        if key is None:
            return
        number = state.bisect.number + 1 if state.bisect is not None else 1
        self._worker.cancel(_KEY)
        part = BisectPart(number, check, key.handoff)
        self._store.change(lambda state: replace(state, bisect=part))
        self._worker.submit(_KEY, lambda cancel: self._run(number, check, key, cancel))

    def cancel(self) -> None:
        """Stops the search. Its results so far stay visible; nothing is left on disk."""
        self._worker.cancel(_KEY)
        part = self._store.state.bisect
        if part is not None and not part.is_over:
            self._change(part.number, cancelling=True)

    def _run(self, number: int, check: str, key: HandoffKey, cancel: threading.Event) -> None:
        snapshot = self._store.find_snapshot()
        if snapshot is None:
            return
        from handoff_tui.checks.run.commands import list_commands  # noqa: PLC0415
        from handoff_tui.history.bisect.bisect import BisectControl, BisectRequest, bisect  # noqa: PLC0415 - when it is asked for

        telling = BisectControl(on_progress=lambda progress: self._add(number, progress), cancel=cancel)
        try:
            is_command = check in {command.id for command in list_commands(snapshot.desk, None, None)}
            report = bisect(snapshot.desk, BisectRequest(check, None if is_command else key.handoff), telling)
        except (HandoffError, OSError) as refused:
            self._change(number, trouble=build_trouble(refused), cancelling=False)
        else:
            self._change(number, report=report, cancelling=False)

    def _add(self, number: int, progress: BisectProgress) -> None:
        part = self._store.state.bisect
        if part is not None:
            self._change(number, trials=(*part.trials, progress))

    def _change(self, number: int, **changes: Any) -> None:  # noqa: ANN401 - each of its field's own type
        def put(state: AppState) -> AppState:
            part = state.bisect
            return state if part is None or part.number != number else replace(state, bisect=replace(part, **changes))

        self._store.change(put)
