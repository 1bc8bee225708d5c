"""The app through a terminal: first paint, a save until its result is on the screen, keys, a decision, idling."""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.pty_program import PtyProgram, run_in_pty
from benchmarks.repositories import make_repository
from handoff_tui.tui.first_paint import REPOSITORY

_PAINTED = f"1 {REPOSITORY['queue']}".encode()
_LIVE = b"live"
_LISTED = b"YOUR CALL"
_READY = b"READY TO APPROVE"
_EXAMINED = b"attempt 1"
"""What the box of a decision says once the work is captured and checked."""
_OTHERS = {"lazygit": b"Status", "tig": b"[main]"}
"""What people look into a repository with, and a word of its first screen."""
FRAME_SECONDS = 1 / 60
_DEBOUNCE_SECONDS = 2 * 0.005
"""The watcher looks every 5 ms and tells after one to two looks."""
_FIRST_PAINT_LIMIT = 1.5
_LARGE_LIMIT = 1.15
_SAVE_FRAMES_LIMIT = 2.0
_SAVE_GROWTH_LIMIT = 1.3
_FILTER_FRAMES_LIMIT = 2.0
_KEY_FRAMES_LIMIT = 2.0
_KEYS = (b"j", b"k", b"2", b"1")
"""The next row and the one before, another tab and back."""
_DECISION_LIMIT = 3.0
_MEMORY_LIMIT = 1.5
_IDLE_LIMIT = 0.5
_IDLE_SECONDS = 10.0
_SAVES = 15
_EMPTY_APP = f"""
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("{_PAINTED.decode()}")
Empty().run()
"""


def measure_desk(folder: Path, rounds: int, sizes: tuple[int, ...]) -> list[Row]:
    """Sizes are numbers of files; the largest is compared with an empty repository."""
    environment = build_environment(folder / "desk-home")
    empty = make_repository(folder / "desk-empty", 0, 0)
    places = {files: make_repository(folder / f"desk-{files}", files, 60) for files in sizes}
    many = make_repository(folder / "desk-many", 10, 12_000)
    return [
        *_measure_first_paint(environment, empty, places, rounds),
        *_measure_saves(environment, places),
        _measure_filter(environment, many),
        *_measure_sample(environment, folder / "desk-sample", rounds),
        _measure_idle(environment, places[max(sizes)]),
    ]


