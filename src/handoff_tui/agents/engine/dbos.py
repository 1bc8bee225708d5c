"""The engine as it is: DBOS, asked through its client. It is imported when it is used, and only here and by workers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic import ValidationError

from handoff_tui.agents.procedures.report import (
    ProcedureEnd,
    ProcedurePlan,
    ProcedureRun,
    ProcedureState,
    ProcedureTry,
    RunRequest,
    TryKind,
    TryResult,
)
from handoff_tui.core.errors import EngineError, EngineMissingError

if TYPE_CHECKING:
    from dbos import DBOSClient, Serializer, WorkflowStatus

_QUEUED = frozenset({"ENQUEUED", "DELAYED"})
_ENDED = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
_MILLISECONDS = 1000.0
_STOPPED = {
    "CANCELLED": "the engine's record was cancelled from outside, and nothing was undone",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "it was begun again too often",
}


class WorkflowRow(NamedTuple):
    """What the engine says of a run; times are milliseconds since 1970."""

    run: str
    status: str
    input: object = None
    output: object = None
    fault: str | None = None
    created: int | None = None
    completed: int | None = None
    withdrawn: bool = False


def build_run(record: WorkflowRow, steps: Iterable[Mapping[str, object]]) -> ProcedureRun:
    """A run from its row and what its steps wrote down."""
    outputs = [step.get("output") for step in steps]
    plan = next((plan for output in outputs if (plan := _parse_plan(output)) is not None), None)
    tries = tuple(found for output in outputs if (found := _parse_try(output)) is not None)
    request = _parse_request(record.input)
    end = _find_end(record)
    state = end.state if end is not None else _find_state(record.status, plan, tries)
    return ProcedureRun(
        id=record.run,
        request=request,
        state=state,
        finished=end is not None,
        needs_human=end.needs_human if end is not None else False,
        reason=end.reason if end is not None else _find_reason(tries),
        left=end.left if end is not None else (),
        current=None if end is not None else _find_current(plan, tries),
        plan=plan,
        tries=tries,
        created=(request.asked if request is not None else None) or _as_seconds(record.created),
        ended=_find_last_moment(record, tries) if end is not None else None,
        withdrawn=record.withdrawn,
    )


def _find_end(record: WorkflowRow) -> ProcedureEnd | None:
    if record.status not in _ENDED:
        return None
    if record.status == "SUCCESS":
        try:
            return ProcedureEnd.model_validate(record.output)
        except ValidationError:
            return ProcedureEnd(state=ProcedureState.FAILED, reason="its end cannot be read", needs_human=True)
    reason = _STOPPED.get(record.status) or f"it was ended by a fault: {record.fault}"
    return ProcedureEnd(state=ProcedureState.FAILED, reason=reason, needs_human=True)


def _find_state(word: str, plan: ProcedurePlan | None, tries: tuple[ProcedureTry, ...]) -> ProcedureState:
    if word in _QUEUED and plan is None:
        return ProcedureState.PENDING
    if not tries:
        return ProcedureState.IN_PROGRESS
    last = tries[-1]
    if last.kind in {TryKind.ROLLBACK, TryKind.FENCE}:
        return ProcedureState.ROLLBACK
    if last.kind is TryKind.GATE and last.result is TryResult.WAITING:
        return ProcedureState.WAITING
    return ProcedureState.VALIDATING if last.kind is TryKind.RULE else ProcedureState.IN_PROGRESS


def _find_reason(tries: tuple[ProcedureTry, ...]) -> str:
    """Why it does not go on just now, where the last try says so."""
    return tries[-1].detail if tries and not tries[-1].passed else ""


def _find_current(plan: ProcedurePlan | None, tries: tuple[ProcedureTry, ...]) -> str | None:
    """The step it is at: the first that has not passed."""
    if plan is None:
        return None
    if tries and tries[-1].kind in {TryKind.ROLLBACK, TryKind.FENCE}:
        return "rollback"
    passed = {found.name for found in tries if found.kind is TryKind.STEP and found.passed}
    return next((step.name for step in plan.steps if step.name not in passed), "validation")


def _parse_request(value: object) -> RunRequest | None:
    arguments = value.get("args") if isinstance(value, dict) else None
    first = arguments[0] if isinstance(arguments, list | tuple) and arguments else None
    try:
        return RunRequest.model_validate(first)
    except ValidationError:
        return None


def _parse_plan(value: object) -> ProcedurePlan | None:
    planned = value.get("plan") if isinstance(value, dict) else None
    try:
        return ProcedurePlan.model_validate(planned) if planned is not None else None
    except ValidationError:
        return None


def _parse_try(value: object) -> ProcedureTry | None:
    if not isinstance(value, dict) or "kind" not in value:
        return None
    try:
        return ProcedureTry.model_validate(value)
    except ValidationError:
        return None


def _find_last_moment(record: WorkflowRow, tries: tuple[ProcedureTry, ...]) -> float | None:
    """When the last try ended: a database file knows whole seconds only."""
    return tries[-1].began + tries[-1].seconds if tries else _as_seconds(record.completed)


def _as_seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / _MILLISECONDS


PROCEDURE_WORKFLOW = "procedure-1"
"""The version is in the name: a run that began by an older text must not be continued by a newer one."""
AGENT_WORKFLOW = "agent-1"
_VERSION = "1"
"""Pinned, since any edit of the code would strand runs that wait."""
WAKE = "wake"
WITHDRAWN = "withdrawn"
LOGGER = "dbos"


class EnginePlace(NamedTuple):
    """Where the engine keeps its state, and which repository's runs are meant."""

    address: str
    """What SQLAlchemy connects to."""
    application: str
    schema: str = "dbos"
    """Where the tables are, on PostgreSQL."""

    @property
    def shared(self) -> bool:
        """Whether many workers may be at work at once."""
        return not self.address.startswith("sqlite:")

    @property
    def version(self) -> str:
        """On a database that repositories share, versions must be told apart like everything else."""
        return f"{self.application}-{_VERSION}"

    def name_run(self, run: str) -> str:
        """The engine's name of a run: two repositories may have a handoff of the same name."""
        return f"{self.application} {run}"

    @property
    def procedures(self) -> str:
        """The queue of runs, without a limit: they mostly wait."""
        return f"{self.application}-procedures"

    @property
    def agents(self) -> str:
        """The queue of agents, with limits."""
        return f"{self.application}-agents"


