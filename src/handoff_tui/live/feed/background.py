"""Work that waits until a repository is quiet: measuring its handoffs, and proving the log byte by byte."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.entry import LogProblemLevel
from handoff_tui.status.inbox_item import InboxItem, MeasuredGate
from handoff_tui.system.clock import read_monotonic

if TYPE_CHECKING:
    from handoff_tui.changes.risk import RiskMemory
    from handoff_tui.live.feed.gate_measurer import GateMeasurer
    from handoff_tui.status.inbox import MeasuredWork

_PROOF_RANK, _RISKS_RANK = 50, 99
"""After everything that somebody waits for."""
_QUIET_SECONDS = 1.0
_SHOW_SECONDS = 0.2
"""Results are shown in batches: sorting the queue again for each would take longer than measuring."""
_MOST_RETRIES = 3


class LogProof:
    """Verifies the log without any cache: a cache would miss a file that was changed in place. Writes nothing."""

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

    def __init__(self, store: StateStore, worker: KeyedWorker) -> None:
        self._store, self._worker = store, worker
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
        from handoff_tui.live.feed.gate_measurer import GateMeasurer  # noqa: PLC0415 - after the first paint

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
            for name, gate in self._gates.measure(snapshot, self._store.list_commands(root), cancel):
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
