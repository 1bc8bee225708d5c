"""One try: its time limit, its early end, and the fence before anything is undone."""

from __future__ import annotations

import time
from threading import Event

from handoff_tui.agents.engine.engine import GateAnswer, StepResult
from handoff_tui.agents.procedures.report import ProcedureTry, TryKind, TryResult
from handoff_tui.agents.procedures.runner import StepExecutor, StepExecutors
from handoff_tui.core.errors import ProcedureError

DRAFT = ProcedureTry(kind=TryKind.STEP, name="one", result=TryResult.ERROR)


def test_work_that_takes_too_long_is_told_to_end() -> None:
    """The try is over at its time, and whoever works is told by the event."""
    told = Event()

    def work(cancel: Event) -> StepResult:
        cancel.wait(10)
        told.set()
        return StepResult(passed=True)

    watch = StepExecutor()
    found = watch.run(DRAFT, 0.05, work)
    assert (found.result, found.detail) == (TryResult.TIMEOUT, "not done within 0.05 s")
    assert watch.fence(DRAFT, lambda: None).passed
    assert told.is_set()


def test_fence_does_not_hold_while_work_goes_on() -> None:
    """A step that does not listen keeps everything from being undone under it."""
    end = Event()
    watch = StepExecutor(grace_seconds=0.05)
    watch.run(DRAFT, 0.01, lambda _: StepResult(passed=end.wait(10)))
    found = watch.fence(DRAFT, lambda: None)
    assert (found.result, "still at work" in found.detail) == (TryResult.FAIL, True)
    end.set()


def test_work_of_a_withdrawn_run_is_cut_short() -> None:
    """It ends before its time, as withdrawn and not as out of time."""
    watch = StepExecutor()

    def work(cancel: Event) -> StepResult:
        watch.withdrawn.set()
        cancel.wait(10)
        return StepResult(passed=True)

    began = time.monotonic()
    assert watch.run(DRAFT, 10.0, work).result is TryResult.WITHDRAWN
    assert time.monotonic() - began < 5


def test_withdrawn_run_begins_nothing_but_its_way_back() -> None:
    """A step is not begun; a rollback is done."""
    watch = StepExecutor()
    watch.withdrawn.set()
    found = watch.run(DRAFT, 1.0, lambda _: StepResult(passed=True))
    assert (found.result, found.begun) == (TryResult.WITHDRAWN, False)
    assert watch.run(DRAFT, 1.0, lambda _: StepResult(passed=True), to_the_end=True).passed


def test_look_that_cannot_be_made_is_waited_for() -> None:
    """A repository in the middle of a rebase may be readable a minute later."""

    def look() -> GateAnswer:
        raise ProcedureError("a lock is held")

    found = StepExecutor().read_gate(DRAFT, look)
    assert (found.result, found.detail) == (TryResult.WAITING, "a lock is held")


def test_watch_of_a_run_is_the_same_until_it_is_forgotten() -> None:
    """Who asks by its id finds the one that the run itself uses."""
    watches = StepExecutors()
    first = watches.find("a")
    assert watches.find("a") is first
    assert watches.list() == {"a": first}
    watches.forget("a")
    assert watches.find("a") is not first
