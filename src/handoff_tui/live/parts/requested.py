"""What a person asks for: an entry of the log, a comparison, why it fails, a run of checks, a bisect.

Each runs on a worker; the latest request of a kind replaces the earlier one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from handoff_tui.checks.report import CheckReport, CheckResult
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.parts.visible import VisibleParts
from handoff_tui.live.state.app import AppState, BisectPart, ChecksProgress, Loaded, build_trouble, load
from handoff_tui.live.state_store import StateStore, put_parts
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.history.bisect.report import BisectProgress
    from handoff_tui.live.feed.snapshot import RepositorySnapshot

_CHECKS = "requested"
_BISECT = "bisect"
_Read = Callable[[Any, "RepositorySnapshot", threading.Event], object]
"""Reads with the loader of parts, which is imported when something is asked for."""


class RequestedParts:
    """Reads one part of the state on request. An answer about another handoff is not shown."""

    def __init__(self, store: StateStore, worker: KeyedWorker, parts: VisibleParts) -> None:
        self._store, self._worker, self._parts = store, worker, parts

    def open_entry(self, entry: str) -> None:
        self._begin("entry", lambda loader, snapshot, _: loader.read_entry(snapshot, entry))

    def verify_log(self) -> None:
        """Verifies every byte of the log again; the last report stays until then."""
        self._begin("report", lambda loader, snapshot, _: loader.read_report(snapshot), keep=True)

    def compare(self, before: str, after: str) -> None:
        """Compares two attempts by name; for the current work the checks are examined, and no command is started."""
        self._begin(
            "comparison",
            lambda loader, snapshot, cancel: loader.read_comparison(snapshot, before, after, cancel),
            of_handoff=True,
        )

    def explain(self) -> None:
        """Explains why the gate in view is closed."""
        wanted = self._parts.loader.build_wanted
        self._begin(
            "failure",
            lambda loader, snapshot, cancel: loader.read_why(snapshot, wanted(self._store.state), cancel),
            of_handoff=True,
        )

    def cancel(self, *names: str) -> None:
        for name in names:
            self._worker.cancel(name)

    def _begin(self, name: str, read: _Read, *, keep: bool = False, of_handoff: bool = False) -> None:
        key = self._store.state.chosen
        if of_handoff and key is None:
            return

        def wait(state: AppState) -> AppState:
            before: Loaded[Any] = getattr(state, name)
            waiting = replace(before, loading=True, stale=before.value is not None) if keep else Loaded(loading=True)
            return put_parts(state, {name: waiting})

        def work(cancel: threading.Event) -> None:
            snapshot = self._store.find_snapshot()
            if snapshot is None or (of_handoff and self._store.state.chosen != key):
                return
            from handoff_tui.live.parts import loader  # noqa: PLC0415 - after the first paint

            loaded: Loaded[Any] = load(lambda: read(loader, snapshot, cancel), read_now())

            def put(state: AppState) -> AppState:
                return state if of_handoff and state.chosen != key else put_parts(state, {name: loaded})

            if not cancel.is_set():
                self._store.change(put)

        self._store.change(wait)
        self._worker.cancel(name)
        self._worker.submit(name, work, rank=-1)


class RequestedChecks:
    """Runs checks on request, commands included, with progress; one run at a time."""

    def __init__(self, store: StateStore, worker: KeyedWorker, read_anew: Callable[[str], None]) -> None:
        """`read_anew` reads a repository again: what was found and counted leaves no trace that is watched."""
        self._store, self._worker, self._read_anew = store, worker, read_anew

    def run(self, only: tuple[str, ...] = (), *, fresh: bool = True) -> None:
        """Runs all checks of the gate in view, or these."""
        key = self._store.state.chosen
        if key is not None:
            self._worker.cancel(_CHECKS)
            self._worker.submit(_CHECKS, lambda cancel: self._run(key, only, cancel, fresh=fresh))

    def cancel(self) -> None:
        self._worker.cancel(_CHECKS)

    def _run(self, key: HandoffKey, only: tuple[str, ...], cancel: threading.Event, *, fresh: bool) -> None:
        state = self._store.state
        snapshot = self._store.find_snapshot(state)
        if snapshot is None or state.chosen != key:
            return
        from handoff_tui.checks.run.check import Prefetched, ProgressCallbacks, check  # noqa: PLC0415 - after the first paint
        from handoff_tui.live.feed.live_checks import build_request  # noqa: PLC0415

        started = read_now()

        def tell(result: CheckResult | None, done: int, total: int) -> None:
            progress = ChecksProgress(done, total, result.id if result else "", started, only)
            self._store.change(lambda now: replace(now, running=progress) if now.chosen == key else now)

        tell(None, 0, 0)
        try:
            snapshot.session.loaded.refuse_judging()
            request = build_request(snapshot, key.handoff, state.phase)._replace(only=only, fresh=fresh)
            progress = ProgressCallbacks(on_result=tell, cancel=cancel)
            report = check(snapshot.session, request, progress, Prefetched(snapshot.reading))
            self._store.note_commands(key.root, report.command_results)
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self._show(key, lambda loaded: replace(loaded, trouble=trouble))
        else:
            if self._store.find_snapshot() is snapshot:  # else newer results are there already, or on their way
                self._show(key, lambda loaded: Loaded(_merge(loaded.value, report), at=read_now()))
        finally:
            self._store.change(lambda now: now if now.running is None else replace(now, running=None))
        self._read_anew(key.root)

    def _show(self, key: HandoffKey, change: Callable[[Loaded[CheckReport]], Loaded[CheckReport]]) -> None:
        def apply(state: AppState) -> AppState:
            return replace(state, checks=change(state.checks)) if state.chosen == key else state

        self._store.change(apply)


def _merge(before: CheckReport | None, report: CheckReport) -> CheckReport:
    """Keeps the results of the other checks if only some were run."""
    if before is None or len(before.results) <= len(report.results):
        return report
    from handoff_tui.live.feed.live_checks import merge_reports  # noqa: PLC0415 - after the first paint

    return merge_reports(before, report)


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
        self._worker.cancel(_BISECT)
        part = BisectPart(number, check, key.handoff)
        self._store.change(lambda state: replace(state, bisect=part))
        self._worker.submit(_BISECT, lambda cancel: self._run(number, check, key, cancel))

    def cancel(self) -> None:
        """Stops the search. Its results so far stay visible; nothing is left on disk."""
        self._worker.cancel(_BISECT)
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
