from __future__ import annotations

from handoff_tui.agents.runs.run import RunEnd, RunEnding
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.agents.step.trail import build_trail, build_trail_entry, list_reports
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from tests.support.gates import HANDOFF, GateDesk
from tests.support.step_reports import build_report
from tests.support.stepping import Stepping


def test_only_failures_that_ran_are_counted() -> None:
    """Neither what was stopped, nor what could not be started."""
    assert build_trail_entry(build_report()).counted
    assert build_trail_entry(build_report(StepOutcome.NEEDS_HUMAN)).counted
    assert not build_trail_entry(build_report(StepOutcome.STOPPED)).counted
    assert not build_trail_entry(build_report(StepOutcome.READY)).counted
    missing = build_report(end=RunEnd(ending=RunEnding.NOT_STARTED))
    assert not build_trail_entry(missing).counted


def test_decision_begins_a_new_loop(gate_desk: GateDesk) -> None:
    """What was run before it does not count any more; without a log everything does."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "reject", "--reason", "no")
    from handoff_tui.git.repository import open_repository  # noqa: PLC0415

    index = build_log_index(open_log(open_repository(gate_desk.root)).verify())
    before, after = build_report(), build_report(end=RunEnd(ending=RunEnding.EXITED, code=1, began=1e11))
    assert [entry.began for entry in build_trail((before, after), index, HANDOFF)] == [1e11]
    assert len(build_trail((before, after), index, "another")) == 2
    assert len(build_trail((before, after), None, HANDOFF)) == 2


def test_reports_are_those_of_the_handoff(stepping: Stepping) -> None:
    """All of them where none is named."""
    report = stepping.step()
    assert list_reports(stepping.desk(), report.key.handoff) == list_reports(stepping.desk(), None) == (report,)
    assert list_reports(stepping.desk(), "other") == ()
