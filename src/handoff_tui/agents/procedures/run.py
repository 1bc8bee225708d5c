"""Submits, follows, lists and withdraws runs of procedures. The worker process runs them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from handoff_tui.agents.consent import refuse_untrusted_agent, refuse_untrusted_pipeline
from handoff_tui.agents.engine.dbos import DbosEngine, EngineLocation, load_engine, write_schema
from handoff_tui.agents.engine.engine import Engine
from handoff_tui.agents.engine.files import (
    ON_DEMAND_LOCK,
    WORKER_LOCK,
    WORKER_LOG,
    find_engine_file,
    has_worker,
    hold_schema_lock,
)
from handoff_tui.agents.engine.listing import find_engine_location, has_runs
from handoff_tui.agents.procedures.plan import build_checked_plan
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, RunRequest
from handoff_tui.agents.procedures.walk import is_pipeline
from handoff_tui.agents.step.progress import find_pipeline
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import ProcedureError, UsageError
from handoff_tui.decisions.examine import find_handoff, plan_gate
from handoff_tui.git.history.commit_graph import find_work_commit
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.system.clock import pause, read_monotonic, read_now
from handoff_tui.system.processes.detached import has_ended, start_detached

_LOOK_SECONDS = 0.25
_MOST_LOOKED_AT = 10_000
_NO_WORKER_SECONDS = 30.0
_WITHOUT_WORKER = frozenset({ProcedureState.PENDING, ProcedureState.WAITING})
"""States in which a long silence means that no worker has started."""


@contextmanager
def open_engine(session: Session) -> Iterator[Engine]:
    """Opens the engine, and makes its tables if they are missing."""
    load_engine()
    place = find_engine_location(session)
    write_missing_schema(session, place)
    with closing(DbosEngine(place)) as engine:
        yield engine


def write_missing_schema(session: Session, place: EngineLocation) -> None:
    """Makes or updates the engine's tables, one process at a time; a running worker has already done so."""
    common_dir = session.repository.common_dir
    if has_worker(common_dir, ON_DEMAND_LOCK if place.shared else WORKER_LOCK):
        return
    with hold_schema_lock(common_dir):
        write_schema(place)


def build_request(session: Session, procedure: str, wanted: str | None, phase: str | None) -> RunRequest:
    """Builds a request, and checks it before anything starts: unknown names, agents without consent."""
    if is_pipeline(session, procedure):
        return _build_pipeline_request(session, procedure, wanted)
    plan = build_checked_plan(session, procedure)
    agents = [step.name for step in plan.steps if step.agent] + [undo.name for undo in plan.rollback if undo.agent]
    for agent in agents:
        refuse_untrusted_agent(session, agent)
    handoffs = _read_handoffs(session, wanted)
    log = open_log(session.repository)
    gate = plan_gate(session, build_log_index(log.verify()), handoffs, wanted or handoffs[0].id, phase)
    return RunRequest(
        procedure=procedure,
        handoff=gate.key.handoff,
        phase=gate.key.phase,
        attempt=gate.key.attempt,
        commit=find_work_commit(session.repository.git),
    )


def _build_pipeline_request(session: Session, name: str, wanted: str | None) -> RunRequest:
    """One run carries a handoff through all phases, so the pipeline stands for the phase."""
    handoffs = _read_handoffs(session, wanted)
    handoff = find_handoff(handoffs, wanted or handoffs[0].id)
    own = find_pipeline(session, handoff, build_log_index(open_log(session.repository).verify()))
    if own.name != name:
        raise UsageError(f"{handoff.id} is not in the pipeline {name}", f"Its pipeline is {own.name}.")
    refuse_untrusted_pipeline(session, own)
    return RunRequest(procedure=name, handoff=handoff.id, phase=name, commit=find_work_commit(session.repository.git))


def _read_handoffs(session: Session, wanted: str | None) -> tuple[Handoff, ...]:
    handoffs = read_repository(session).result.handoffs
    if wanted is None and len(handoffs) != 1:
        raise UsageError(
            f"there are {len(handoffs)} handoffs here; name one with --handoff", "`handoff-tui status` lists them."
        )
    return handoffs


