"""The desk without a screen: how long after a save its result is told, above what a watcher needs to hear of it."""

from __future__ import annotations

import hashlib
import queue
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks.interleave import Row
from benchmarks.repositories import make_repository
from handoff_tui.git.repository import open_repository
from handoff_tui.git.watch.noticed import Noticed, Watching
from handoff_tui.git.watch.watcher import Watcher
from handoff_tui.live.backend import LiveBackend
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.status.inbox_item import HandoffKey

_Told = TypeVar("_Told")
_FRAME_SECONDS = 1 / 60
_FRAMES_LIMIT = 2.0
_GROWTH_LIMIT = 1.3
_SAVES = 30
_WAIT_SECONDS = 120.0
_IN_VIEW = frozenset({Part.SHOWN, Part.CHECKS, Part.PIPELINE, Part.GATE})
_HANDOFF = "H-1"
_CLAIMED = "src/part000/file000001.py"
"""Its hash is claimed, and claimed wrongly, so that a check quotes what it is."""
_DOCUMENT = f"handoffs/{_HANDOFF}/{_HANDOFF}_RESULTS.md"


class _Watched(NamedTuple):
    place: Path
    told: queue.SimpleQueue[tuple[float, AppState]]
    heard: queue.SimpleQueue[tuple[float, Noticed]]


def measure_live(folder: Path, sizes: tuple[int, ...]) -> list[Row]:
    """Sizes are numbers of files; the smallest is what the largest is compared with."""
    places = {files: make_repository(folder / f"live-{files}", files, 60) for files in sizes}
    rows: list[Row] = []
    with ExitStack() as stack:
        watched = {files: stack.enter_context(_open(place)) for files, place in places.items()}
        rows += _measure("source", watched, _save_source)
        rows += _measure("document", watched, _save_document)
    return rows


def _measure(
    what: str, watched: dict[int, _Watched], save: Callable[[_Watched, int], tuple[float, float]]
) -> list[Row]:
    """Saves in all repositories in turn, so that a busy moment falls on all of them alike."""
    above: dict[int, list[float]] = {files: [] for files in watched}
    whole: dict[int, list[float]] = {files: [] for files in watched}
    for number in range(_SAVES):
        for files, one in watched.items():
            heard, told = save(one, number)
            above[files].append(told - heard)
            whole[files].append(told)
    smallest, largest = min(watched), max(watched)
    growth = statistics.median(whole[largest]) / statistics.median(whole[smallest])
    is_source = what == "source"
    return [
        *(
            Row(
                f"{what} saved to result, {files:,} files, above floor / frame",
                statistics.median(seconds) / _FRAME_SECONDS,
                _FRAMES_LIMIT if is_source else None,
                f"  whole {statistics.median(whole[files]) * 1000:.0f} ms",
            )
            for files, seconds in above.items()
        ),
        Row(f"{what} saved to result, {largest:,} / {smallest:,} files", growth, _GROWTH_LIMIT),
    ]


def _save_source(watched: _Watched, number: int) -> tuple[float, float]:
    content = f"value = -{number}\n"
    digest = hashlib.sha256(content.encode()).hexdigest()

    def is_there(state: AppState) -> bool:
        results = state.checks.value.results if state.checks.value else ()
        actual = (one.actual or "" for result in results for finding in result.findings for one in finding.evidence)
        return any(digest in text for text in actual)

    return _save(watched, _CLAIMED, content, is_there)


def _save_document(watched: _Watched, number: int) -> tuple[float, float]:
    place = watched.place / _DOCUMENT
    before = place.read_text(encoding="utf-8").splitlines()
    lines = [f"- Passed: {1000 + number}" if line.startswith("- Passed:") else line for line in before]

    def is_there(state: AppState) -> bool:
        tests = state.shown.value.reviewed.handoff.tests if state.shown.value else None
        return tests is not None and tests.passed == 1000 + number

    return _save(watched, _DOCUMENT, "\n".join(lines) + "\n", is_there)


def _save(watched: _Watched, path: str, content: str, is_there: Callable[[AppState], bool]) -> tuple[float, float]:
    """Seconds until a watcher reported it, and until a state had its result."""
    target = watched.place / path
    new = target.with_name("file.new")
    new.write_text(content, encoding="utf-8")
    while not watched.heard.empty():
        watched.heard.get()
    start = time.perf_counter()
    new.replace(target)
    told = _wait(watched.told, is_there)
    heard = _wait(watched.heard, lambda noticed: noticed.touched.everything or path in noticed.touched.paths)
    return heard - start, told - start


def _wait(told: queue.SimpleQueue[tuple[float, _Told]], holds: Callable[[_Told], bool]) -> float:
    while True:
        moment, value = told.get(timeout=_WAIT_SECONDS)
        if holds(value):
            return moment


@contextmanager
def _open(place: Path) -> Iterator[_Watched]:
    """A desk with a handoff in view, everything read and live; and a watcher beside it, whose word is the floor."""
    watched = _Watched(place, queue.SimpleQueue(), queue.SimpleQueue())
    stop = threading.Event()
    desk = LiveBackend([place], lambda state: watched.told.put((time.perf_counter(), state)))
    watcher = Watcher(open_repository(place), lambda word: watched.heard.put((time.perf_counter(), word)), stop)
    desk.start()
    watcher.start()
    try:
        _wait(watched.told, lambda state: bool(state.inbox))
        desk.choose(HandoffKey(str(place), _HANDOFF))
        desk.need(_IN_VIEW)
        _wait(watched.told, _is_settled)
        _wait(watched.heard, lambda word: word.watching is Watching.LIVE)
        yield watched
    finally:
        stop.set()
        desk.stop()
        watcher.join()


def _is_settled(state: AppState) -> bool:
    parts = (state.shown, state.checks, state.pipeline, state.gate)
    live = all(part.watching is Watching.LIVE for part in state.repositories)
    return live and all(part.value is not None and not part.loading and not part.stale for part in parts)