def build_address(settings_address: str) -> str:
    """As SQLAlchemy spells a PostgreSQL address: with the driver that is installed."""
    _, _, rest = settings_address.partition("://")
    return f"postgresql+psycopg://{rest}"


def load_engine() -> None:
    """Imports the engine, silent and disarmed; an error says how it is installed."""
    quiet_logger()
    try:
        import dbos  # noqa: F401, PLC0415 - an extra
    except ImportError as missing:
        raise EngineMissingError(
            f"procedures need an engine that is not installed ({missing.name})",
            "pip install 'handoff-tui[engine]'",
        ) from missing
    _refuse_pickle()


def quiet_logger(handler: logging.Handler | None = None) -> None:
    """Nothing of the engine reaches a terminal: with a handler there already, it adds none of its own."""
    logger = logging.getLogger(LOGGER)
    logger.propagate = False
    if handler is not None or not logger.handlers:
        logger.handlers[:] = [handler or logging.NullHandler()]


def build_serializer() -> Serializer:
    from dbos import DBOSPortableJSONSerializer  # noqa: PLC0415

    return DBOSPortableJSONSerializer()


@contextmanager
def explaining(place: EnginePlace) -> Iterator[None]:
    """What the database refuses is said in words of ours."""
    from dbos import error  # noqa: PLC0415
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

    try:
        yield
    except (SQLAlchemyError, error.DBOSException) as refused:
        reason = str(getattr(refused, "orig", None) or refused).strip().split("\n")[0]
        where = "the PostgreSQL database" if place.shared else place.address.removeprefix("sqlite:///")
        hint = (
            "Look at engine.address in your configuration, and whether the server runs."
            if place.shared
            else "It holds run state only: moved aside, it is made anew, and no decision is lost."
        )
        raise EngineError(f"{where} cannot be used by the engine: {reason}", hint) from refused


