"""A reliability profile, run for real: many runs through the engine, counted and timed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from handoff_tui.agents.engine.engine import Engine
from handoff_tui.agents.engine.recorded_actions import Trial, has_made_to_fail
from handoff_tui.agents.procedures.report import (
    Latency,
    PlannedRule,
    PlannedStep,
    PlannedUndo,
    ProcedurePlan,
    ProcedureRun,
    ProcedureState,
    ProfileReport,
    RunRequest,
)
from handoff_tui.config.settings.procedures import Procedures
from handoff_tui.config.settings.reliability import ReliabilityProfile
from handoff_tui.system.clock import pause, read_monotonic, read_now

_LOOK_SECONDS = 0.1
_MARGIN = 10


class Load(NamedTuple):
    """How many runs, and how many at once; a stress factor multiplies both."""

    iterations: int
    concurrent: int


class Profiled(NamedTuple):
    """What is tried, by its names."""

    name: str
    procedure: str
    profile: ReliabilityProfile
    engine: str


def build_load(profile: ReliabilityProfile) -> Load:
    factor = profile.stress_factor
    return Load(math.ceil(profile.iterations * factor), math.ceil(profile.concurrent_maximum * factor))


def build_plan(settings: Procedures, procedure_id: str, agents: frozenset[str] = frozenset()) -> ProcedurePlan:
    """A procedure of the configuration as a run goes by it; `agents` are the names that are no built-in steps."""
    procedure = settings.procedures[procedure_id]
    named = dict.fromkeys((*procedure.rules, *(rule for step in procedure.steps for rule in step.rules)))
    return ProcedurePlan(
        steps=tuple(PlannedStep(**step.model_dump(), agent=step.name in agents) for step in procedure.steps),
        rules=tuple(PlannedRule(id=name, **settings.rules[name].model_dump()) for name in named),
        rollback=tuple(PlannedUndo(**undo.model_dump(), agent=undo.name in agents) for undo in procedure.rollback),
        backoff_seconds=settings.backoff_seconds,
        gate_timeout_seconds=settings.gate_timeout_seconds,
        gate_check_seconds=settings.gate_check_seconds,
        share_minimum=settings.final_share_minimum,
    )


class ProfileRun:
    """Keeps so many runs under way until all are done."""

    def __init__(self, engine: Engine, profiled: Profiled, trial: Trial) -> None:
        self._engine = engine
        self._profiled = profiled
        self._trial = trial
        self._load = build_load(profiled.profile)
        self._open: dict[str, float] = {}
        self._done: dict[str, ProcedureRun] = {}
        self._timed_out: set[str] = set()

    def run(self, on_progress: Callable[[int, int], None] | None = None) -> float:
        """Runs the whole load; how long it took."""
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
        """Takes note of what has ended; what takes too long is told to end, and is not waited for."""
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


def build_latency(seconds: Sequence[float]) -> Latency | None:
    """The nearest rank, so that each figure is one that was really measured."""
    if not seconds:
        return None
    ordered = sorted(seconds)

    def rank(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Latency(median=rank(0.5), p90=rank(0.9), p95=rank(0.95), p99=rank(0.99), longest=ordered[-1])
