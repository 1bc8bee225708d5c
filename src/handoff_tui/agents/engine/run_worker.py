"""The worker of a repository: the process that procedures run in, and the one that trials run in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import NamedTuple, NoReturn

from handoff_tui.agents.engine.dbos import DbosEngine, EnginePlace, load_engine, quiet_logger, write_schema
from handoff_tui.agents.engine.engine import Actions, Engine
from handoff_tui.agents.engine.files import (
    ON_DEMAND_LOCK,
    WORKER_LOCK,
    build_log_handler,
    hold_schema_lock,
    hold_worker_lock,
)
from handoff_tui.agents.engine.recorded_actions import RecordedActions, Trial
from handoff_tui.agents.engine.trial_files import load_trial, mark_ready
from handoff_tui.agents.engine.worker import Worker, WorkerOptions
from handoff_tui.agents.engine.worker_lease import Lease, OnlyWorker, SharedLease
from handoff_tui.agents.procedures.actions import RepositoryActions
from handoff_tui.agents.procedures.report import ProcedureState, RunRequest
from handoff_tui.agents.procedures.run import find_engine_place
from handoff_tui.agents.step.start import Renderer
from handoff_tui.config.settings.engine import EngineSettings
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.system.processes.detached import leave_at_once, on_polite_end

_TRIAL_POLL_SECONDS = 0.1


class Telling(NamedTuple):
    """How whoever started a worker hears of it."""

    on_ready: Callable[[str], None]
    on_fault: Callable[[BaseException], int]
    """Says what went wrong; the exit code."""


def work(start: Path, telling: Telling, render: Renderer, *, on_demand: bool) -> NoReturn:
    """Works until it is told to end; one that was started on demand also when nothing is left to do.

    `render` puts into words what agents are told.
    Does not return: threads of the engine may sleep for days, and everything is kept anyhow.
    """
    desk = open_desk(start)
    load_engine()
    quiet_logger(build_log_handler(desk.repository.common_dir))
    place = find_engine_place(desk)
    with _locked(desk, place, on_demand=on_demand), _opened(desk, place) as engine:
        actions = RepositoryActions(
            desk.repository.root, lambda request, name: has_completed(engine, request, name), render
        )
        settings = desk.loaded.settings.engine
        _run(place, actions, _build_options(settings, on_demand=on_demand), telling)


def work_on_trial(folder: Path, telling: Telling) -> NoReturn:
    """The same engine with actions that only record that they were done."""

    def be_ready(executor: str) -> None:
        mark_ready(folder)
        telling.on_ready(executor)

    trial = Trial.model_validate(load_trial(folder))
    load_engine()
    quiet_logger()
    options = WorkerOptions(agents_per_worker=4, agents_maximum=16, poll_seconds=_TRIAL_POLL_SECONDS)
    _run(
        EnginePlace(trial.address, trial.application, trial.table_schema),
        RecordedActions(folder, trial),
        options,
        Telling(be_ready, telling.on_fault),
    )


def has_completed(engine: Engine, request: RunRequest, procedure: str) -> bool:
    """Whether another procedure has been completed for the same attempt."""
    wanted = (request.handoff, request.phase, request.attempt, procedure)
    return any(
        run.state is ProcedureState.COMPLETED
        and run.request is not None
        and (run.request.handoff, run.request.phase, run.request.attempt, run.request.procedure) == wanted
        for run in engine.list(1000)
    )


def _run(place: EnginePlace, actions: Actions, options: WorkerOptions, telling: Telling) -> NoReturn:
    stop = Event()
    on_polite_end(stop.set)
    lease: Lease = SharedLease(place.address, place.application) if place.shared else OnlyWorker()
    with _Leaving(telling.on_fault):
        worker = Worker(place, actions, options, lease)
        worker.launch()
        telling.on_ready(lease.executor)
        worker.stay(stop)
    leave_at_once(0)


class _Leaving:
    """Whatever ends the worker ends the process: one whose name is another's must not go on in its threads."""

    def __init__(self, on_fault: Callable[[BaseException], int]) -> None:
        self._on_fault = on_fault

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, fault: BaseException | None, _trace: object) -> None:
        if fault is not None:
            leave_at_once(self._on_fault(fault))


@contextmanager
def _locked(desk: Desk, place: EnginePlace, *, on_demand: bool) -> Iterator[None]:
    """One worker beside a file; on PostgreSQL as many as wanted, but only one that was started on demand."""
    with ExitStack() as held:
        if not place.shared or on_demand:
            lock = ON_DEMAND_LOCK if place.shared else WORKER_LOCK
            held.enter_context(hold_worker_lock(desk.repository.common_dir, lock))
        yield


@contextmanager
def _opened(desk: Desk, place: EnginePlace) -> Iterator[Engine]:
    with hold_schema_lock(desk.repository.common_dir):
        write_schema(place)
    engine = DbosEngine(place)
    try:
        yield engine
    finally:
        engine.close()


def _build_options(settings: EngineSettings, *, on_demand: bool) -> WorkerOptions:
    return WorkerOptions(
        agents_per_worker=settings.agents_per_worker,
        agents_maximum=settings.agents_maximum,
        poll_seconds=settings.poll_seconds,
        idle_seconds=settings.idle_seconds if on_demand else None,
    )
