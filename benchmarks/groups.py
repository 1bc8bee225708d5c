"""What is measured, in groups; each can be measured alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.agents import measure_agents
from benchmarks.baseline import measure_capture
from benchmarks.busy import measure_busy
from benchmarks.check import measure_cancel, measure_check, measure_engine
from benchmarks.compare import measure_compare
from benchmarks.debugging import measure_debugging
from benchmarks.desk import measure_desk
from benchmarks.diff import measure_diff
from benchmarks.diff_view import measure_diff_view
from benchmarks.growth import measure_growth
from benchmarks.interleave import Row
from benchmarks.live import measure_live
from benchmarks.log_append import measure_log_append
from benchmarks.log_entry import measure_log_entry
from benchmarks.log_verify import measure_log_verify
from benchmarks.metrics import measure_metrics
from benchmarks.procedures import measure_procedures
from benchmarks.processes import measure_processes
from benchmarks.reading import measure_reading
from benchmarks.scopes import measure_scopes
from benchmarks.verbs import measure_verbs
from benchmarks.watching import measure_watching

_MOST_FILES = 100_000


def measure_group(name: str, folder: Path, rounds: int, sizes: tuple[int, ...]) -> list[Row]:
    return list_groups(folder, rounds, sizes)[name]()


def list_groups(folder: Path, rounds: int, sizes: tuple[int, ...]) -> dict[str, Callable[[], list[Row]]]:
    return {
        "verbs": lambda: measure_verbs(folder, rounds),
        "processes": lambda: measure_processes(folder / "processes"),
        "growth": lambda: measure_growth(folder, rounds, _MOST_FILES),
        "reading": lambda: measure_reading(folder, rounds),
        "check": lambda: measure_check(folder, rounds, (1_000, 10_000, _MOST_FILES)),
        "engine": lambda: measure_engine(folder, rounds),
        "capture": lambda: measure_capture(folder, rounds, sizes),
        "cancel": lambda: measure_cancel(folder / "cancel", rounds),
        "diff": lambda: measure_diff(folder, rounds),
        "diff-view": lambda: measure_diff_view(rounds),
        "compare": lambda: measure_compare(folder, rounds),
        "log-entry": lambda: measure_log_entry(rounds),
        "log-append": lambda: measure_log_append(folder, rounds),
        "log-verify": lambda: measure_log_verify(folder, rounds),
        "metrics": lambda: measure_metrics(folder, rounds),
        "scopes": lambda: measure_scopes(folder, rounds),
        "watching": lambda: measure_watching(folder, rounds, sizes),
        "live": lambda: measure_live(folder, sizes),
        "desk": lambda: measure_desk(folder, rounds, (1_000, _MOST_FILES)),
        "busy": lambda: measure_busy(folder, rounds),
        "agents": lambda: measure_agents(folder, rounds),
        "procedures": lambda: measure_procedures(folder, rounds),
        "debugging": lambda: measure_debugging(folder, rounds),
    }