def write_schema(place: EnginePlace) -> None:
    """Makes or updates the engine's tables. Only one process may do so at a time."""
    load_engine()
    from dbos import DBOS  # noqa: PLC0415

    with explaining(place):
        DBOS.migrate(place.address, schema=place.schema)


def remove_schema(place: EnginePlace) -> None:
    """Takes the tables of a trial away from a database that others use, too."""
    import sqlalchemy  # noqa: PLC0415 - comes with the engine

    with explaining(place):
        database = sqlalchemy.create_engine(place.address)
        try:
            with database.begin() as connection:
                connection.execute(sqlalchemy.text(f'DROP SCHEMA IF EXISTS "{place.schema}" CASCADE'))
        finally:
            database.dispose()


class DbosEngine:
    """A client: it runs nothing itself."""

    def __init__(self, place: EnginePlace) -> None:
        load_engine()
        from dbos import DBOSClient  # noqa: PLC0415

        self._place = place
        with explaining(place):
            self._client: DBOSClient = DBOSClient(
                system_database_url=place.address,
                dbos_system_schema=place.schema,
                serializer=build_serializer(),
                application_name=place.application,
                retry_connection_errors=False,
            )

    def submit(self, request: RunRequest) -> str:
        with explaining(self._place):
            self._client.enqueue(
                {
                    "workflow_name": PROCEDURE_WORKFLOW,
                    "queue_name": self._place.procedures,
                    "workflow_id": self._place.name_run(request.run_id),
                    "app_version": self._place.version,
                    "application_name": self._place.application,
                },
                request.model_dump(mode="json"),
            )
        return request.run_id

    def wake(self, run: str) -> None:
        with explaining(self._place):
            self._client.send(self._place.name_run(run), {}, WAKE)

    def cancel(self, run: str) -> None:
        """Not a cancel of the engine, which would undo nothing: the run is told, and goes the way back itself."""
        with explaining(self._place):
            name = self._place.name_run(run)
            self._client.update_workflow_attributes(name, {WITHDRAWN: True}, merge=True)
            self._client.send(name, {}, WAKE)

    def view(self, run: str) -> ProcedureRun | None:
        with explaining(self._place):
            name = self._place.name_run(run)
            found = self._client.list_workflows(workflow_ids=[name], name=PROCEDURE_WORKFLOW)
            return build_run(self._describe(found[0]), self._client.list_workflow_steps(name)) if found else None

    def list(self, limit: int = 100) -> tuple[ProcedureRun, ...]:
        with explaining(self._place):
            found = self._client.list_workflows(
                name=PROCEDURE_WORKFLOW,
                application_name=self._place.application,
                limit=limit,
                sort_desc=True,
            )
            return tuple(build_run(self._describe(status), ()) for status in found)

    def close(self) -> None:
        self._client.destroy()

    def _describe(self, status: WorkflowStatus) -> WorkflowRow:
        return WorkflowRow(
            run=status.workflow_id.removeprefix(self._place.name_run("")),
            status=status.status,
            input=status.input,
            output=status.output,
            fault=None if status.error is None else str(status.error),
            created=status.created_at,
            completed=status.completed_at,
            withdrawn=bool((status.attributes or {}).get(WITHDRAWN)),
        )


def _refuse_pickle() -> None:
    """The engine unpickles whatever a row claims to be pickled, and a planted database would have code run by that."""
    from dbos._serialization import DefaultSerializer  # noqa: PLC0415

    def refuse(_self: object, _serialized: str) -> object:
        raise EngineError(
            "the engine's database holds a pickled value, which may be a program",
            "handoff-tui writes none: somebody else wrote there. Move the database aside.",
        )

    cast("type[object]", DefaultSerializer).deserialize = refuse  # type: ignore[attr-defined]
