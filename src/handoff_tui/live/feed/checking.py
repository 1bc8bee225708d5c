"""Checks for the handoff in view: those that only read, live; all of them when a person asks."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from handoff_tui.checks.contract import Moment
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import CheckResult
from handoff_tui.checks.run.check import Beforehand, CheckRequest, Telling, check, list_command_results
from handoff_tui.checks.verdict import build_verdict
from handoff_tui.core.severity import Severity
from handoff_tui.decisions.examine import plan_gate
from handoff_tui.live.feed.snapshot import Scene
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log

_RANK = {severity: number for number, severity in enumerate(Severity)}


def run_asked(
    scene: Scene,
    place: tuple[str, str | None, tuple[str, ...]],
    tell: Callable[[CheckResult | None, int, int], None],
    cancel: Event,
    *,
    fresh: bool,
) -> tuple[CheckReport, tuple[CheckResult, ...]]:
    """Runs the checks of a gate, or some of them; the report, and the results of its commands."""
    scene.desk.loaded.refuse_judging()
    handoff, phase, only = place
    request = build_request(scene, handoff, phase)._replace(only=only, fresh=fresh)
    report = check(scene.desk, request, Telling(on_result=tell, cancel=cancel), Beforehand(scene.reading))
    return report, list_command_results(report)


def build_request(scene: Scene, handoff: str, phase: str | None) -> CheckRequest:
    """The checks of the gate that the handoff stands at."""
    desk = scene.desk
    if desk.work_tree.facts.head is None:
        return CheckRequest(Moment.GATE, phase, handoff)
    index = scene.gates.index if scene.gates else build_log_index(open_log(desk.repository).verify())
    return plan_gate(desk, index, scene.reading.harvest.handoffs, handoff, phase).build_request(fresh=False)


def merge_reports(before: CheckReport, report: CheckReport) -> CheckReport:
    """The results of a part of the checks in their places among those of all."""
    new = {result.id: result for result in report.results}
    return merge_results(before, tuple(new.get(result.id, result) for result in before.results))


def merge_results(report: CheckReport, results: tuple[CheckResult, ...]) -> CheckReport:
    """The report with other results, and the verdict that follows from them."""
    verdict = build_verdict(results)
    return report.model_copy(
        update={
            "results": tuple(sorted(results, key=lambda result: (_RANK[result.severity], result.id))),
            "verdict": "blocked" if verdict.blocked else "pass",
            "passed": verdict.passed,
            "total": verdict.total,
            "warnings": verdict.warnings,
        }
    )
