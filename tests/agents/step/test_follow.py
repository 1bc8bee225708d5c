"""Following agents at work, and counting their runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunStatus
from handoff_tui.agents.step import step
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.agents.step.trail import build_trail, build_trail_entry
from handoff_tui.core.errors import AgentRunError, UsageError
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from tests.support.gates import GateDesk
from tests.support.signed import Person
from tests.support.step_reports import build_report
from tests.support.stepping import HANDOFF, WORK, Stepping
from tests.support.waiting import wait_until


def test_running_agent_is_followed_paused_spoken_to_and_stopped(stepping: Stepping) -> None:
    """As an operator does; a note reaches it while it works, and the one after it."""
    stepping.teach(
        'while ! grep -q hurry "$HANDOFF_TUI_NOTES_FILE"; do echo waiting; sleep 0.05; done; echo heard; sleep 60'
    )
    desk = stepping.desk()
    key = step.start_step(prepare_step(desk, StepRequest(HANDOFF, "build"))).state.key
    assert step.find_active(desk, None, "BUILD") == key
    assert step.pause_step(desk, key).state.status is RunStatus.PAUSED
    assert step.resume_step(desk, key).state.status is RunStatus.RUNNING
    step.inject_note(desk, HANDOFF, "  hurry up ")
    wait_until(lambda: step.read_view(desk, key).last_line == "heard")
    assert step.stop_step(desk, key).state.status is RunStatus.FINISHED
    finish_step(desk, key)
    assert prepare_step(stepping.desk(), StepRequest(HANDOFF, "build")).context.notes[0].text == "hurry up"


def test_runs_are_listed_with_attempts_and_tries(stepping: Stepping) -> None:
    """Oldest first, with what became of them and where the output is."""
    stepping.step()
    stepping.step()
    views = step.list_views(stepping.desk(), HANDOFF)
    assert [(view.state.key.attempt, view.state.key.number) for view in views] == [(1, 1), (1, 2)]
    assert all(view.report is not None and Path(view.output).exists() for view in views)
    assert step.list_views(stepping.desk(), "other") == ()
    assert step.find_last(stepping.desk(), None, None).number == 2
    assert step.follow(stepping.desk(), views[0].state.key).report == views[0].report


def test_nobody_to_control_is_said(stepping: Stepping) -> None:
    """Neither running, nor ever started."""
    with pytest.raises(AgentRunError, match="no agent is running"):
        step.find_active(stepping.desk(), None, None)
    with pytest.raises(AgentRunError, match="no agent was started"):
        step.find_last(stepping.desk(), HANDOFF, "build")
    with pytest.raises(UsageError, match="empty"):
        step.inject_note(stepping.desk(), HANDOFF, " \n")


def test_choice_between_two_running_agents_is_the_operators(stepping: Stepping) -> None:
    """Both are named."""
    stepping.configure(gate=False).teach(WORK).step()
    stepping.teach("sleep 60").teach("sleep 60", "tester")
    desk = stepping.desk()
    keys = [step.start_step(prepare_step(desk, StepRequest(HANDOFF, phase))).state.key for phase in ("build", "test")]
    with pytest.raises(UsageError, match="more than one agent is running"):
        step.find_active(desk, None, None)
    for key in keys:
        step.stop_step(desk, key)


def test_operator_is_who_git_says(stepping: Stepping) -> None:
    """By the user's own configuration, not the repository's."""
    assert step.find_operator(stepping.desk()) == "somebody"
    (stepping.home / "gitconfig").write_text("[user]\nemail = bo@example.org\n", encoding="utf-8")
    assert step.find_operator(stepping.desk()) == "bo@example.org"


def test_only_failures_that_ran_are_counted() -> None:
    """Neither what was stopped, nor what could not be started."""
    assert build_trail_entry(build_report()).counted
    assert build_trail_entry(build_report(StepOutcome.NEEDS_HUMAN)).counted
    assert not build_trail_entry(build_report(StepOutcome.STOPPED)).counted
    assert not build_trail_entry(build_report(StepOutcome.READY)).counted
    missing = build_report(end=RunEnd(ending=RunEnding.NOT_STARTED))
    assert not build_trail_entry(missing).counted


def test_decision_begins_a_new_loop(gate_desk: GateDesk, bo: Person) -> None:
    """What was run before it does not count any more; without a log everything does."""
    gate_desk.decide(bo, "reject", "--reason", "no")
    from handoff_tui.git.repository import open_repository  # noqa: PLC0415

    index = build_log_index(open_log(open_repository(gate_desk.root)).verify())
    before, after = build_report(), build_report(end=RunEnd(ending=RunEnding.EXITED, code=1, began=1e11))
    assert [entry.began for entry in build_trail((before, after), index, HANDOFF)] == [1e11]
    assert len(build_trail((before, after), index, "another")) == 2
    assert len(build_trail((before, after), None, HANDOFF)) == 2
