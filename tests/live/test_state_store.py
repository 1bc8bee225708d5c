from __future__ import annotations

import threading
from dataclasses import replace

from handoff_tui.live.state.app import AppState, Loaded
from handoff_tui.live.state_store import StateStore, put_parts

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


def test_closed_board_tells_nothing() -> None:
    """Nobody is there to hear it."""
    told: list[AppState] = []
    store = StateStore(told.append)
    store.close()
    store.change(lambda state: replace(state, phase="late"))
    assert told == []


def test_sentences_are_numbered() -> None:
    """The same words twice are two tellings."""
    store = StateStore(lambda _: None)
    store.say("copied")
    store.say("copied", "good")
    assert store.state.status is not None
    assert (store.state.status.number, store.state.status.role) == (2, "good")


def test_parts_are_put_by_their_names() -> None:
    """Others stay as they were."""
    state = put_parts(AppState(phase="plan"), {"log": Loaded(loading=True)})
    assert state.log.loading
    assert state.phase == "plan"
