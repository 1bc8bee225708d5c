"""Work that waits until a repository is quiet: measuring its handoffs, and proving the log byte by byte."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import CheckResult
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.live.feed.live_checks import LiveChecks
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.live.feed.verdict_cache import DeepVerdictCache
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.entry import LogProblemLevel
from handoff_tui.status.inbox_item import CauseCommit, InboxItem, MeasuredGate
from handoff_tui.system.clock import read_monotonic

if TYPE_CHECKING:
    from handoff_tui.changes.risk import RiskMemory
    from handoff_tui.checks.report import CheckResult
    from handoff_tui.status.inbox import MeasuredWork


ListCommands = Callable[[str], tuple["CheckResult", ...]]
"""The results of commands that were run at this desk, by repository."""

_PROOF_RANK, _RISKS_RANK = 50, 99
"""After everything that somebody waits for."""
_QUIET_SECONDS = 1.0
_SHOW_SECONDS = 0.2
"""Results are shown in batches: sorting the queue again for each would take longer than measuring."""
_MOST_RETRIES = 3
_MOST_KEPT = 64
"""Handoffs whose last run is kept, so that after a save only what it touched is run again."""


class LogProof:
    """Verifies the log without any cache: a file changed in place escapes whoever remembers it. Writes nothing."""

    def __init__(self, store: StateStore, worker: KeyedWorker, tell: Callable[[], None]) -> None:
        self._store, self._worker, self._tell = store, worker, tell
        self._proven: int | None = None
        self.fatal: tuple[str, ...] = ()
        """What is wrong with the log; empty if it is intact."""

    def begin(self, root: str) -> None:
        """Starts a verification if the log may have changed since the last one; returns at once."""
        snapshot = self._store.snapshots.get(root)
        if snapshot is not None and snapshot.gates is not None and snapshot.log_version != self._proven:
            self._worker.submit((self, "prove"), lambda _: self._prove(root), rank=_PROOF_RANK, delay=_QUIET_SECONDS)

    def _prove(self, root: str) -> None:
        from handoff_tui.log.open_log import open_log  # noqa: PLC0415 - after the first paint

        snapshot = self._store.snapshots.get(root)
        if snapshot is None:
            return
        try:
            verdict = open_log(snapshot.session.repository, remembered=False).verify()
        except (HandoffError, OSError) as unreadable:
            fatal: tuple[str, ...] = (str(unreadable),)
        else:
            fatal = tuple(problem.text for problem in verdict.problems if problem.level is LogProblemLevel.FATAL)
        self._proven = snapshot.log_version
        if fatal != self.fatal:
            self.fatal = fatal
            self._tell()


class Measuring:
    """Measures a repository's handoffs: risks and size of each, and the checks of those that need the reviewer.

    The last results are shown until there are new ones.
    """

    def __init__(self, store: StateStore, worker: KeyedWorker, list_commands: ListCommands) -> None:
        self._store, self._worker, self._list_commands = store, worker, list_commands
        self._memory: RiskMemory | None = None
        self._gates: GateMeasurer | None = None
        self._measured: dict[str, MeasuredWork] = {}
        self._failures = 0

    def add_known(self, root: str, inbox: tuple[InboxItem, ...]) -> tuple[InboxItem, ...]:
        """Returns the items with what is known of them."""
        from handoff_tui.status.inbox import add_measured  # noqa: PLC0415 - after the first paint

        return add_measured(inbox, root, self._measured)

    def begin(self, root: str) -> None:
        """Measures after a quiet while; the first time at once."""
        self._submit(root, _QUIET_SECONDS if self._measured else 0.0)

    def _submit(self, root: str, delay: float) -> None:
        self._worker.submit(("risks", root), lambda cancel: self._measure(root, cancel), rank=_RISKS_RANK, delay=delay)

    def _measure(self, root: str, cancel: threading.Event) -> None:
        from handoff_tui.changes.risk import RiskMemory, read_risks  # noqa: PLC0415 - after the first paint

        snapshot = self._store.snapshots.get(root)
        if snapshot is None:
            return
        if self._memory is None or self._gates is None:
            self._memory, self._gates = RiskMemory(), GateMeasurer()
        try:
            measured = read_risks(snapshot.session, snapshot.state, snapshot.gates, self._memory)
            kept = {name: work._replace(gate=self._find_gate(name)) for name, work in measured.items()}
            self._show(root, kept, cancel)
            shown_at = read_monotonic()
            for name, gate in self._gates.measure(snapshot, self._list_commands(root), cancel):
                kept = kept | {name: kept[name]._replace(gate=gate)}
                if read_monotonic() - shown_at > _SHOW_SECONDS:
                    self._show(root, kept, cancel)
                    shown_at = read_monotonic()
            self._show(root, kept, cancel)
        except (HandoffError, OSError):
            self._retry(root)
            return
        self._failures = 0

    def _find_gate(self, name: str) -> MeasuredGate | None:
        known = self._measured.get(name)
        return known.gate if known is not None else None

    def _show(self, root: str, measured: dict[str, MeasuredWork], cancel: threading.Event) -> None:
        if cancel.is_set() or measured == self._measured:
            return
        self._measured = measured
        self._store.change(lambda state: replace(state, inbox=self.add_known(root, state.inbox)))

    def _retry(self, root: str) -> None:
        """Retries a few times, later and later: an agent may be writing. Until then nothing counts as measured."""
        self._failures += 1
        if self._failures <= _MOST_RETRIES:
            self._submit(root, self._failures * _QUIET_SECONDS)
        else:
            self._failures = 0


class GateMeasurer:
    """Measures gates one after the other, on one thread."""

    def __init__(self) -> None:
        self._verdicts = DeepVerdictCache()
        self._checks: dict[str, LiveChecks] = {}

    def measure(
        self, snapshot: RepositorySnapshot, commands: tuple[CheckResult, ...], cancel: Event
    ) -> Iterator[tuple[str, MeasuredGate]]:
        """Yields each gate that a person at this desk must decide on, in the order of the queue."""
        if snapshot.session.loaded.refused is not None:
            return
        causes = CauseFinder(snapshot)
        handoffs = {handoff.id: handoff for handoff in snapshot.reading.result.handoffs}
        for name in [item.key.handoff for item in snapshot.inbox if item.waits_on_me]:
            if cancel.is_set():
                return
            checks = self._checks.get(name) or LiveChecks(self._verdicts)
            if len(self._checks) < _MOST_KEPT:
                self._checks[name] = checks
            report = checks.run(snapshot, name, None, commands, cancel)
            verdicts = self._verdicts.find(snapshot).measure(handoffs[name])
            if not cancel.is_set():
                yield name, measure_gate(report, verdicts, partial(causes.find, handoff=name))


class CauseFinder:
    """Finds the commit that last changed a path, and whose it is."""

    def __init__(self, snapshot: RepositorySnapshot) -> None:
        self._scopes = snapshot.incremental.handoff_reviewer.scopes
        found = snapshot.gates.work.found if snapshot.gates is not None else None
        self._commits = {one.id: one for one in found.history} if found is not None else {}
        self._last = {change.path: one.id for one in self._commits.values() for change in one.changes}

    def find(self, path: str, handoff: str) -> CauseCommit | None:
        """Returns the last commit that changed a path; None if none did, or it isn't committed."""
        commit = self._commits.get(self._last.get(path, ""))
        if commit is None:
            return None
        owners = (name for name, scope in self._scopes.by_handoff.items() if commit.id in scope.commits)
        owner = next((name for name in owners if name != handoff), "")
        return CauseCommit(commit.id[:SHORT_COMMIT], commit.subject, commit.author, owner)
