"""Finds the commit that broke a check: on a separate worker, with progress, and cancelled on request."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import BisectPart, build_trouble
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
            self._store.change_part("bisect", part.number, cancelling=True)

    def _run(self, number: int, check: str, key: HandoffKey, cancel: threading.Event) -> None:
        snapshot = self._store.find_snapshot()
        if snapshot is None:
            return
        from handoff_tui.checks.run.commands import list_commands  # noqa: PLC0415
        from handoff_tui.history.bisect.bisect import BisectControl, BisectRequest, bisect  # noqa: PLC0415 - when it is asked for

        def add(progress: BisectProgress) -> None:
            part = self._store.state.bisect
            self._store.change_part("bisect", number, trials=(*(part.trials if part is not None else ()), progress))

        try:
            is_command = check in {command.id for command in list_commands(snapshot.session, None, None)}
            request = BisectRequest(check, None if is_command else key.handoff)
            report = bisect(snapshot.session, request, BisectControl(on_progress=add, cancel=cancel))
        except (HandoffError, OSError) as refused:
            self._store.change_part("bisect", number, trouble=build_trouble(refused), cancelling=False)
        else:
            self._store.change_part("bisect", number, report=report, cancelling=False)
