"""Runs the checks of every handoff that needs the reviewer: nothing is ready before its gate was measured."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from threading import Event

from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import CheckResult
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.live.feed.live_checks import LiveChecks
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.status.inbox_item import CauseCommit, MeasuredGate

_MOST_KEPT = 64
"""Handoffs whose last run is kept, so that after a save only what it touched is run again."""


class GateMeasurer:
    """Measures gates one after the other, on one thread."""

    def __init__(self) -> None:
        self._checks: dict[str, LiveChecks] = {}

    def measure(
        self, snapshot: RepositorySnapshot, commands: tuple[CheckResult, ...], cancel: Event
    ) -> Iterator[tuple[str, MeasuredGate]]:
        """Yields each gate that the user must decide on, in the order of the queue."""
        if snapshot.session.loaded.refused is not None:
            return
        causes = CauseFinder(snapshot)
        for name in [item.key.handoff for item in snapshot.inbox if item.waits_on_me]:
            if cancel.is_set():
                return
            checks = self._checks.get(name) or LiveChecks()
            if len(self._checks) < _MOST_KEPT:
                self._checks[name] = checks
            report = checks.run(snapshot, name, None, commands, cancel)
            if not cancel.is_set():
                yield name, measure_gate(report, snapshot.verdicts[name], partial(causes.find, handoff=name))


class CauseFinder:
    """Finds the commit that last changed a path, and whose it is."""

    def __init__(self, snapshot: RepositorySnapshot) -> None:
        self._scopes = snapshot.handoff_reviewer.scopes
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
