"""Procedures on the real engine: fifty at once against five, four steps each that do nothing; one worker, one file."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from benchmarks.interleave import Row
from handoff_tui.agents.engine.dbos import DbosEngine
from handoff_tui.agents.engine.profile import open_trial
from handoff_tui.agents.engine.trial import Trial, write_trial
from handoff_tui.agents.procedures.report import PlannedStep, ProcedurePlan, ProcedureState, RunRequest

_FEW, _MANY, _STEPS = 5, 50, 4
_GROWTH_LIMIT = 10.0
"""No worse than in proportion."""
_MOST_ROUNDS = 3
_LOOK_SECONDS = 0.02


def measure_procedures(folder: Path, rounds: int) -> list[Row]:
    """From asking for the first to the end of the last; the number of runs is the only difference."""
    place = folder / "procedures"
    place.mkdir()
    plan = ProcedurePlan(
        steps=tuple(PlannedStep(name=f"step-{number}", timeout_seconds=30) for number in range(_STEPS)),
        gate_timeout_seconds=60,
        gate_check_seconds=60,
        share_minimum=0.8,
    )
    trial = Trial(plan=plan, application="handoff-tui-bench", address=f"sqlite:///{place}/engine.sqlite")
    write_trial(place, trial.model_dump(mode="json"))
    taken: dict[int, list[float]] = {_FEW: [], _MANY: []}
    with open_trial(place, trial) as engine:
        _run(engine, _FEW, "warm")
        for number in range(min(rounds, _MOST_ROUNDS)):
            for count, seconds in taken.items():
                seconds.append(_run(engine, count, f"{number}"))
    few, many = (statistics.median(taken[count]) for count in (_FEW, _MANY))
    note = f"{many:.2f} s for {_MANY}, {few:.2f} s for {_FEW}; {many / _MANY * 1000:.0f} ms a procedure"
    return [Row(f"procedures of {_STEPS} steps, {_MANY} at once / {_FEW}", many / few, _GROWTH_LIMIT, note)]


def _run(engine: DbosEngine, count: int, name: str) -> float:
    began = time.perf_counter()
    runs = {
        engine.submit(RunRequest(procedure="bench", handoff=f"{name}-{count}-{number}", phase="bench"))
        for number in range(count)
    }
    while True:
        ended = {run.id: run.state for run in engine.list(count) if run.finished}
        if runs <= ended.keys():
            break
        time.sleep(_LOOK_SECONDS)
    seconds = time.perf_counter() - began
    if {ended[run] for run in runs} != {ProcedureState.COMPLETED}:
        raise AssertionError("not every procedure was completed")
    return seconds
