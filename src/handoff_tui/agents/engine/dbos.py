"""The engine: DBOS, used through its client. It is imported on first use, and only here and in workers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

from handoff_tui.agents.procedures import report
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import EngineError, EngineMissingError
from handoff_tui.core.model import Model

if TYPE_CHECKING:
    from dbos import DBOSClient, Serializer, WorkflowStatus

PROCEDURE_WORKFLOW = "procedure-1"
"""Includes the version: newer code must not continue a run that older code started."""
AGENT_WORKFLOW = "agent-1"
_VERSION = "1"
"""Pinned, because any edit of the code would strand waiting runs."""
WAKE = "wake"
WITHDRAWN = "withdrawn"
LOGGER = "dbos"
_QUEUED = frozenset({"ENQUEUED", "DELAYED"})
_ENDED = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
_MILLISECONDS = 1000.0
_Value = TypeVar("_Value", bound=Model)
_STOPPED = {
    "CANCELLED": "it was cancelled in the engine from outside, and nothing was undone",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "it was restarted too often",
}


class WorkflowRow(NamedTuple):
    """What the engine says about a run; times are milliseconds since 1970."""

    run: str
    status: str
    input: object = None
    output: object = None
    fault: str | None = None
    created: int | None = None
    completed: int | None = None
    withdrawn: bool = False


def build_run(row: WorkflowRow, steps: Iterable[Mapping[str, object]]) -> report.ProcedureRun:
    """Builds a run from its row and the outputs of its steps."""
    outputs = [step.get("output") for step in steps]
    plans = (_parse(report.ProcedurePlan, _get(output, "plan")) for output in outputs)
    plan = next((plan for plan in plans if plan is not None), None)
    tries = tuple(found for output in outputs if (found := _parse(report.ProcedureTry, output)) is not None)
    arguments = _get(row.input, "args")
    request = _parse(report.RunRequest, arguments[0]) if isinstance(arguments, list | tuple) and arguments else None
    end = _find_end(row)
    state = end.state if end is not None else _find_state(row.status, plan, tries)
    return report.ProcedureRun(
        id=row.run,
        request=request,
        state=state,
        finished=end is not None,
        needs_human=end.needs_human if end is not None else False,
        reason=end.reason if end is not None else _find_reason(tries),
        left=end.left if end is not None else (),
        current=None if end is not None else _find_current(plan, tries),
        plan=plan,
        tries=tries,
        created=(request.asked if request is not None else None) or _as_seconds(row.created),
        ended=_find_last_moment(row, tries) if end is not None else None,
        withdrawn=row.withdrawn,
    )


def _find_end(row: WorkflowRow) -> report.ProcedureEnd | None:
    if row.status not in _ENDED:
        return None
    if row.status == "SUCCESS":
        end = _parse(report.ProcedureEnd, row.output)
        if end is not None:
            return end
        reason = "its end can't be read"
    else:
        reason = _STOPPED.get(row.status) or f"it ended with a bug: {row.fault}"
    return report.ProcedureEnd(state=report.ProcedureState.FAILED, reason=reason, needs_human=True)


def _find_state(
    word: str, plan: report.ProcedurePlan | None, tries: tuple[report.ProcedureTry, ...]
) -> report.ProcedureState:
    if word in _QUEUED and plan is None:
        return report.ProcedureState.PENDING
    if not tries:
        return report.ProcedureState.IN_PROGRESS
    last = tries[-1]
    if last.kind in {report.TryKind.ROLLBACK, report.TryKind.FENCE}:
        return report.ProcedureState.ROLLBACK
    if last.kind is report.TryKind.GATE and last.result is report.TryResult.WAITING:
        return report.ProcedureState.WAITING
    return report.ProcedureState.VALIDATING if last.kind is report.TryKind.RULE else report.ProcedureState.IN_PROGRESS


def _find_reason(tries: tuple[report.ProcedureTry, ...]) -> str:
    """Returns why the run doesn't continue, if its last attempt says so."""
    return tries[-1].detail if tries and not tries[-1].passed else ""