def submit_run(engine: Engine, request: RunRequest, maximum: int, *, again: bool = False) -> ProcedureRun:
    """Submits a run; returns the existing one if it is under way or completed, and a new one after a failure.

    At most `maximum` runs are under way at once, including those that wait for a person.
    """
    number = 1
    while (known := engine.view(request.model_copy(update={"number": number}).run_id)) is not None:
        if not known.finished or known.state is ProcedureState.COMPLETED:
            return known
        if known.needs_human and not again:
            raise ProcedureError(
                f"the last run needs you: {known.reason}",
                "Undo by hand what it left, then run it with --again.",
            )
        number += 1
    under_way = sum(not known.finished for known in engine.list(_MOST_LOOKED_AT))
    if under_way >= maximum:
        raise ProcedureError(
            f"{under_way} runs are under way already, and procedures.concurrent_maximum is {maximum}",
            "`handoff-tui run --list` shows them; those that wait for a person can be decided or withdrawn.",
        )
    run = engine.submit(request.model_copy(update={"number": number, "asked": read_now().timestamp()}))
    found = engine.view(run)
    if found is None:
        raise ProcedureError(f"the engine has lost the run {run}", "Run it again: nothing was started.")
    return found


class WorkerStarter:
    """Starts a worker if there is none, but no second one while the first is still starting."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._started: int | None = None

    def __call__(self) -> None:
        lock = ON_DEMAND_LOCK if self._session.loaded.settings.engine.address else WORKER_LOCK
        common_dir = self._session.repository.common_dir
        is_coming = self._started is not None and not has_ended(self._started)
        if is_coming or has_worker(common_dir, lock):
            return
        arguments = ["worker", "--on-demand", "--repo", os.fspath(self._session.repository.root)]
        self._started = start_detached(arguments, find_engine_file(common_dir, WORKER_LOG))


class FollowOptions(NamedTuple):
    """How to follow a run."""

    timeout: float | None = None
    """For how long at most; None for as long as it takes."""
    until_taken: bool = False
    """Only until a worker has started it."""
    on_look: Callable[[ProcedureRun], object] = lambda _: None
    keep_worker: Callable[[], object] = lambda: None
    """Makes sure that there is a worker: the last one may have exited just when the run was submitted."""


def follow_run(engine: Engine, run: ProcedureRun, following: FollowOptions) -> ProcedureRun:
    """Follows a run until it ends, waits for a person, or the time is up; one that waits reads the log again."""
    began = read_monotonic()
    if run.state is ProcedureState.WAITING and not following.until_taken:
        engine.wake(run.id)
    known = len(run.tries)
    while True:
        following.keep_worker()
        found = find_run(engine, run.id)
        following.on_look(found)
        waited = read_monotonic() - began
        waits = found.state is ProcedureState.WAITING and len(found.tries) > known
        is_stuck = len(found.tries) == known and waited > _NO_WORKER_SECONDS and found.state in _WITHOUT_WORKER
        is_taken = following.until_taken and found.state is not ProcedureState.PENDING
        is_late = following.timeout is not None and waited >= following.timeout
        if found.finished or waits or is_stuck or is_taken or is_late:
            return found
        pause(_LOOK_SECONDS)


def find_run(engine: Engine, run: str) -> ProcedureRun:
    """Returns a run with all its attempts; raises an error if there is none."""
    found = engine.view(run)
    if found is None:
        raise ProcedureError(f"there is no run {run!r}", "`handoff-tui run --list` lists them.")
    return found


def withdraw_run(engine: Engine, run: str) -> ProcedureRun:
    """Asks a run to end and to undo what it has done."""
    found = find_run(engine, run)
    if not found.finished:
        engine.cancel(run)
    return engine.view(run) or found


def wake_runs(session: Session, handoff: str) -> int:
    """Makes the waiting runs of a handoff read the log now, after a decision; returns how many."""
    if not has_runs(session):
        return 0
    with open_engine(session) as engine:
        waiting = [run for run in engine.list() if not run.finished and run.request and run.request.handoff == handoff]
        for run in waiting:
            engine.wake(run.id)
    if waiting:
        WorkerStarter(session)()
    return len(waiting)


def find_worker_log(session: Session) -> Path:
    """Returns the log file of the worker."""
    return find_engine_file(session.repository.common_dir, WORKER_LOG)
