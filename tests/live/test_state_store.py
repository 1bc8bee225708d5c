from __future__ import annotations

import threading
import time

import pytest

from handoff_tui.core.classes import replace
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import AppState
from handoff_tui.live.state_store import StateStore
from tests.support.waiting import wait_until

SECONDS = 10.0


def test_each_change_is_told_with_the_next_generation() -> None:
    """In order, and the newest is the store's own."""
    told: list[AppState] = []
    store = StateStore(told.append)
    for phase in ("plan", "red", "green"):
        store.change(lambda state, phase=phase: replace(state, phase=phase))  # type: ignore[misc]
    assert [(state.generation, state.phase) for state in told] == [(1, "plan"), (2, "red"), (3, "green")]
    assert store.state is told[-1]


def test_no_change_is_not_told() -> None:
    """Who gives back the state as it was has changed nothing."""
    told: list[AppState] = []
    store = StateStore(told.append)
    store.change(lambda state: state)
    assert told == []
    assert store.state.generation == 0


def test_teller_may_wait_for_a_thread_that_changes() -> None:
    """No lock is held while a state is told; what changed meanwhile comes next."""
    told: list[int] = []
    changed = threading.Event()

    def change_from_another_thread() -> None:
        store.change(lambda state: replace(state, phase="from elsewhere"))
        changed.set()

    def tell(state: AppState) -> None:
        told.append(state.generation)
        if state.generation == 1:
            threading.Thread(target=change_from_another_thread, daemon=True).start()
            assert changed.wait(SECONDS)

    store = StateStore(tell)
    store.change(lambda state: replace(state, phase="first"))
    assert told == [1, 2]


class Stage:
    """A worker whose first job holds it until the test lets go."""

    def __init__(self) -> None:
        self.bugs: list[BaseException] = []
        self.done: list[object] = []
        self.worker = KeyedWorker("test", self.bugs.append)
        self.let_go = threading.Event()
        self.holding = threading.Event()
        self.cancelled = False

    def hold(self) -> None:
        """Begins a job that ends when the test says so."""

        def work(cancel: threading.Event) -> None:
            self.holding.set()
            assert self.let_go.wait(SECONDS)
            self.cancelled = cancel.is_set()

        self.worker.start()
        self.worker.submit("held", work)
        assert self.holding.wait(SECONDS)

    def add(self, key: str, name: str, rank: int = 0, delay: float = 0.0) -> None:
        self.worker.submit(key, lambda _: self.done.append(name), rank=rank, delay=delay)

    def finish(self) -> None:
        self.let_go.set()
        wait_until(self.worker.is_idle, "the end of the work", every=0.001)
        self.worker.stop()
        self.worker.join(SECONDS)
        assert not self.worker.is_alive()


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_newest_job_of_a_key_wins(stage: Stage) -> None:
    """However many were asked for while another ran, one runs."""
    stage.hold()
    for number in range(5):
        stage.add("read", f"read {number}")
    stage.finish()
    assert stage.done == ["read 4"]


def test_lower_ranks_go_first_and_equal_ones_in_turn(stage: Stage) -> None:
    """A job that takes the place of an older one keeps its turn."""
    stage.hold()
    stage.add("slow", "slow", rank=9)
    stage.add("one", "one", rank=1)
    stage.add("two", "two", rank=1)
    stage.add("one", "one again", rank=1)
    stage.finish()
    assert stage.done == ["one again", "two", "slow"]


def test_cancelled_jobs_never_run_and_the_running_one_is_told(stage: Stage) -> None:
    """By key; other keys are left alone."""
    stage.hold()
    stage.add("read", "read")
    stage.add("other", "other")
    stage.worker.cancel("read")
    stage.worker.cancel("held")
    stage.finish()
    assert stage.done == ["other"]
    assert stage.cancelled


def test_delayed_job_waits_and_is_put_off_only_so_long(stage: Stage) -> None:
    """Others go before it; when they do not stop coming, it runs all the same."""
    stage.worker.start()
    began = time.monotonic()
    while not stage.done:
        stage.add("late", "late", delay=0.05)
        assert time.monotonic() < began + SECONDS
        time.sleep(0.005)
    assert time.monotonic() - began >= 0.05
    stage.finish()


def test_bug_is_handed_on_and_the_lane_goes_on(stage: Stage) -> None:
    """Nothing is swallowed, and nothing stops."""
    stage.worker.start()
    bug = ZeroDivisionError("a bug")

    def fail(_: threading.Event) -> None:
        raise bug

    stage.worker.submit("bad", fail, rank=-1)
    stage.add("good", "good")
    stage.finish()
    assert stage.bugs == [bug]
    assert stage.done == ["good"]


def test_stopped_lane_takes_no_more(stage: Stage) -> None:
    """What waited is dropped, what runs is told, and the thread ends."""
    stage.hold()
    stage.add("read", "read")
    stage.worker.stop()
    stage.add("later", "later")
    stage.let_go.set()
    stage.worker.join(SECONDS)
    assert not stage.worker.is_alive()
    assert stage.done == []
    assert stage.cancelled
