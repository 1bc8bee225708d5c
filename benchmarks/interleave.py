"""Runs cases in turn, so that a busy moment of the machine falls on all of them alike."""

from __future__ import annotations

import gc
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a ratio, and the figure it must not pass where one was agreed."""

    name: str
    ratio: float
    limit: float | None = None
    note: str = ""

    @property
    def kept(self) -> bool:
        return self.limit is None or self.ratio <= self.limit


def interleave(
    cases: dict[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """The median seconds of each case over some repetitions; one before them warms the caches.

    With `time.thread_time` as the clock, what only computes is not charged for the time that others had the processor.
    No case is charged for looking through what all of them hold, which Python does whenever it collects garbage.
    """
    gc.collect()
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            gc.freeze()
            start = clock()
            case()
            if number:
                taken[name].append(clock() - start)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def spend(argv: list[str], environment: dict[str, str], given: str = "", folder: Path | None = None) -> float:
    """Runs a program and returns the processor time of it and of every process that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, env=environment, input=given, cwd=folder, capture_output=True, check=False, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interleave_spending(cases: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of what each case says it spent; one repetition before them warms the caches."""
    spent: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            seconds = case()
            if number:
                spent[name].append(seconds)
    return {name: statistics.median(seconds) for name, seconds in spent.items()}
