"""The watcher: how long a save takes to be told, what waiting costs, and how long it takes until it is live."""

from __future__ import annotations

import os
import queue
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.repositories import make_repository
from handoff_tui.git.repository import open_repository
from handoff_tui.git.watch.keeper import STEP_MILLISECONDS
from handoff_tui.git.watch.noticed import Noticed, Watching
from handoff_tui.git.watch.watcher import Watcher

_LATENCY_LIMIT = 3.0
"""One to two steps are the floor; a shared machine wakes up late now and then."""
_GROWTH_LIMIT = 1.3
_IDLE_LIMIT = 1.0
_SET_UP_LIMIT = {1_000: None, 10_000: 4.0, 100_000: 3.0}
"""In a small repository starting git a few times is all there is."""
_SAVES = 40
_IDLE_SECONDS = 8.0
_WAIT_SECONDS = 60.0
_STATUS = ("git", "--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all")


def measure_watching(folder: Path, rounds: int, sizes: tuple[int, ...]) -> list[Row]:
    """Sizes are numbers of files; the smallest is what the others are compared with."""
    places = {files: make_repository(folder / f"watching-{files}", files, 60) for files in sizes}
    return [*_measure_latency(places), _measure_idle(places[max(sizes)]), *_measure_set_up(places, rounds)]


def _measure_latency(places: dict[int, Path]) -> list[Row]:
    """Saves in all repositories in turn, so that a busy moment falls on all of them alike."""
    taken: dict[int, list[float]] = {files: [] for files in places}
    with ExitStack() as stack:
        words = {files: stack.enter_context(_watch(place)) for files, place in places.items()}
        for number in range(_SAVES):
            for files, place in places.items():
                taken[files].append(_save(place, words[files], number))
    steps = {files: statistics.median(seconds) * 1000 / STEP_MILLISECONDS for files, seconds in taken.items()}
    smallest, largest = min(places), max(places)
    return [
        *(Row(f"atomic save to word, {files:,} files / step", ratio, _LATENCY_LIMIT) for files, ratio in steps.items()),
        Row(f"atomic save to word, {largest:,} / {smallest:,} files", steps[largest] / steps[smallest], _GROWTH_LIMIT),
    ]


def _save(place: Path, told: queue.SimpleQueue[Noticed], number: int) -> float:
    target = place / "src" / "part000" / "file000001.py"
    new = target.with_name("file.new")
    new.write_text(f"value = -{number}\n", encoding="utf-8")
    start = time.perf_counter()
    new.replace(target)
    while "src/part000/file000001.py" not in told.get(timeout=_WAIT_SECONDS).touched.paths:
        pass
    return time.perf_counter() - start


def _measure_idle(place: Path) -> Row:
    """All threads of this process, while nothing happens, in hundredths of a core."""
    with _watch(place):
        time.sleep(7)  # what is left of starting is over, and it rests
        wall, processor = time.perf_counter(), time.process_time()
        time.sleep(_IDLE_SECONDS)
        spent = (time.process_time() - processor) / (time.perf_counter() - wall)
    return Row("watching while nothing happens, % of a core", spent * 100, _IDLE_LIMIT)


def _measure_set_up(places: dict[int, Path], rounds: int) -> list[Row]:
    cases: dict[str, Callable[[], object]] = {}
    for files, place in places.items():
        cases[f"git {files}"] = _run_status(place)
        cases[f"watch {files}"] = _start_and_stop(place)
    taken = interleave(cases, rounds)
    return [
        Row(
            f"watcher live, {files:,} files / git status",
            taken[f"watch {files}"] / taken[f"git {files}"],
            _SET_UP_LIMIT.get(files),
        )
        for files in places
    ]


def _run_status(place: Path) -> Callable[[], object]:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return lambda: subprocess.run(_STATUS, cwd=place, check=True, capture_output=True, env=environment)


def _start_and_stop(place: Path) -> Callable[[], object]:
    def run() -> None:
        with _watch(place):
            pass

    return run


@contextmanager
def _watch(place: Path) -> Iterator[queue.SimpleQueue[Noticed]]:
    """A watcher that is live; stopping it is part of the time, as it takes a step at most."""
    told: queue.SimpleQueue[Noticed] = queue.SimpleQueue()
    stop = threading.Event()
    watcher = Watcher(open_repository(place), told.put, stop)
    watcher.start()
    try:
        while told.get(timeout=_WAIT_SECONDS).watching is not Watching.LIVE:
            pass
        yield told
    finally:
        stop.set()
        watcher.join()
