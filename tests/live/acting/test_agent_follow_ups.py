"""What follows by itself when an agent has ended, decided without starting anybody."""

from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey
from handoff_tui.agents.step.report import Direction, Route, StepOutcome, StepReport
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.live.acting.agent_follow_ups import Agenda, FollowUp, FollowUps, find_breakpoint, find_next_run
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.agents import Breakpoint
from handoff_tui.live.state.app import AppState
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

HANDOFF = HandoffKey("/desk", "H-1")
KEY = RunKey(handoff="H-1", phase="test")
PLAIN, PATIENT = Agent(command=("sh",)), Agent(command=("sh",), retries=2, backoff_seconds=(5, 30))
BY_ITSELF = RunEnd(ending=RunEnding.EXITED, code=1)
WELL = RunEnd(ending=RunEnding.EXITED, code=0)


def make_report(
    outcome: StepOutcome = StepOutcome.FAILED,
    end: RunEnd = BY_ITSELF,
    following: str | None = "build",
    *,
    has_gate: bool = True,
    by_person: bool = False,
) -> StepReport:
    return StepReport(
        key=KEY,
        route=Route(pipeline="notes", phase="test", direction=Direction.FORWARD),
        agent="tester",
        folder="/desk",
        end=end,
        outcome=outcome,
        next_phase=following,
        next_by_person=by_person,
        has_gate=has_gate,
    )


@pytest.mark.parametrize(
    ("follow_up", "report", "expected"),
    [
        (FollowUp(HANDOFF, PLAIN, loop=False), make_report(), None),
        (FollowUp(HANDOFF, PATIENT, loop=False), make_report(), ("test", 5.0, 1)),
        (FollowUp(HANDOFF, PATIENT, loop=False, retries=1), make_report(), ("test", 30.0, 2)),
        (FollowUp(HANDOFF, PATIENT, loop=False, retries=2), make_report(), None),
        (FollowUp(HANDOFF, PATIENT, loop=False), make_report(end=WELL), None),
        (FollowUp(HANDOFF, PATIENT, loop=True), make_report(), ("test", 5.0, 1)),
        (FollowUp(HANDOFF, PATIENT, loop=True, retries=2), make_report(), ("build", 0.0, 0)),
        (FollowUp(HANDOFF, PLAIN, loop=True), make_report(StepOutcome.READY, WELL, "docs"), None),
        (
            FollowUp(HANDOFF, PLAIN, loop=True),
            make_report(StepOutcome.READY, WELL, "docs", has_gate=False),
            ("docs", 0.0, 0),
        ),
        (FollowUp(HANDOFF, PLAIN, loop=True), make_report(StepOutcome.READY, WELL, None, has_gate=False), None),
        (FollowUp(HANDOFF, PLAIN, loop=True), make_report(by_person=True), None),
        (FollowUp(HANDOFF, PATIENT, loop=True), make_report(StepOutcome.NEEDS_HUMAN), None),
        (FollowUp(HANDOFF, PATIENT, loop=True), make_report(StepOutcome.STOPPED), None),
    ],
)
def test_next_try_is_what_settings_and_pipeline_say(
    follow_up: FollowUp, report: StepReport, expected: tuple[str, float, int] | None
) -> None:
    """Its own retries first, then the loop; never through a gate, never past what only a person can judge."""
    found = find_next_run(follow_up, report)
    assert (None if found is None else (found.phase, found.wait, found.follow_up.retries)) == expected


def test_stop_lies_between_two_phases() -> None:
    """After the one that ended, or before the one that follows."""
    before, after = Breakpoint("build", before=True), Breakpoint("test", before=False)
    assert find_breakpoint(frozenset({before}), "test", "build") == before
    assert find_breakpoint(frozenset({after}), "test", "build") == after
    assert (
        find_breakpoint(
            frozenset({Breakpoint("test", before=True), Breakpoint("build", before=False)}), "test", "build"
        )
        is None
    )


class Desk:
    """Courses on a worker that is never started: what waits there stays to be seen."""

    def __init__(self) -> None:
        self.told: list[AppState] = []
        self.worker = KeyedWorker("acts", self._fail)
        self.follow_ups = FollowUps(self.worker, StateStore(self.told.append), self._follow, lambda: None)

    def _fail(self, bug: BaseException) -> None:
        raise bug

    def _follow(self, *_: object) -> None:
        raise AssertionError

    def run_to_its_end(self, *, loop: bool = True, report: StepReport | None = None) -> None:
        self.follow_ups.begin(FollowUp(HANDOFF, PATIENT, loop), KEY)
        self.follow_ups.go_on(HANDOFF.root, report or make_report())


def test_try_that_comes_is_told_with_its_moment() -> None:
    """After its wait, not at once; it counts as a loop where it is one."""
    desk = Desk()
    earliest = read_now() + timedelta(seconds=5)
    desk.run_to_its_end()
    [coming] = desk.follow_ups.list_scheduled()
    assert (coming.handoff, coming.phase) == ("H-1", "test")
    assert earliest <= coming.at <= read_now() + timedelta(seconds=5)
    assert coming.why == "it crashed; retry 1 of 2"
    assert desk.follow_ups.describe(HANDOFF) == Agenda(coming, loops=True)
    assert not desk.worker.is_idle()


def test_course_that_was_ended_starts_nobody() -> None:
    """Neither what waits nor what would follow who is at work."""
    desk = Desk()
    desk.run_to_its_end()
    assert desk.follow_ups.end(HANDOFF)
    assert (desk.follow_ups.list_scheduled(), desk.worker.is_idle()) == ((), True)
    desk.follow_ups.begin(FollowUp(HANDOFF, PATIENT, loop=True), KEY)
    assert desk.follow_ups.describe(HANDOFF).loops
    desk.follow_ups.end_all()
    desk.follow_ups.go_on(HANDOFF.root, make_report())
    assert (desk.follow_ups.list_scheduled(), desk.follow_ups.describe(HANDOFF)) == ((), Agenda())


def test_step_by_hand_takes_the_place_of_what_would_come() -> None:
    """Two agents never start for one handoff."""
    desk = Desk()
    desk.run_to_its_end()
    desk.follow_ups.begin(FollowUp(HANDOFF, PLAIN, loop=False), RunKey(handoff="H-1", phase="build"))
    assert (desk.follow_ups.list_scheduled(), desk.worker.is_idle()) == ((), True)


def test_breakpoint_holds_what_would_follow() -> None:
    """It says so; taken away, it holds nothing."""
    desk = Desk()
    stop = Breakpoint("test", before=False)
    assert desk.follow_ups.toggle_breakpoint(HANDOFF, stop)
    desk.run_to_its_end()
    assert desk.follow_ups.list_scheduled() == ()
    assert desk.told[-1].status is not None
    assert "stopped at the breakpoint after test" in desk.told[-1].status.text
    assert desk.follow_ups.describe(HANDOFF).breakpoints == {stop}
    assert not desk.follow_ups.toggle_breakpoint(HANDOFF, stop)
    desk.run_to_its_end()
    assert len(desk.follow_ups.list_scheduled()) == 1


def test_run_that_nobody_started_here_has_no_course() -> None:
    """Its end starts nobody."""
    desk = Desk()
    desk.follow_ups.go_on(HANDOFF.root, make_report())
    assert (desk.follow_ups.list_scheduled(), desk.worker.is_idle()) == ((), True)
