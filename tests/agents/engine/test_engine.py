"""The contract of an engine, by the one there is: what holds without any worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.agents.engine.dbos import DbosEngine, EngineLocation, write_schema
from handoff_tui.agents.engine.engine import Engine
from handoff_tui.agents.procedures.report import ProcedureState
from tests.support.procedure_runs import REQUEST


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    place = EngineLocation(f"sqlite:///{tmp_path}/engine.sqlite", "handoff-tui-contract")
    write_schema(place)
    opened = DbosEngine(place)
    yield opened
    opened.close()


def test_run_that_was_asked_for_is_pending(engine: Engine) -> None:
    """It is kept with what was asked, and nothing has been tried."""
    run = engine.submit(REQUEST)
    found = engine.view(run)
    assert found is not None
    assert (found.id, found.request, found.state, found.tries) == (run, REQUEST, ProcedureState.PENDING, ())


def test_asking_twice_is_one_run(engine: Engine) -> None:
    """The id is the request's own."""
    assert engine.submit(REQUEST) == engine.submit(REQUEST) == REQUEST.run_id
    assert len(engine.list()) == 1


def test_runs_are_listed_latest_first_and_no_more_than_asked_for(engine: Engine) -> None:
    """In the order in which they were asked for, turned around."""
    runs = [engine.submit(REQUEST.model_copy(update={"handoff": f"H-{number}"})) for number in range(3)]
    assert {run.id for run in engine.list()} == set(runs)
    assert len(engine.list(2)) == 2


def test_unknown_run_is_nothing(engine: Engine) -> None:
    """It is no error to ask."""
    assert engine.view("H-9:build:1:P:1") is None


def test_cancelled_run_is_marked_and_not_ended(engine: Engine) -> None:
    """The run itself has to undo what it did; the engine must not end it."""
    run = engine.submit(REQUEST)
    engine.cancel(run)
    found = engine.view(run)
    assert found is not None
    assert (found.withdrawn, found.finished) == (True, False)


def test_wake_may_come_before_anybody_listens(engine: Engine) -> None:
    """It is kept, and the run is the same as before."""
    run = engine.submit(REQUEST)
    before = engine.view(run)
    engine.wake(run)
    assert engine.view(run) == before
