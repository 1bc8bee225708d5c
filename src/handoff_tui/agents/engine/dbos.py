"""The engine as it is: DBOS, asked through its client. It is imported when it is used, and only here and by workers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, cast

from handoff_tui.agents.engine.view import Record, build_run
from handoff_tui.agents.procedures.report import ProcedureRun, RunRequest
from handoff_tui.core.errors import EngineError, EngineMissingError

if TYPE_CHECKING:
    from dbos import DBOSClient, Serializer, WorkflowStatus

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

    def _describe(self, status: WorkflowStatus) -> Record:
        return Record(
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
