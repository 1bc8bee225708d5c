"""A reliability profile against the real engine: a database of its own, a worker in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from handoff_tui.agents.engine.dbos import (
    DbosEngine,
    EnginePlace,
    build_address,
    load_engine,
    remove_schema,
    write_schema,
)
from handoff_tui.agents.engine.files import write_ahead
from handoff_tui.agents.engine.profile import Profiled, ProfileRun, build_plan
from handoff_tui.agents.engine.recorded_actions import Trial, count_repeated
from handoff_tui.agents.engine.trial_files import (
    is_ready,
    make_trial,
    read_records,
    read_words,
    remove_trial,
    write_trial,
)
from handoff_tui.agents.procedures.report import ProfileReport
from handoff_tui.config.nearest import suggest
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import EngineError, ProcedureError
from handoff_tui.system.clock import pause, read_monotonic
from handoff_tui.system.processes.detached import end_detached, has_ended, start_detached

USUAL_PROCEDURE = "PHASE_TRANSITION_STANDARD"
_WHERE = "`handoff-tui config show` lists them under procedures."
_START_SECONDS = 60.0
_LOOK_SECONDS = 0.05


def run_profile(
    settings: Settings, name: str, procedure: str | None, on_progress: Callable[[int, int], None] | None = None
) -> ProfileReport:
    """Runs the whole profile and counts. Nothing of any repository is touched: the steps only record themselves."""
    procedures = settings.procedures
    if name not in procedures.profiles:
        raise ProcedureError(f"there is no profile {name!r}; {suggest(name, procedures.profiles)}", _WHERE)
    chosen = procedure or USUAL_PROCEDURE
    if chosen not in procedures.procedures:
        raise ProcedureError(f"there is no procedure {chosen!r}; {suggest(chosen, procedures.procedures)}", _WHERE)
    load_engine()
    folder = make_trial()
    try:
        trial = _build_trial(settings, name, chosen, folder)
        write_trial(folder, trial.model_dump(mode="json"))
        engine_name = "PostgreSQL" if settings.engine.address else "SQLite"
        profiled = Profiled(name, chosen, procedures.profiles[name], engine_name)
        with open_trial(folder, trial) as engine:
            run = ProfileRun(engine, profiled, trial)
            seconds = run.run(on_progress)
            return run.build_report(procedures, seconds, count_repeated(read_records(folder)))
    finally:
        remove_trial(folder)


@contextmanager
def open_trial(folder: Path, trial: Trial) -> Iterator[DbosEngine]:
    """The engine of a trial with a worker that lives as long as this is open."""
    place = EnginePlace(trial.address, trial.application, trial.table_schema)
    if not place.shared:
        write_ahead(Path(trial.address.removeprefix("sqlite:///")))
    write_schema(place)
    worker = start_detached(["worker", "--trial", str(folder)], folder / "worker.log")
    try:
        began = read_monotonic()
        while not is_ready(folder):
            if has_ended(worker) or read_monotonic() - began > _START_SECONDS:
                raise EngineError(f"the worker of the trial did not start: {read_words(folder / 'worker.log')}")
            pause(_LOOK_SECONDS)
        engine = DbosEngine(place)
        try:
            yield engine
        finally:
            engine.close()
    finally:
        end_detached(worker)
        if place.shared:
            remove_schema(place)


def _build_trial(settings: Settings, name: str, procedure: str, folder: Path) -> Trial:
    """Without the waits between tries, since it is the engine that is tried."""
    plan = build_plan(settings.procedures, procedure, frozenset(settings.agents))
    address = settings.engine.address
    name_of_its_own = folder.name.lower().replace("-", "_")
    return Trial(
        plan=plan.model_copy(update={"backoff_seconds": ()}),
        failure_rate=settings.procedures.profiles[name].failure_rate,
        application=name_of_its_own,
        table_schema=name_of_its_own,
        address=build_address(address) if address else f"sqlite:///{folder}/engine.sqlite",
    )