def _find_current(plan: report.ProcedurePlan | None, tries: tuple[report.ProcedureTry, ...]) -> str | None:
    """Returns the current step: the first that has not passed."""
    if plan is None:
        return None
    if tries and tries[-1].kind in {report.TryKind.ROLLBACK, report.TryKind.FENCE}:
        return "rollback"
    if plan.pipeline:
        return next((found.detail or found.name for found in reversed(tries)), None)
    passed = {found.name for found in tries if found.kind is report.TryKind.STEP and found.passed}
    return next((step.name for step in plan.steps if step.name not in passed), "validation")


def _parse(model: type[_Value], value: object) -> _Value | None:
    """A value of the engine; None if it is missing or damaged."""
    try:
        return None if value is None else model.model_validate(value)
    except ValueError:
        return None


def _get(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _find_last_moment(row: WorkflowRow, tries: tuple[report.ProcedureTry, ...]) -> float | None:
    """Returns when the last attempt ended; a database file stores only full seconds."""
    return tries[-1].began + tries[-1].seconds if tries else _as_seconds(row.completed)


def _as_seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / _MILLISECONDS


class EngineLocation(NamedTuple):
    """Where the engine keeps its state, and for which repository."""

    address: str
    """The address SQLAlchemy connects to."""
    application: str
    schema: str = "dbos"
    """The schema with the tables, on PostgreSQL."""

    @property
    def shared(self) -> bool:
        """Whether there may be many workers at once."""
        return not self.address.startswith("sqlite:")

    @property
    def version(self) -> str:
        """The version per repository, because repositories may share a database."""
        return f"{self.application}-{_VERSION}"

    def name_run(self, run: str) -> str:
        """Returns the engine's name for a run; two repositories may have a handoff with the same name."""
        return f"{self.application} {run}"

    @property
    def procedures(self) -> str:
        """The queue of runs, without a limit, because they mostly wait."""
        return f"{self.application}-procedures"

    @property
    def agents(self) -> str:
        """The queue of agents, with limits."""
        return f"{self.application}-agents"


def build_address(settings_address: str) -> str:
    """Returns a PostgreSQL address as SQLAlchemy spells it, with the installed driver."""
    _, _, rest = settings_address.partition("://")
    return f"postgresql+psycopg://{rest}"


def load_engine() -> None:
    """Imports the engine, silenced and without pickle; raises an error that says how to install it."""
    quiet_logger()
    try:
        import dbos  # noqa: F401, PLC0415 - an extra
    except ImportError as missing:
        raise EngineMissingError(
            f"procedures need the engine, which is not installed ({missing.name})",
            "pip install 'handoff-tui[engine]'",
        ) from missing
    _refuse_pickle()


def quiet_logger(handler: logging.Handler | None = None) -> None:
    """Keeps the engine off the terminal: it adds no handler if there is one already."""
    logger = logging.getLogger(LOGGER)
    logger.propagate = False
    if handler is not None or not logger.handlers:
        logger.handlers[:] = [handler or logging.NullHandler()]


def build_serializer() -> Serializer:
    from dbos import DBOSPortableJSONSerializer  # noqa: PLC0415

    return DBOSPortableJSONSerializer()


@contextmanager
def explain_errors(location: EngineLocation) -> Iterator[None]:
    """Turns database errors into errors that say what to do."""
    from dbos import error  # noqa: PLC0415
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

    try:
        yield
    except (SQLAlchemyError, error.DBOSException) as refused:
        reason = str(getattr(refused, "orig", None) or refused).strip().split("\n")[0]
        where = "the PostgreSQL database" if location.shared else location.address.removeprefix("sqlite:///")
        hint = (
            "Check engine.address in your configuration, and that the server runs."
            if location.shared
            else "It holds only run state: move it aside and it is made again; no decision is lost."
        )
        raise EngineError(f"the engine can't use {where}: {reason}", hint) from refused


def write_schema(location: EngineLocation) -> None:
    """Makes or updates the engine's tables; one process at a time."""
    load_engine()
    from dbos import DBOS  # noqa: PLC0415

    with explain_errors(location):
        DBOS.migrate(location.address, schema=location.schema)


def remove_schema(location: EngineLocation) -> None:
    """Removes the tables of a trial from a shared database."""
    import sqlalchemy  # noqa: PLC0415 - comes with the engine

    with explain_errors(location):
        database = sqlalchemy.create_engine(location.address)
        try:
            with database.begin() as connection:
                connection.execute(sqlalchemy.text(f'DROP SCHEMA IF EXISTS "{location.schema}" CASCADE'))
        finally:
            database.dispose()


class DbosEngine:
    """A client of the engine; runs nothing itself."""

    def __init__(self, location: EngineLocation) -> None:
        load_engine()
        from dbos import DBOSClient  # noqa: PLC0415

        self._location = location
        with explain_errors(location):
            self._client: DBOSClient = DBOSClient(
                system_database_url=location.address,
                dbos_system_schema=location.schema,
                serializer=build_serializer(),
                application_name=location.application,
                retry_connection_errors=False,
            )

    def submit(self, request: report.RunRequest) -> str:
        with explain_errors(self._location):
            self._client.enqueue(
                {
                    "workflow_name": PROCEDURE_WORKFLOW,
                    "queue_name": self._location.procedures,
                    "workflow_id": self._location.name_run(request.run_id),
                    "app_version": self._location.version,
                    "application_name": self._location.application,
                },
                request.model_dump(mode="json"),
            )
        return request.run_id

    def wake(self, run: str) -> None:
        with explain_errors(self._location):
            self._client.send(self._location.name_run(run), {}, WAKE)

    def cancel(self, run: str) -> None:
        """Asks the run to roll itself back; cancelling it in the engine would undo nothing."""
        with explain_errors(self._location):
            name = self._location.name_run(run)
            self._client.update_workflow_attributes(name, {WITHDRAWN: True}, merge=True)
            self._client.send(name, {}, WAKE)

    def view(self, run: str) -> report.ProcedureRun | None:
        with explain_errors(self._location):
            name = self._location.name_run(run)
            found = self._client.list_workflows(workflow_ids=[name], name=PROCEDURE_WORKFLOW)
            return build_run(self._describe(found[0]), self._client.list_workflow_steps(name)) if found else None

    def list(self, limit: int = 100) -> tuple[report.ProcedureRun, ...]:
        with explain_errors(self._location):
            found = self._client.list_workflows(
                name=PROCEDURE_WORKFLOW,
                application_name=self._location.application,
                limit=limit,
                sort_desc=True,
            )
            return tuple(build_run(self._describe(status), ()) for status in found)

    def close(self) -> None:
        self._client.destroy()

    def _describe(self, status: WorkflowStatus) -> WorkflowRow:
        return WorkflowRow(
            run=status.workflow_id.removeprefix(self._location.name_run("")),
            status=status.status,
            input=status.input,
            output=status.output,
            fault=None if status.error is None else str(status.error),
            created=status.created_at,
            completed=status.completed_at,
            withdrawn=bool((status.attributes or {}).get(WITHDRAWN)),
        )


def _refuse_pickle() -> None:
    """Refuses pickled rows: the engine would unpickle them, so a planted database could run code."""
    from dbos._serialization import DefaultSerializer  # noqa: PLC0415

    def refuse(_self: object, _serialized: str) -> object:
        raise EngineError(
            "the engine's database has a pickled value, which may run code",
            "handoff-tui never writes one, so somebody else did. Move the database aside.",
        )

    cast("type[object]", DefaultSerializer).deserialize = refuse  # type: ignore[attr-defined]
