"""The engine: what holds without a worker, and what its rows say; damaged rows break nothing."""

from __future__ import annotations

import base64
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.agents.engine.dbos import DbosEngine, EngineLocation, WorkflowRow, build_run, load_engine, write_schema
from handoff_tui.agents.engine.engine import Engine
from handoff_tui.agents.procedures.report import ProcedureState, ProcedureTry, TryKind, TryResult
from handoff_tui.core.errors import EngineError, EngineMissingError
from tests.support.procedure_runs import PLAN, REQUEST, build_try


@pytest.mark.short
def test_missing_engine_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra: everything else works without it."""
    monkeypatch.setitem(sys.modules, "dbos", None)
    with pytest.raises(EngineMissingError, match="not installed") as refused:
        load_engine()
    assert refused.value.hint == "pip install 'handoff-tui[engine]'"


def test_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    """With the word that no decision is lost."""
    place = tmp_path / "engine.sqlite"
    place.write_text("this is no database, and it is long enough to be looked at" * 20, encoding="utf-8")
    with pytest.raises(EngineError, match="the engine can't use") as refused:
        write_schema(EngineLocation(f"sqlite:///{place}", "handoff-tui"))
    assert "no decision is lost" in refused.value.hint


class Planted:
    """What unpickling would run."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


@pytest.mark.short
def test_pickle_in_a_planted_database_is_not_run(tmp_path: Path) -> None:
    """A repository that was unpacked with its git folder may bring a database; looking at it runs nothing."""
    mark = tmp_path / "executed"
    database = tmp_path / "engine.sqlite"
    place = EngineLocation(f"sqlite:///{database}", "handoff-tui")
    write_schema(place)
    engine = DbosEngine(place)
    run = engine.submit(REQUEST)
    planted = base64.b64encode(pickle.dumps(Planted(mark))).decode()
    with closing(sqlite3.connect(database)) as connection:
        tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        for table in tables:
            columns = {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}
            for column in columns & {"inputs", "output"}:
                connection.execute(f"UPDATE {table} SET {column} = ?", (planted,))  # noqa: S608 - names of the schema
            if "serialization" in columns:
                connection.execute(f"UPDATE {table} SET serialization = 'py_pickle'")  # noqa: S608 - the same
        connection.commit()
    found = engine.view(run)
    engine.close()
    assert not mark.exists()
    assert found is None or found.request is None


def test_nothing_of_the_engine_reaches_a_terminal(tmp_path: Path) -> None:
    """A process that uses it says nothing on stdout or stderr, not even warnings."""
    code = f"""
from handoff_tui.agents.engine.dbos import DbosEngine, EngineLocation, write_schema
place = EngineLocation("sqlite:///{tmp_path}/engine.sqlite", "handoff-tui")
write_schema(place)
engine = DbosEngine(place)
assert engine.list() == ()
engine.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=150)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


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


def test_cancelled_run_is_marked_and_not_ended(engine: Engine) -> None:
    """The run itself has to undo what it did; the engine must not end it."""
    run = engine.submit(REQUEST)
    engine.cancel(run)
    found = engine.view(run)
    assert found is not None
    assert (found.withdrawn, found.finished) == (True, False)


PENDING = WorkflowRow(run="r", status="PENDING", input={"args": (REQUEST.model_dump(mode="json"),), "kwargs": {}})


def build_steps(*tries: ProcedureTry) -> list[dict[str, object]]:
    planned: dict[str, object] = {"output": {"plan": PLAN.model_dump(mode="json")}}
    told: list[dict[str, object]] = [{"output": one.model_dump(mode="json")} for one in tries]
    return [planned, *told, {"output": None}]


@pytest.mark.parametrize(
    ("tries", "state", "current"),
    [
        ((), ProcedureState.IN_PROGRESS, "one"),
        ((build_try(TryKind.STEP, "one"),), ProcedureState.IN_PROGRESS, "two"),
        ((build_try(TryKind.STEP, "one"), build_try(TryKind.RULE, "A")), ProcedureState.VALIDATING, "two"),
        (
            (build_try(TryKind.STEP, "one"), build_try(TryKind.GATE, "two", TryResult.WAITING)),
            ProcedureState.WAITING,
            "two",
        ),
        (
            (build_try(TryKind.STEP, "one", TryResult.FAIL), build_try(TryKind.FENCE, "fence")),
            ProcedureState.ROLLBACK,
            "rollback",
        ),
        ((build_try(TryKind.STEP, "one"), build_try(TryKind.STEP, "two")), ProcedureState.IN_PROGRESS, "validation"),
    ],
)
def test_state_of_a_run_under_way_is_what_it_tried_last(
    tries: tuple[ProcedureTry, ...], state: ProcedureState, current: str
) -> None:
    """And the step it is at is the first that has not passed."""
    run = build_run(PENDING, build_steps(*tries))
    assert (run.state, run.current, run.finished, run.tries) == (state, current, False, tries)


def test_run_that_is_queued_again_by_a_new_worker_keeps_its_state() -> None:
    """After a death it is taken up from its queue; it still waits for a person."""
    steps = build_steps(build_try(TryKind.GATE, "two", TryResult.WAITING))
    assert build_run(PENDING._replace(status="ENQUEUED"), steps).state is ProcedureState.WAITING


def test_end_of_a_run_is_what_it_said() -> None:
    """Its time goes to the end of the last attempt, which is finer than the database's."""
    record = PENDING._replace(
        status="SUCCESS", output={"state": "failed", "reason": "why", "needs_human": True, "left": ["x"]}, completed=1
    )
    run = build_run(record, build_steps(build_try(TryKind.STEP, "one")))
    assert (run.state, run.reason, run.needs_human, run.left) == (ProcedureState.FAILED, "why", True, ("x",))
    assert (run.finished, run.ended) == (True, 100.25)


@pytest.mark.parametrize("status", ["ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"])
def test_run_that_the_engine_ended_needs_a_person(status: str) -> None:
    """Nothing was undone then, so nobody may think that it was."""
    run = build_run(PENDING._replace(status=status, fault="boom"), [])
    assert (run.state, run.finished, run.needs_human, run.reason != "") == (ProcedureState.FAILED, True, True, True)


def test_end_that_cannot_be_read_is_no_success() -> None:
    """An edited record does not make a run completed."""
    run = build_run(PENDING._replace(status="SUCCESS", output={"state": "approved"}), [])
    assert (run.state, run.needs_human) == (ProcedureState.FAILED, True)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["plan", "kind", "name", "x"]), inner),
    max_leaves=6,
)


@given(value=_JSON, outputs=st.lists(_JSON, max_size=3), status=st.sampled_from(["SUCCESS", "PENDING", "ERROR", "odd"]))
def test_damaged_rows_never_raise(value: object, outputs: list[object], status: str) -> None:
    """Whatever stands in the database, a run comes out, and it is never completed by accident."""
    record = WorkflowRow(run="r", status=status, input=value, output=value)
    run = build_run(record, [{"output": output} for output in outputs])
    assert run.id == "r"
    assert run.state is not ProcedureState.COMPLETED
