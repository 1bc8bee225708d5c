"""The worker: the process that runs the procedures of a repository, or a trial."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

from handoff_tui.agents.engine import files
from handoff_tui.agents.engine.dbos import (
    AGENT_WORKFLOW,
    PROCEDURE_WORKFLOW,
    WAKE,
    WITHDRAWN,
    DbosEngine,
    EngineLocation,
    build_serializer,
    explain_errors,
    load_engine,
    quiet_logger,
    write_schema,
)
from handoff_tui.agents.engine.engine import Actions, AgentOrder, Engine, Json
from handoff_tui.agents.engine.listing import find_engine_location
from handoff_tui.agents.engine.trial import RecordedActions, Trial, load_trial, mark_ready
from handoff_tui.agents.procedures.actions import RepositoryActions
from handoff_tui.agents.procedures.report import ProcedureState, RunRequest, TryKind, TryResult
from handoff_tui.agents.procedures.runner import ProcedureRunner, StepExecutors
from handoff_tui.config.settings.user import EngineSettings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import EngineError, HandoffError
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.system.clock import read_monotonic
from handoff_tui.system.processes.detached import leave_at_once, on_polite_end
from handoff_tui.system.processes.identity import read_host

if TYPE_CHECKING:
    from dbos import DBOS, DBOSConfig, WorkflowStatus

_MOST_WORKERS = 1000
_CONNECT_SECONDS = 10


class Lease(Protocol):
    """A worker's claim to its name."""

    executor: str

    def check(self) -> None:
        """Raises an error if the name may belong to another worker by now: this one must exit at once."""
        ...

    def hold_dead(self, executor: str) -> AbstractContextManager[bool]:
        """Holds the name of a dead worker, so that nobody else takes it in the meantime."""
        ...


class SingleWorkerLease:
    """The only worker of a database file."""

    executor = "embedded"

    def check(self) -> None:
        """Nothing to check: the process holds the lock file."""

    @contextmanager
    def hold_dead(self, executor: str) -> Iterator[bool]:
        """There is no other worker; what an earlier one left is resumed at the start."""
        del executor
        yield False


