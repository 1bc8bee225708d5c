"""Why something fails: the check to look at first, what it printed, what changed since it passed, who met it before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.checks.report import CheckReport, is_open
from handoff_tui.checks.result import CheckResult
from handoff_tui.checks.run.check import CheckRequest, Telling, check
from handoff_tui.checks.run.commands import CommandCheck, list_commands
from handoff_tui.checks.run.memory import load_memory
from handoff_tui.core.errors import UsageError
from handoff_tui.decisions.examine import find_handoff, plan_gate
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.attempts.compare import compare_runs
from handoff_tui.history.attempts.measure import read_attempt_run
from handoff_tui.history.bisect.trials import can_bisect
from handoff_tui.history.failure.changes import ChangeFinder, Since, find_last_good, list_unset
from handoff_tui.history.failure.earlier import find_earlier
from handoff_tui.history.failure.evidence import MOST_ENTRIES, EntryEvidence, list_evidence
from handoff_tui.history.failure.order import OrderedFailure, order_failures
from handoff_tui.history.failure.output import read_excerpt
from handoff_tui.history.failure.report import FailedCheck, FailureReport, GoodMoment
from handoff_tui.history.known_phases import find_known_phase
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog
from handoff_tui.status.refresh import read_harvest

_NO_EVIDENCE = "no entry of the log says that it ever passed, so there is nothing to compare with"
_BROKEN = "the log is not sound, so nothing is taken from it: handoff-tui log verify"


class FailurePlace(NamedTuple):
    """Which gate is asked about."""

    handoff: str | None = None
    phase: str | None = None
    attempt: int | None = None


def read_failure(
    desk: Desk,
    log: OpenLog,
    wanted: str | None = None,
    phase: str | None = None,
    *,
    only: str | None = None,
    telling: Telling | None = None,
) -> FailureReport:
    """Runs the checks of a handoff's gate, or all of them, as `check` does, and explores what does not pass."""
    verdict = log.verify()
    index = build_log_index(verdict)
    place, request = FailurePlace(), CheckRequest()
    if wanted is None and phase is not None:
        raise UsageError("a phase is one of a handoff, and none is named", f"handoff-tui failure ID --phase {phase}")
    if wanted is not None:
        handoffs = read_harvest(desk).handoffs
        handoff = find_handoff(handoffs, wanted)
        known = find_known_phase(desk, index, handoff, phase, list_runs(desk.repository.common_dir, handoff.id))
        plan = plan_gate(desk, index, handoffs, wanted, known)
        place = FailurePlace(plan.handoff.id, plan.phase, plan.attempt)
        request = plan.build_request(fresh=False)
    report = check(desk, request, telling)
    if only is not None and only not in {result.id for result in report.results}:
        raise UsageError(f"no check here has the id {only!r}", "`handoff-tui check --list` lists them.")
    return explore_failure(desk, report, None if verdict.fatal else index, place, only=only)


def explore_failure(
    desk: Desk,
    report: CheckReport,
    index: LogIndex | None,
    place: FailurePlace | None = None,
    *,
    only: str | None = None,
) -> FailureReport:
    """Explores results that are there already. `index` is nothing where the log cannot be relied on."""
    place = place or FailurePlace(report.handoff)
    evidence = () if index is None else list_evidence(desk, index)
    explorer = _Explorer(desk, report, evidence, place.handoff)
    needs = {name: own.needs for name, own in desk.loaded.settings.checks.items()}
    ordered = order_failures(filter(is_open, report.results), needs)
    notes = [_BROKEN] if index is None else []
    if len(evidence) == MOST_ENTRIES:
        notes.append(f"of the log the newest {MOST_ENTRIES} entries were looked through")
    found = FailureReport(
        handoff=place.handoff,
        phase=place.phase,
        attempt=place.attempt,
        head=report.head,
        blocked=report.verdict == "blocked",
        passed=report.passed,
        total=report.total,
        failed=tuple(explorer.explore(one) for one in ordered if only in {None, one.result.id}),
        notes=tuple(notes),
    )
    return found if place.handoff is None else _add_runs(desk, found, place.handoff)


@dataclass
class _Explorer:
    """Looks into the failures of one report; what several of them ask about is read once."""

    desk: Desk
    report: CheckReport
    evidence: tuple[EntryEvidence, ...]
    handoff: str | None

    def __post_init__(self) -> None:
        self._commands = {command.id: command for command in list_commands(self.desk, None, None)}
        self._holds = {rule.id: rule.holds for rule in self.report.rules}
        self._changes = ChangeFinder(self.desk)
        self._passes = load_memory(self.desk.repository.root, self.report.handoff).commands

    def explore(self, one: OrderedFailure) -> FailedCheck:
        result = one.result
        command = self._commands.get(result.id)
        good = find_last_good(self.desk, result.id, self.evidence, self.handoff, is_command=command is not None)
        since = Since(notes=(_NO_EVIDENCE,)) if good is None else self._changes.find(result, command, good)
        return FailedCheck(
            result=result,
            needs=one.needs,
            holds_back=one.holds_back,
            holds=self._holds.get(result.id, ""),
            command="" if command is None else command.shown,
            output=read_excerpt(result.log),
            last_good=good or self._find_own_pass(result, command),
            changes=since.changes,
            files=since.files,
            files_total=since.files_total,
            unset=() if command is None else list_unset(command.check),
            earlier=find_earlier(result, self.evidence, self.handoff, is_command=command is not None),
            can_bisect=can_bisect(result.id),
            notes=since.notes,
        )

    def _find_own_pass(self, result: CheckResult, command: CommandCheck | None) -> GoodMoment | None:
        """A pass of a command on this machine, of which only the time is known."""
        passed = self._passes.get(result.id) if command is not None else None
        if passed is None or passed.ran_at is None:
            return None
        return GoodMoment(source="cache", time=passed.ran_at.isoformat(timespec="seconds"))


def _add_runs(desk: Desk, report: FailureReport, handoff: str) -> FailureReport:
    """The last run of an agent where it did not come through, beside the last one that did."""
    runs = list_runs(desk.repository.common_dir, handoff)
    last = runs[-1] if runs else None
    if last is None or not last.is_over or _came_through(last):
        return report
    failed = read_attempt_run(last)
    good = next((state for state in reversed(runs) if _came_through(state)), None)
    return report.model_copy(
        update={
            "last_run": failed,
            "last_run_output": read_excerpt(failed.output),
            "run_changes": compare_runs(None if good is None else read_attempt_run(good, tail_lines=0), failed),
        }
    )


def _came_through(state: RunState) -> bool:
    report = load_report(state)
    return report is not None and report.outcome is StepOutcome.READY
