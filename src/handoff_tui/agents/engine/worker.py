"""The worker: the process in which runs of procedures are really done, by DBOS.

It may be killed at any point. Whoever starts it next goes on with what it had begun.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, NamedTuple, cast

from handoff_tui.agents.engine.dbos import (
    AGENT_WORKFLOW,
    PROCEDURE_WORKFLOW,
    WAKE,
    WITHDRAWN,
    EnginePlace,
    build_serializer,
    explaining,
    load_engine,
)
from handoff_tui.agents.engine.engine import Actions, AgentOrder, Json
from handoff_tui.agents.engine.worker_lease import Lease
from handoff_tui.agents.procedures.attempt import Watches
from handoff_tui.agents.procedures.procedure import ProcedureRunner
from handoff_tui.agents.procedures.report import ProcedureTry, RunRequest, TryKind, TryResult
from handoff_tui.core.errors import HandoffError
from handoff_tui.system.clock import read_monotonic

if TYPE_CHECKING:
    from dbos import DBOS, DBOSConfig, WorkflowStatus

_RESTARTS = 1_000_000
"""Every restart of a worker counts as an attempt at recovery, and a run may wait for weeks."""
_POOL = 20
_UNFINISHED = ["ENQUEUED", "DELAYED", "PENDING"]
_LISTENING_SECONDS = 0.5
_QUIET_SECONDS = 2.0
"""How seldom it looks after runs at most, while all that is left of them waits."""


class WorkerOptions(NamedTuple):
    """How a worker behaves."""

    agents_per_worker: int
    agents_maximum: int
    poll_seconds: float
    idle_seconds: float | None = None
    """How long it stays with nothing to do; nothing: until it is ended."""


class Worker:
    """Runs in a process of its own: the engine keeps its state in the process, so there is one worker in each."""

    def __init__(self, place: EnginePlace, actions: Actions, options: WorkerOptions, lease: Lease) -> None:
        load_engine()
        from dbos import DBOS  # noqa: PLC0415 - an extra

        self._dbos: type[DBOS] = DBOS
        self._place = place
        self._actions = actions
        self._options = options
        self._lease = lease
        self._watches = Watches()
        self._waiting: set[str] = set()
        self._mark = ""

    def launch(self) -> None:
        """Registers the workflows, takes up what was left behind, and begins to look for work."""
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
            "name": self._place.application,
            "system_database_url": self._place.address,
            "dbos_system_schema": self._place.schema,
            "application_version": self._place.version,
            "executor_id": self._lease.executor,
            "serializer": build_serializer(),
            "sys_db_pool_size": _POOL,
            "enable_otlp": False,
            "log_level": "WARNING",
            "notification_listener_polling_interval_sec": _LISTENING_SECONDS,
        }
        with explaining(self._place):
            dbos(config=config)
            dbos.launch()
            poll = self._options.poll_seconds
            dbos.register_queue(self._place.procedures, polling_interval_sec=poll, on_conflict="always_update")
            dbos.register_queue(
                self._place.agents,
                worker_concurrency=min(self._options.agents_per_worker, self._options.agents_maximum),
                global_concurrency=self._options.agents_maximum,
                polling_interval_sec=poll,
                on_conflict="always_update",
            )

    def stay(self, stop: Event) -> None:
        """Until it is told to end, or has had nothing to do for long enough."""
        busy, known, wait = read_monotonic(), (frozenset[str](), ""), self._options.poll_seconds
        self._mark = self._actions.read_log_mark()
        while not stop.is_set():
            self._lease.check()
            with explaining(self._place):
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
        """Which runs are not finished; tells withdrawn ones to end, and waiting ones to look when the log has moved."""
        found = self._list(_UNFINISHED)
        withdrawn = {status.workflow_id for status in found if (status.attributes or {}).get(WITHDRAWN)}
        for run, watch in self._watches.list().items():
            if run in withdrawn:
                watch.withdrawn.set()
        mark = self._actions.read_log_mark()
        if mark != self._mark:
            self._mark = mark
            for run in tuple(self._waiting):
                self._dbos.send(run, {}, WAKE)
        return frozenset(status.workflow_id for status in found)

    def _take_over(self) -> None:
        """Puts the runs of workers that are dead back into their queues."""
        if not self._place.shared:
            return
        pending = self._list(["PENDING"])
        for executor in {status.executor_id for status in pending if status.executor_id} - {self._lease.executor}:
            with self._lease.hold_dead(executor) as dead:
                if not dead:
                    continue
                for left in self._list(["PENDING"]):  # anew, since only now nobody else can move them
                    if left.executor_id == executor:
                        self._dbos.resume_workflow(left.workflow_id, queue_name=left.queue_name)

    def _list(self, states: list[str]) -> list[WorkflowStatus]:
        """Of this repository alone: another's workers have names of their own, and are none of our business."""
        return self._dbos.list_workflows(
            status=states, load_input=False, load_output=False, application_name=self._place.application
        )

    def _run_procedure(self, asked: Json) -> Json:
        request = RunRequest.model_validate(asked)
        run = cast("str", self._dbos.workflow_id)
        durable = DbosDurable(self, run, request)
        try:
            end = ProcedureRunner(durable, self._actions, request, self._watches.find(run)).run()
            if end.needs_human:
                self._actions.tell(request, end.reason)
            return end.model_dump(mode="json")
        finally:
            self._watches.forget(run)

    def _run_agent(self, asked: Json, run: str, order: Json) -> Json:
        """A child of its own, so that only so many agents are at work at once."""
        request = RunRequest.model_validate(asked)
        return self._dbos.run_step({"name": "run"}, lambda: self._work_as_agent(request, run, order))

    def _work_as_agent(self, request: RunRequest, run: str, order: Json) -> Json:
        kind, name, number = TryKind(str(order["kind"])), str(order["name"]), int(str(order["number"]))
        withdrawn = self._watches.find(run).withdrawn if kind is TryKind.STEP else Event()
        if withdrawn.is_set():
            ended = ProcedureTry(kind=kind, name=name, number=number, result=TryResult.WITHDRAWN, begun=False)
            return ended.model_dump(mode="json")
        try:
            asked = AgentOrder(kind, name, number, float(str(order["seconds"])))
            done = self._actions.run_agent(request, asked, withdrawn)
        except HandoffError as refused:  # a failed try, and no end of the run without undoing
            done = ProcedureTry(kind=kind, name=name, number=number, result=TryResult.ERROR, detail=refused.message)
        return done.model_copy(update={"kind": kind}).model_dump(mode="json")


class DbosDurable:
    """What a run asks of the engine, by DBOS."""

    def __init__(self, worker: Worker, run: str, request: RunRequest) -> None:
        self._worker = worker
        self._dbos = worker._dbos  # noqa: SLF001 - the other half of one thing
        self._run = run
        self._request = request

    def step(self, name: str, work: Callable[[], Json]) -> Json:
        return self._dbos.run_step({"name": name}, work)

    def run_limited(self, name: str, order: Json) -> Json:
        from dbos import SetWorkflowID  # noqa: PLC0415

        worker = self._worker
        with SetWorkflowID(f"{self._run} {name}"):
            handle = self._dbos.enqueue_workflow(
                worker._place.agents,  # noqa: SLF001
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
