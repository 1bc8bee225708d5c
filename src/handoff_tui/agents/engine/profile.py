"""Reliability profiles: many runs through the real engine, on their own database and worker, counted and timed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from handoff_tui.agents.engine import dbos
from handoff_tui.agents.engine.engine import Engine
from handoff_tui.agents.engine.files import write_ahead
from handoff_tui.agents.engine.trial import (
    Trial,
    count_repeated,
    has_made_to_fail,
    is_ready,
    make_trial,
    read_last_words,
    read_records,
    remove_trial,
    write_trial,
)
from handoff_tui.agents.procedures.plan import build_plan
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, RunRequest
from handoff_tui.config.nearest import suggest
from handoff_tui.config.settings.procedures import Procedures, ReliabilityProfile
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import EngineError, ProcedureError
from handoff_tui.core.model import Model
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.system.clock import pause, read_monotonic, read_now
from handoff_tui.system.processes.detached import end_detached, has_ended, start_detached

PROFILE_SCHEMA = "handoff-tui/profile/v1"
_NAMES = 22
_LOOK_SECONDS = 0.1
_MARGIN = 10
USUAL_PROCEDURE = "PHASE_TRANSITION_STANDARD"
_WHERE = "`handoff-tui config show` lists them under procedures."
_START_SECONDS = 60.0
_START_LOOK_SECONDS = 0.05


class Latency(Model):
    """How long runs took from the request to the end, in seconds."""

    median: float
    p90: float
    p95: float
    p99: float
    longest: float


class ProfileReport(Model):
    """How the engine did under one reliability profile."""

    profile: str
    kind: str
    procedure: str
    engine: str
    iterations: int
    concurrent: int
    failure_rate: float
    seconds: float
    completed: int
    rolled_back: int
    failed: int
    """Runs that failed before there was anything to undo."""
    stopped: int
    """Runs whose rollback failed, or that ended with a bug."""
    timed_out: int
    injected: int
    """Runs in which a step was made to fail."""
    as_expected: int
    """Runs that ended as expected: completed, or rolled back if a step was made to fail."""
    repeated: int
    """Steps that ran again after they had passed; there must be none."""
    latency: Latency | None
    success_minimum: float
    rollback_minimum: float

    @property
    def success_rate(self) -> float:
        return self.completed / self.iterations

    @property
    def rollback_rate(self) -> float | None:
        """Returns the share of rollbacks that succeeded; None if nothing had to be undone."""
        began = self.rolled_back + self.stopped
        return self.rolled_back / began if began else None

    @property
    def held(self) -> bool:
        """Tells whether enough runs succeeded, and enough of the others were rolled back."""
        untouched = self.iterations - self.injected
        succeeded = not untouched or self.completed / untouched >= self.success_minimum
        undone = self.rollback_rate is None or self.rollback_rate >= self.rollback_minimum
        return succeeded and undone and not self.repeated


class Load(NamedTuple):
    """How many runs, and how many at once; the stress factor multiplies both."""

    iterations: int
    concurrent: int


class ProfileTarget(NamedTuple):
    """What a profile is run against."""

    name: str
    procedure: str
    profile: ReliabilityProfile
    engine: str


def run_profile(
    settings: Settings, name: str, procedure: str | None, on_progress: Callable[[int, int], None] | None = None
) -> ProfileReport:
    """Runs a profile and counts. Touches no repository: the steps only record themselves."""
    procedures = settings.procedures
    if name not in procedures.profiles:
        raise ProcedureError(f"there is no profile {name!r}; {suggest(name, procedures.profiles)}", _WHERE)
    chosen = procedure or USUAL_PROCEDURE
    if chosen not in procedures.procedures:
        raise ProcedureError(f"there is no procedure {chosen!r}; {suggest(chosen, procedures.procedures)}", _WHERE)
    dbos.load_engine()
    folder = make_trial()
    try:
        trial = _build_trial(settings, name, chosen, folder)
        write_trial(folder, trial.model_dump(mode="json"))
        engine_name = "PostgreSQL" if settings.engine.address else "SQLite"
        profiled = ProfileTarget(name, chosen, procedures.profiles[name], engine_name)
        with open_trial(folder, trial) as engine:
            run = ProfileRun(engine, profiled, trial)
            seconds = run.run(on_progress)
            return run.build_report(procedures, seconds, count_repeated(read_records(folder)))
    finally:
        remove_trial(folder)


@contextmanager
def open_trial(folder: Path, trial: Trial) -> Iterator[dbos.DbosEngine]:
    """Opens the engine of a trial, with a worker that runs as long as this is open."""
    place = dbos.EngineLocation(trial.address, trial.application, trial.table_schema)
    if not place.shared:
        write_ahead(Path(trial.address.removeprefix("sqlite:///")))
    dbos.write_schema(place)
    worker = start_detached(["worker", "--trial", str(folder)], folder / "worker.log")
    try:
        began = read_monotonic()
        while not is_ready(folder):
            if has_ended(worker) or read_monotonic() - began > _START_SECONDS:
                raise EngineError(f"the worker of the trial did not start: {read_last_words(folder / 'worker.log')}")
            pause(_START_LOOK_SECONDS)
        with closing(dbos.DbosEngine(place)) as engine:
            yield engine
    finally:
        end_detached(worker)
        if place.shared:
            dbos.remove_schema(place)


def _build_trial(settings: Settings, name: str, procedure: str, folder: Path) -> Trial:
    """Builds a trial without waits between retries, because it tests the engine."""
    plan = build_plan(settings.procedures, procedure, frozenset(settings.agents))
    address = settings.engine.address
    unique_name = folder.name.lower().replace("-", "_")
    return Trial(
        plan=plan.model_copy(update={"backoff_seconds": ()}),
        failure_rate=settings.procedures.profiles[name].failure_rate,
        application=unique_name,
        table_schema=unique_name,
        address=dbos.build_address(address) if address else f"sqlite:///{folder}/engine.sqlite",
    )


class ProfileRun:
    """Keeps the planned number of runs under way until all are done."""

    def __init__(self, engine: Engine, profiled: ProfileTarget, trial: Trial) -> None:
        self._engine = engine
        self._profiled = profiled
        self._trial = trial
        self._load = build_load(profiled.profile)
        self._open: dict[str, float] = {}
        self._done: dict[str, ProcedureRun] = {}
        self._timed_out: set[str] = set()

    def run(self, on_progress: Callable[[int, int], None] | None = None) -> float:
        """Runs the load; returns how long it took."""
        began = read_monotonic()
        waiting = list(range(self._load.iterations, 0, -1))
        while waiting or self._open:
            while waiting and len(self._open) < self._load.concurrent:
                self._open[self._engine.submit(self._build_request(waiting.pop()))] = read_monotonic()
            self._collect()
            if on_progress is not None:
                on_progress(len(self._done) + len(self._timed_out), self._load.iterations)
            if self._open:
                pause(_LOOK_SECONDS)
        return read_monotonic() - began

    def build_report(self, settings: Procedures, seconds: float, repeated: int) -> ProfileReport:
        profile = self._profiled.profile
        ended = list(self._done.values())
        injected = {
            request.run_id
            for number in range(1, self._load.iterations + 1)
            if has_made_to_fail(request := self._build_request(number), self._trial)
        }
        return ProfileReport(
            profile=self._profiled.name,
            kind=profile.kind.value,
            procedure=self._profiled.procedure,
            engine=self._profiled.engine,
            iterations=self._load.iterations,
            concurrent=self._load.concurrent,
            failure_rate=profile.failure_rate,
            seconds=seconds,
            completed=sum(run.state is ProcedureState.COMPLETED for run in ended),
            rolled_back=sum(run.rolled_back for run in ended),
            failed=sum(run.state is ProcedureState.FAILED and not run.needs_human for run in ended),
            stopped=sum(run.needs_human for run in ended),
            timed_out=len(self._timed_out),
            injected=len(injected),
            as_expected=sum((run.state is ProcedureState.COMPLETED) == (run.id not in injected) for run in ended),
            repeated=repeated,
            latency=build_latency([run.seconds for run in ended if run.seconds is not None]),
            success_minimum=settings.success_rate_minimum,
            rollback_minimum=settings.rollback_rate_minimum,
        )

    def _build_request(self, number: int) -> RunRequest:
        asked = read_now().timestamp()
        return RunRequest(procedure=self._profiled.procedure, handoff=f"trial-{number}", phase="trial", asked=asked)

    def _collect(self) -> None:
        """Collects the runs that ended; cancels those that take too long, without waiting for them."""
        known = {run.id: run for run in self._engine.list(len(self._open) + len(self._timed_out) + _MARGIN)}
        for run in tuple(self._open):
            found = known.get(run) or self._engine.view(run)
            if found is not None and found.finished:
                self._done[run] = self._engine.view(run) or found
                del self._open[run]
            elif read_monotonic() - self._open[run] > self._profiled.profile.timeout_seconds:
                self._timed_out.add(run)
                self._engine.cancel(run)
                del self._open[run]


def build_load(profile: ReliabilityProfile) -> Load:
    factor = profile.stress_factor
    return Load(math.ceil(profile.iterations * factor), math.ceil(profile.concurrent_maximum * factor))


def build_latency(seconds: Sequence[float]) -> Latency | None:
    """Returns nearest-rank percentiles, so that each number was really measured."""
    if not seconds:
        return None
    ordered = sorted(seconds)

    def rank(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Latency(median=rank(0.5), p90=rank(0.9), p95=rank(0.95), p99=rank(0.99), longest=ordered[-1])


def build_profile_json(report: ProfileReport) -> dict[str, object]:
    """Returns the JSON promised to scripts; a rate of nothing is null."""
    return {
        "schema": PROFILE_SCHEMA,
        **report.model_dump(mode="json"),
        "success_rate": report.success_rate,
        "rollback_rate": report.rollback_rate,
        "held": report.held,
    }


def build_profile_page(report: ProfileReport) -> Page:
    page = Page(names=_NAMES)
    glyph, word, role = ("✓", "held", "pass") if report.held else ("✗", "did not hold", "fail")
    page.line(Cell(f"{glyph} {word}  ", role), Cell(render_safe(f"{report.profile} · {report.procedure}"), "heading"))
    load = f"{report.iterations} runs, up to {report.concurrent} at once, on {report.engine}, in {report.seconds:.1f} s"
    page.fact("load", load)
    if report.failure_rate:
        made = f"{report.failure_rate:.0%} of the steps, in {report.injected} of the runs"
        page.fact("made to fail", made)
    page.fact("success rate", f"{report.success_rate:.1%} ({report.completed} completed)")
    page.fact("rollback success", _describe_rollbacks(report))
    page.fact("ended as expected", f"{report.as_expected} of {report.iterations}")
    page.fact("run twice", f"{report.repeated} passed steps")
    if report.timed_out:
        page.fact("out of time", f"{report.timed_out} runs")
    if report.latency is not None:
        latency = report.latency
        words = f"median {latency.median:.2f} s · p90 {latency.p90:.2f} · p95 {latency.p95:.2f} · p99 {latency.p99:.2f}"
        page.fact("latency", f"{words} · longest {latency.longest:.2f}")
    return page


def _describe_rollbacks(report: ProfileReport) -> str:
    if report.rollback_rate is None:
        return "nothing had to be undone"
    early = f"; {report.failed} failed before there was anything to undo" if report.failed else ""
    return f"{report.rollback_rate:.1%} ({report.rolled_back} undone, {report.stopped} not{early})"