class SharedLease:
    """One of many workers on a PostgreSQL database."""

    def __init__(self, address: str, application: str) -> None:
        import psycopg.conninfo  # noqa: PLC0415 - an extra

        self._refused = psycopg.Error
        self._application = application
        try:
            plain = address.replace("postgresql+psycopg://", "postgresql://", 1)
            details = psycopg.conninfo.make_conninfo(
                plain, connect_timeout=_CONNECT_SECONDS, keepalives_idle=5, keepalives_interval=2, keepalives_count=3
            )
            self._connection = psycopg.connect(details, autocommit=True)
        except psycopg.Error as refused:
            raise EngineError(
                f"can't reach the PostgreSQL database: {str(refused).strip()}",
                "Check engine.address in your configuration, and that the server runs.",
            ) from refused
        for setting, seconds in (
            ("idle", 5),
            ("interval", 2),
            ("count", 3),
        ):  # or a dead machine keeps its name for hours
            self._connection.execute(f"SET tcp_keepalives_{setting} = {seconds}")
        self.executor = self._take_name()
        self._connection.execute(
            "SELECT set_config('application_name', %s, false)", (f"{application} {self.executor} {read_host()}"[:63],)
        )

    def check(self) -> None:
        try:
            self._connection.execute("SELECT true")
        except self._refused as lost:
            raise EngineError(
                f"the connection that holds this worker's name is lost: {str(lost).strip()}",
                "Start the worker again; it goes on where it stopped.",
            ) from lost

    @contextmanager
    def hold_dead(self, executor: str) -> Iterator[bool]:
        held = self._lock(executor)
        try:
            yield held
        finally:
            if held:
                with suppress(self._refused):  # a lost connection holds no lock
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (self._build_key(executor),))

    def close(self) -> None:
        self._connection.close()

    def _take_name(self) -> str:
        """Takes the first free name; the name of a dead worker comes with its runs."""
        for number in range(1, _MOST_WORKERS):
            if self._lock(f"worker-{number}"):
                return f"worker-{number}"
        raise EngineError(f"there are already {_MOST_WORKERS} workers")

    def _lock(self, executor: str) -> bool:
        row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (self._build_key(executor),)).fetchone()
        return bool(row and row[0])

    def _build_key(self, executor: str) -> int:
        digest = hashlib.sha256(f"handoff-tui {self._application} {executor}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)


_RESTARTS = 1_000_000
"""Every restart of a worker counts as a recovery attempt, and a run may wait for weeks."""
_POOL = 20
_UNFINISHED = ["ENQUEUED", "DELAYED", "PENDING"]
_LISTENING_SECONDS = 0.5
_QUIET_SECONDS = 2.0
"""The longest pause between two checks of the runs, while all of them wait."""


class WorkerOptions(NamedTuple):
    """How a worker behaves."""

    agents_per_worker: int
    agents_maximum: int
    poll_seconds: float
    idle_seconds: float | None = None
    """How long it stays idle before it exits; None to stay until it is stopped."""


class Worker:
    """Runs in its own process, because the engine keeps its state per process."""

    def __init__(self, location: EngineLocation, actions: Actions, options: WorkerOptions, lease: Lease) -> None:
        load_engine()
        from dbos import DBOS  # noqa: PLC0415 - an extra

        self._dbos: type[DBOS] = DBOS
        self._location = location
        self._actions = actions
        self._options = options
        self._lease = lease
        self._executors = StepExecutors()
        self._waiting: set[str] = set()
        self._mark = ""

    def launch(self) -> None:
        """Registers the workflows, resumes unfinished runs, and starts to look for work."""
        dbos = self._dbos

        @dbos.workflow(name=PROCEDURE_WORKFLOW, max_recovery_attempts=_RESTARTS)
        def run_procedure(asked: Json) -> Json:  # registered by its name
            return self._run_procedure(asked)

        @dbos.workflow(name=AGENT_WORKFLOW, max_recovery_attempts=_RESTARTS)
        def run_agent(asked: Json, run: str, order: Json) -> Json:
            return self._run_agent(asked, run, order)

        del run_procedure
        self._agent_workflow = run_agent
        config: DBOSConfig = {
            "name": self._location.application,
            "system_database_url": self._location.address,
            "dbos_system_schema": self._location.schema,
            "application_version": self._location.version,
            "executor_id": self._lease.executor,
            "serializer": build_serializer(),
            "sys_db_pool_size": _POOL,
            "enable_otlp": False,
            "log_level": "WARNING",
            "notification_listener_polling_interval_sec": _LISTENING_SECONDS,
        }
        with explain_errors(self._location):
            dbos(config=config)
            dbos.launch()
            poll = self._options.poll_seconds
            dbos.register_queue(self._location.procedures, polling_interval_sec=poll, on_conflict="always_update")
            dbos.register_queue(
                self._location.agents,
                worker_concurrency=min(self._options.agents_per_worker, self._options.agents_maximum),
                global_concurrency=self._options.agents_maximum,
                polling_interval_sec=poll,
                on_conflict="always_update",
            )

    def serve(self, stop: Event) -> None:
        """Works until it is told to stop, or has been idle for long enough."""
        busy, known, wait = read_monotonic(), (frozenset[str](), ""), self._options.poll_seconds
        self._mark = self._actions.read_log_mark()
        while not stop.is_set():
            self._lease.check()
            with explain_errors(self._location):
                unfinished = self._look_after_runs()
                self._take_over()
            now = read_monotonic()
            busy = now if unfinished else busy
            idle = self._options.idle_seconds
            if idle is not None and now - busy >= idle:
                return
            is_quiet = known == (unfinished, self._mark)
            known = (unfinished, self._mark)
            poll = self._options.poll_seconds
            wait = min(wait * 1.5, max(poll, _QUIET_SECONDS)) if is_quiet else poll
            stop.wait(wait)

    def _look_after_runs(self) -> frozenset[str]:
        """Lists the unfinished runs; ends withdrawn ones, and wakes waiting ones when the log has changed."""
        found = self._list(_UNFINISHED)
        withdrawn = {status.workflow_id for status in found if (status.attributes or {}).get(WITHDRAWN)}
        for run, watch in self._executors.list().items():
            if run in withdrawn:
                watch.withdrawn.set()
        mark = self._actions.read_log_mark()
        if mark != self._mark:
            self._mark = mark
            for run in tuple(self._waiting):
                self._dbos.send(run, {}, WAKE)
        return frozenset(status.workflow_id for status in found)

    def _take_over(self) -> None:
        """Puts the runs of dead workers back into their queues."""
        if not self._location.shared:
            return
        pending = self._list(["PENDING"])
        for executor in {status.executor_id for status in pending if status.executor_id} - {self._lease.executor}:
            with self._lease.hold_dead(executor) as dead:
                if not dead:
                    continue
                for left in self._list(["PENDING"]):  # again, because nobody else can move them from now on
                    if left.executor_id == executor:
                        self._dbos.resume_workflow(left.workflow_id, queue_name=left.queue_name)

    def _list(self, states: list[str]) -> list[WorkflowStatus]:
        """Lists the runs of this repository only."""
        return self._dbos.list_workflows(
            status=states, load_input=False, load_output=False, application_name=self._location.application
        )

    def _run_procedure(self, asked: Json) -> Json:
        request = RunRequest.model_validate(asked)
        run = cast("str", self._dbos.workflow_id)
        durable = DbosDurable(self, run, request)
        try:
            end = ProcedureRunner(durable, self._actions, request, self._executors.find(run)).run()
            if end.needs_human:
                self._actions.tell(request, end.reason)
            return end.model_dump(mode="json")
        finally:
            self._executors.forget(run)

    def _run_agent(self, asked: Json, run: str, order: Json) -> Json:
        """Runs an agent as a child workflow, so that the number of agents is limited."""
        request = RunRequest.model_validate(asked)
        return self._dbos.run_step({"name": "run"}, lambda: self._work_as_agent(request, run, order))

    def _work_as_agent(self, request: RunRequest, run: str, order: Json) -> Json:
        name, number, seconds = str(order["name"]), int(str(order["number"])), float(str(order["seconds"]))
        asked = AgentOrder(TryKind(str(order["kind"])), name, number, seconds)
        withdrawn = self._executors.find(run).withdrawn if asked.kind is TryKind.STEP else Event()
        try:
            if withdrawn.is_set():
                done = asked.end(TryResult.WITHDRAWN, begun=False)
            else:
                done = self._actions.run_agent(request, asked, withdrawn)
        except HandoffError as refused:  # a failed step: the run must not end without undoing
            done = asked.end(TryResult.ERROR, detail=refused.message)
        return done.model_copy(update={"kind": asked.kind}).model_dump(mode="json")


class DbosDurable:
    """What a run asks of the engine, done with DBOS."""

    def __init__(self, worker: Worker, run: str, request: RunRequest) -> None:
        self._worker = worker
        self._dbos = worker._dbos  # noqa: SLF001 - the other half of the worker
        self._run = run
        self._request = request

    def step(self, name: str, run_worker: Callable[[], Json]) -> Json:
        return self._dbos.run_step({"name": name}, run_worker)

    def run_limited(self, name: str, order: Json) -> Json:
        from dbos import SetWorkflowID  # noqa: PLC0415

        worker = self._worker
        with SetWorkflowID(f"{self._run} {name}"):
            handle = self._dbos.enqueue_workflow(
                worker._location.agents,  # noqa: SLF001
                worker._agent_workflow,  # noqa: SLF001
                self._request.model_dump(mode="json"),
                self._run,
                order,
            )
        return handle.get_result(polling_interval_sec=worker._options.poll_seconds)  # noqa: SLF001

    def sleep(self, seconds: float) -> None:
        self._dbos.sleep(seconds)

    def receive(self, seconds: float) -> None:
        waiting = self._worker._waiting  # noqa: SLF001
        waiting.add(self._run)
        try:
            self._dbos.recv(WAKE, timeout_seconds=seconds)
        finally:
            waiting.discard(self._run)


_TRIAL_POLL_SECONDS = 0.1


class WorkerCallbacks(NamedTuple):
    """How a worker reports to the process that started it."""

    on_ready: Callable[[str], None]
    on_fault: Callable[[BaseException], int]
    """Says what went wrong; returns the exit code."""


def run_worker(start: Path, callbacks: WorkerCallbacks, *, on_demand: bool) -> NoReturn:
    """Works until it is told to stop; with `on_demand`, also until nothing is left to do.

    Does not return: threads of the engine may sleep for days, and everything is stored anyway.
    """
    session = open_session(start)
    load_engine()
    quiet_logger(files.build_log_handler(session.repository.common_dir))
    location = find_engine_location(session)
    with _locked(session, location, on_demand=on_demand), _opened(session, location) as engine:
        actions = RepositoryActions(session.repository.root, lambda request, name: has_completed(engine, request, name))
        settings = session.loaded.settings.engine
        _run(location, actions, _build_options(settings, on_demand=on_demand), callbacks)


def run_trial_worker(folder: Path, callbacks: WorkerCallbacks) -> NoReturn:
    """Works on a trial: the same engine, with actions that only record that they ran."""

    def be_ready(executor: str) -> None:
        mark_ready(folder)
        callbacks.on_ready(executor)

    trial = Trial.model_validate(load_trial(folder))
    load_engine()
    quiet_logger()
    options = WorkerOptions(agents_per_worker=4, agents_maximum=16, poll_seconds=_TRIAL_POLL_SECONDS)
    _run(
        EngineLocation(trial.address, trial.application, trial.table_schema),
        RecordedActions(folder, trial),
        options,
        WorkerCallbacks(be_ready, callbacks.on_fault),
    )


def has_completed(engine: Engine, request: RunRequest, procedure: str) -> bool:
    """Tells whether another procedure was completed for the same attempt."""
    wanted = (request.handoff, request.phase, request.attempt, procedure)
    return any(
        run.state is ProcedureState.COMPLETED
        and run.request is not None
        and (run.request.handoff, run.request.phase, run.request.attempt, run.request.procedure) == wanted
        for run in engine.list(1000)
    )


def _run(location: EngineLocation, actions: Actions, options: WorkerOptions, callbacks: WorkerCallbacks) -> NoReturn:
    stop = Event()
    on_polite_end(stop.set)
    lease: Lease = SharedLease(location.address, location.application) if location.shared else SingleWorkerLease()
    with _ExitOnError(callbacks.on_fault):
        worker = Worker(location, actions, options, lease)
        worker.launch()
        callbacks.on_ready(lease.executor)
        worker.serve(stop)
    leave_at_once(0)


class _ExitOnError:
    """Ends the process with the worker: its threads must not continue under a name that another worker may have."""

    def __init__(self, on_fault: Callable[[BaseException], int]) -> None:
        self._on_fault = on_fault

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, fault: BaseException | None, _trace: object) -> None:
        if fault is not None:
            leave_at_once(self._on_fault(fault))


@contextmanager
def _locked(session: Session, location: EngineLocation, *, on_demand: bool) -> Iterator[None]:
    """Allows one worker per database file. PostgreSQL allows many, but only one started on demand."""
    with ExitStack() as held:
        if not location.shared or on_demand:
            lock = files.ON_DEMAND_LOCK if location.shared else files.WORKER_LOCK
            held.enter_context(files.hold_worker_lock(session.repository.common_dir, lock))
        yield


@contextmanager
def _opened(session: Session, location: EngineLocation) -> Iterator[Engine]:
    with files.hold_schema_lock(session.repository.common_dir):
        write_schema(location)
    with closing(DbosEngine(location)) as engine:
        yield engine


def _build_options(settings: EngineSettings, *, on_demand: bool) -> WorkerOptions:
    return WorkerOptions(
        agents_per_worker=settings.agents_per_worker,
        agents_maximum=settings.agents_maximum,
        poll_seconds=settings.poll_seconds,
        idle_seconds=settings.idle_seconds if on_demand else None,
    )