def build_environment(home: Path) -> dict[str, str]:
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return {**kept, "HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def _words(place: Path) -> list[str]:
    return [sys.executable, "-m", "handoff_tui", "--repo", str(place)]


def _measure_first_paint(
    environment: Mapping[str, str], empty: Path, places: dict[int, Path], rounds: int
) -> list[Row]:
    largest = max(places)

    def paint(words: list[str], marker: bytes = _PAINTED) -> Callable[[], object]:
        def run() -> None:
            with run_in_pty(words, environment) as program:
                program.read_until(marker)

        return run

    there = ["sh", "-c", 'cd "$0" && exec "$1"', str(places[largest])]
    others = {name: paint([*there, name], marker) for name, marker in _OTHERS.items() if shutil.which(name)}
    seconds = interleave(
        {
            "framework": paint([sys.executable, "-c", _EMPTY_APP]),
            "empty": paint(_words(empty)),
            "large": paint(_words(places[largest])),
            "listed": paint(_words(places[largest]), _LISTED),
            **others,
        },
        rounds,
    )
    return [
        *(
            Row(f"handoffs on the screen, {largest:,} files / {name}", seconds["listed"] / seconds[name])
            for name in ("framework", *others)
        ),
        Row(
            "first paint, empty repository / empty Textual app",
            seconds["empty"] / seconds["framework"],
            _FIRST_PAINT_LIMIT,
        ),
        Row(f"first paint, {largest:,} files / empty repository", seconds["large"] / seconds["empty"], _LARGE_LIMIT),
    ]


def _measure_saves(environment: Mapping[str, str], places: dict[int, Path]) -> list[Row]:
    """A document is saved with another title; it is on the screen when the new title is."""
    taken: dict[int, list[float]] = {files: [] for files in places}
    with ExitStack() as stack:
        programs: dict[int, PtyProgram] = {}
        for files, place in places.items():
            program = stack.enter_context(run_in_pty(_words(place), environment, (160, 40)))
            program.read_until(_LIVE)
            program.drain(1.0)
            programs[files] = program
        for number in range(_SAVES):
            for files, place in places.items():
                taken[files].append(_save(place, programs[files], number))
    frames = {
        files: (statistics.median(seconds) - _DEBOUNCE_SECONDS) / FRAME_SECONDS for files, seconds in taken.items()
    }
    smallest, largest = min(places), max(places)
    growth = statistics.median(taken[largest]) / statistics.median(taken[smallest])
    return [
        *(
            Row(f"save to screen, {files:,} files, frames above the debounce", count, _SAVE_FRAMES_LIMIT)
            for files, count in frames.items()
        ),
        Row(f"save to screen, {largest:,} / {smallest:,} files", growth, _SAVE_GROWTH_LIMIT),
    ]


def _save(place: Path, program: PtyProgram, number: int) -> float:
    target = next(place.glob("handoffs/H-1/H-1_BUILDER_HANDOFF.md"))
    marker = f"Zebra{number:03}"
    text = target.read_text(encoding="utf-8").split("\n", 1)[1]
    new = target.with_name("new.tmp")
    new.write_text(f"# H-1: {marker}\n{text}", encoding="utf-8")
    start = time.perf_counter()
    new.replace(target)
    end = program.read_until(marker[-3:].encode())
    program.drain(0.3)
    return end - start


def _measure_filter(environment: Mapping[str, str], many: Path) -> Row:
    """Each letter of a filter over two thousand handoffs, until the screen is still."""
    with run_in_pty(_words(many), environment) as program:
        program.read_until(_LIVE)
        program.drain(2.0)
        program.send(b"/")
        program.drain(0.3)
        taken: list[float] = []
        for letter in itertools.islice(itertools.cycle(b"h-1\x7f\x7f\x7f"), 24):
            start = program.send(bytes([letter]))
            program.read_until(b"\x1b")
            taken.append(time.perf_counter() - start)
            program.drain(0.1)
    return Row(
        "filter keystroke, 2,000 handoffs, frames", statistics.median(taken) / FRAME_SECONDS, _FILTER_FRAMES_LIMIT
    )


def _measure_sample(environment: Mapping[str, str], folder: Path, rounds: int) -> list[Row]:
    """With the sample open: what keys cost, how long until a decision can be read, and what is held in memory."""
    program_words = [sys.executable, "-m", "handoff_tui"]
    made = [*program_words, "demo", "--no-open", "--fixed-dates", "--dir", str(folder)]
    subprocess.run(made, check=True, env=environment, stdout=subprocess.DEVNULL)
    place = next(folder.glob("*/.git")).parent
    environment = {**environment, "HOME": str(folder / "home")}
    keys: dict[bytes, list[float]] = {key: [] for key in _KEYS}
    boxes: list[float] = []
    checks: list[float] = []
    with run_in_pty([sys.executable, "-c", _EMPTY_APP], environment, (160, 40)) as program:
        program.read_until(_PAINTED)
        program.drain(1.0)
        plain = program.read_memory()
    with run_in_pty(_words(place), environment, (160, 40)) as program:
        program.read_until(_READY)
        program.drain(2.0)
        memory = program.read_memory()
        for _ in range(rounds + 1):
            for key, taken in keys.items():
                start = program.send(key)
                taken.append(program.read_until(b"\x1b") - start)
                program.drain(0.3)
            start = program.send(b"a")
            boxes.append(program.read_until(_EXAMINED) - start)
            program.drain(0.5)
            program.send(b"\x1b")
            program.drain(0.5)
            start = time.perf_counter()
            subprocess.run(
                [*program_words, "check", "--fresh", "--repo", str(place)],
                env=environment,
                capture_output=True,
                check=False,
            )
            checks.append(time.perf_counter() - start)
            program.drain(0.5)
    slowest = max(map(statistics.median, keys.values()))
    decision = statistics.median(boxes) / statistics.median(checks)
    return [
        Row("a key until the screen changes, slowest of 4 keys, frames", slowest / FRAME_SECONDS, _KEY_FRAMES_LIMIT),
        Row("key until a decision is examined / check --fresh, sample", decision, _DECISION_LIMIT),
        Row("memory with the sample open / empty Textual app", memory / plain, _MEMORY_LIMIT, f"{memory / 1e6:.0f} MB"),
    ]


def _measure_idle(environment: Mapping[str, str], place: Path) -> Row:
    with run_in_pty(_words(place), environment) as program:
        program.read_until(_LIVE)
        program.drain(3.0)
        before, written = program.read_cpu_seconds(), program.written
        time.sleep(_IDLE_SECONDS)
        program.drain(0.05)
        used = program.read_cpu_seconds() - before
        note = f" {(program.written - written) / _IDLE_SECONDS:.0f} B/s written"
    return Row("idle app, percent of one core", used / _IDLE_SECONDS * 100, _IDLE_LIMIT, note)
