"""Where the engine of a repository is, and its runs and workers, read without loading it."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from handoff_tui.agents.engine import files
from handoff_tui.agents.engine.dbos import (
    PROCEDURE_WORKFLOW,
    WITHDRAWN,
    EngineLocation,
    WorkflowRow,
    build_address,
    build_run,
)
from handoff_tui.agents.engine.files import has_database, prepare_database
from handoff_tui.agents.procedures.report import ProcedureRun, RunOverview, WorkerView
from handoff_tui.agents.runs.branches import find_overlaps
from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.run import ALIVE, RunState
from handoff_tui.agents.step.report import Overlap
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import EngineError, RepositoryError
from handoff_tui.git.history.commit_graph import read_first_commit
from handoff_tui.handoffs.session import Session

_RUNS = """\
SELECT s.workflow_uuid, s.status, i.inputs, COALESCE(o.output, s.output), s.created_at, s.completed_at, s.attributes,
       s.executor_id
FROM {0}workflow_status s
LEFT JOIN {0}workflow_input i ON i.workflow_uuid = s.workflow_uuid
LEFT JOIN {0}workflow_output o ON o.workflow_uuid = s.workflow_uuid
WHERE s.name = {1} AND s.application_name = {1} AND s.serialization = 'portable_json'
ORDER BY s.created_at DESC LIMIT {1}
"""
_STEPS = "SELECT workflow_uuid, output FROM {0}operation_outputs WHERE workflow_uuid = {1} ORDER BY function_id"
_WORKERS = """\
SELECT application_name, backend_start FROM pg_stat_activity WHERE application_name LIKE %s ORDER BY backend_start
"""
_Query = Callable[[str, Sequence[object]], Iterable[Sequence[Any]]]
APPLICATION = "handoff-tui"
_FIRST_COMMIT_DIGITS = 16


def read_overview(location: EngineLocation, common_dir: Path, limit: int = 100) -> RunOverview:
    """Returns the runs with all their attempts, latest first, and the workers that are alive."""
    if not location.shared:
        place = files.find_engine_file(common_dir, files.DATABASE)
        try:
            with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True, timeout=5.0)) as connection:
                runs = _read_runs(location, connection.execute, limit, "", "?")
        except sqlite3.Error as unread:
            raise EngineError(
                f"the engine's database can't be read: {unread}",
                "It holds only run state: move it aside and it is made again; no decision is lost.",
            ) from unread
        return RunOverview(runs=runs, workers=files.read_workers(common_dir))
    return _read_shared(location, limit)


def _read_shared(location: EngineLocation, limit: int) -> RunOverview:
    import psycopg  # noqa: PLC0415 - an extra

    address = location.address.replace("postgresql+psycopg://", "postgresql://", 1)
    try:
        with psycopg.connect(address, connect_timeout=10, autocommit=True) as connection:

            def query(text: str, values: Sequence[object]) -> Iterable[Sequence[Any]]:
                return connection.execute(text.encode(), values).fetchall()

            runs = _read_runs(location, query, limit, f'"{location.schema}".', "%s")
            found = query(_WORKERS, (f"{location.application} %",))
            workers = tuple(_parse_worker(str(name), began.timestamp()) for name, began in found)
    except psycopg.Error as refused:
        raise EngineError(
            f"the engine can't use the PostgreSQL database: {str(refused).strip()}",
            "Check engine.address in your configuration, and that the server runs.",
        ) from refused
    return RunOverview(runs=runs, workers=workers)


def _parse_worker(name: str, began: float) -> WorkerView:
    """The name that a worker gives its connection: application, worker, host."""
    _, worker, host = (*name.split(" ", 2), "", "")[:3]
    return WorkerView(name=worker, host=host, since=began)


def _read_runs(location: EngineLocation, query: _Query, limit: int, schema: str, mark: str) -> tuple[ProcedureRun, ...]:
    rows = list(query(_RUNS.format(schema, mark), (PROCEDURE_WORKFLOW, location.application, limit)))
    steps: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        for name, output in query(_STEPS.format(schema, mark), (row[0],)):
            steps[name].append({"output": _load(output)})
    return tuple(
        build_run(_build_row(location, row), steps[row[0]]).model_copy(update={"worker": row[7]}) for row in rows
    )


def _build_row(location: EngineLocation, row: Sequence[Any]) -> WorkflowRow:
    asked, attributes = _load(row[2]), _load(row[6])
    return WorkflowRow(
        run=str(row[0]).removeprefix(location.name_run("")),
        status=str(row[1]),
        input={"args": asked.get("positionalArgs")} if isinstance(asked, dict) else None,
        output=_load(row[3]),
        created=row[4],
        completed=row[5],
        withdrawn=isinstance(attributes, dict) and bool(attributes.get(WITHDRAWN)),
    )


def _load(text: object) -> object:
    """A stored value; None if it is missing or damaged."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return None


def find_engine_location(session: Session) -> EngineLocation:
    """Returns a file beside git's own, or the user's PostgreSQL database; the first commit tells repositories apart."""
    address = session.loaded.settings.engine.address
    if not address:
        return EngineLocation(f"sqlite:///{prepare_database(session.repository.common_dir)}", APPLICATION)
    first = read_first_commit(session.repository.git)
    if first is None:
        raise RepositoryError("there is no commit yet, and a run needs one", "Commit the work first.")
    return EngineLocation(build_address(address), f"{APPLICATION}-{first[:_FIRST_COMMIT_DIGITS]}")


def has_runs(session: Session) -> bool:
    """Tells whether procedures may have run here, without loading the engine."""
    return bool(session.loaded.settings.engine.address) or has_database(session.repository.common_dir)


def read_runs(session: Session) -> RunOverview:
    """Returns the runs with all their attempts, and the workers, without loading the engine."""
    if not has_runs(session):
        return RunOverview()
    return read_overview(find_engine_location(session), session.repository.common_dir)


class AtWork(NamedTuple):
    """Everything that runs in a repository: agents, what several of them change, runs on the engine, and workers."""

    agents: tuple[RunState, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    engine: RunOverview = RunOverview()


def read_at_work(session: Session) -> AtWork:
    """Reads what runs now."""
    agents = tuple(state for state in list_runs(session.repository.common_dir) if state.status in ALIVE)
    return AtWork(agents, find_overlaps(session, agents), read_runs(session))
