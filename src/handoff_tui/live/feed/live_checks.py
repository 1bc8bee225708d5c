"""Keeps the checks of the handoff in view live: after a save only those run whose inputs it touched."""

from __future__ import annotations

from threading import Event

from handoff_tui.checks.report import CheckReport, CheckResult
from handoff_tui.checks.run.check import FinishedChecks, Prefetched, ProgressCallbacks, check_once
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.run.guards import guard
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import CheckMoment
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.log.gates.position import find_phase
from handoff_tui.status.show import find_handoff


def build_request(snapshot: RepositorySnapshot, handoff: str, phase: str | None) -> CheckRequest:
    """Returns the request for the checks of the handoff's gate."""
    found = find_handoff(snapshot.state, handoff).handoff
    if snapshot.session.work_tree.facts.head is None:
        return CheckRequest(CheckMoment.GATE, phase, found.id)
    start = snapshot.handoff_reviewer.scopes.of(found.id).start
    return CheckRequest(CheckMoment.GATE, find_phase(found, phase), found.id, baseline=start)


def merge_reports(before: CheckReport, report: CheckReport) -> CheckReport:
    """Replaces the results of some checks among those of all."""
    new = {result.id: result for result in report.results}
    return before.with_results(tuple(new.get(result.id, result) for result in before.results))


class _LastRun(NamedTuple):
    place: tuple[object, ...]
    """The repository, the handoff, its phase, and the full read."""
    rests_on: tuple[object, ...]
    state: FinishedChecks
    report: CheckReport


class LiveChecks:
    """Runs the checks of one handoff at a time, on one thread. Commands are not run; fitting earlier results count."""

    def __init__(self) -> None:
        self._last: _LastRun | None = None

    def run(
        self,
        snapshot: RepositorySnapshot,
        handoff: str,
        phase: str | None,
        commands: tuple[CheckResult, ...],
        cancel: Event,
    ) -> CheckReport:
        place = (snapshot.state.repository.root, handoff, phase, snapshot.log_version)
        rests_on = (snapshot.version, commands)
        last = self._last if self._last is not None and self._last.place == place else None
        if last is not None and last.rests_on == rests_on:
            return last.report
        request = build_request(snapshot, handoff, phase)._replace(run_commands=False)
        reviewer = snapshot.handoff_reviewer
        session = guard(snapshot.session, reviewer.scopes.of(handoff).start).session
        gates = snapshot.gates.ask_without_checks() if snapshot.gates is not None else None
        known = Prefetched(
            snapshot.reading,
            commands,
            verdicts=snapshot.verdicts,
            scopes=reviewer.scopes,
            gates=gates,
            lives=reviewer.lives,
        )
        progress = ProgressCallbacks(cancel=cancel)
        report, state = check_once(session, request, progress, known, last.state if last is not None else None)
        if last is None:
            state.cache.save()
        self._last = None if cancel.is_set() else _LastRun(place, rests_on, state, report)
        return report
