"""A live backend without a screen, and a watcher: what they report is collected, and a test waits for what it needs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from handoff_tui.core.classes import replace
from handoff_tui.git.repository import open_repository
from handoff_tui.git.watch.keeper import OpenNotify, open_rust_notify
from handoff_tui.git.watch.noticed import Noticed, Watching
from handoff_tui.git.watch.reconcile import list_lines, read_stamp
from handoff_tui.git.watch.watcher import IDLE_SECONDS, Watcher
from handoff_tui.git.work_tree.listing import parse_status
from handoff_tui.live.backend import LiveBackend
from handoff_tui.live.state.app import AppState, Drafts, Loaded, Part
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.repositories import RepositoryBuilder
from tests.support.waiting import LONGEST_SECONDS

_TICK_SECONDS = 0.02
RESULTS = """# Results: H-{number}

## Status: PASS

## Files Created
- `src/part.py` (SHA256: {hash})

## Test Results — THIS PACKAGE
- Total: {tests} tests
- Passed: {tests}
- Failed: 0
- Skipped: 0
"""


class Onlooker:
    """Somebody who looks at a desk."""

    def __init__(self, *places: Path) -> None:
        self.told: list[AppState] = []
        self.bugs: list[BaseException] = []
        self._news = threading.Condition()
        self.desk = LiveBackend(places, self._tell, self.bugs.append)

    @property
    def state(self) -> AppState:
        return self.desk.state

    def _tell(self, state: AppState) -> None:
        with self._news:
            self.told.append(state)
            self._news.notify_all()

    def wait_for(self, holds: Callable[[AppState], bool]) -> AppState:
        """The newest state, as soon as something holds of it."""
        deadline = time.monotonic() + LONGEST_SECONDS
        with self._news:
            while not holds(self.desk.state):
                left = deadline - time.monotonic()
                assert left > 0, f"it never came; bugs: {self.bugs}; {describe(self.desk.state)}"
                self._news.wait(min(left, 0.5))
            return self.desk.state

    def wait_until_live(self) -> AppState:
        """Until every repository that is there was looked at in full, and nothing is left to be read."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while True:
            state = self.wait_for(lambda state: all(map(_is_looked_at, state.repositories)))
            if self.desk.is_idle() and state is self.desk.state:
                return state
            assert time.monotonic() < deadline, f"it never came to rest: {describe(state)}"
            time.sleep(_TICK_SECONDS)

    def choose(self, handoff: str, *parts: Part) -> AppState:
        """Takes a handoff into view, with some of its parts, and waits until they are read."""
        state = self.wait_for(lambda state: any(item.key.handoff == handoff for item in state.inbox))
        key = next(item.key for item in state.inbox if item.key.handoff == handoff)
        self.desk.choose(HandoffKey(*key))
        self.desk.need(frozenset(parts))
        return self.wait_for_parts(*parts)

    def wait_for_parts(self, *parts: Part) -> AppState:
        """Until these are read, or could not be, and nothing has changed since."""
        return self.wait_for(lambda state: all(is_fresh(getattr(state, part.value)) for part in parts))


def is_fresh(loaded: Loaded[object]) -> bool:
    known = loaded.value is not None or loaded.trouble is not None
    return known and not loaded.loading and (not loaded.stale or loaded.trouble is not None)


def _is_looked_at(part: object) -> bool:
    watching = getattr(part, "watching", None)
    return watching in {Watching.LIVE, Watching.POLLING, Watching.GONE}


def describe(state: AppState) -> str:
    """What a failed test says of a state."""
    parts = {part.value: getattr(state, part.value) for part in Part}
    told = {name: (type(one.value).__name__, one.trouble, one.loading, one.stale) for name, one in parts.items()}
    return f"{[(one.root, one.watching, one.state.trouble) for one in state.repositories]} {told}"


@contextmanager
def looking(*places: Path) -> Iterator[Onlooker]:
    """A desk that runs; it ends with the test, with every thread, and a bug on one of them fails it."""
    onlooker = Onlooker(*places)
    onlooker.desk.start()
    try:
        yield onlooker
    finally:
        onlooker.desk.stop()
    assert onlooker.bugs == []


def build_work(builder: RepositoryBuilder, handoffs: int = 2) -> RepositoryBuilder:
    """Some handoffs that claim the hash of one source file, wrongly; committed."""
    builder.write("src/part.py", "value = 1\n").write("src/other.py", "value = 2\n")
    for number in range(1, handoffs + 1):
        builder.write(f"handoffs/H-{number}/H-{number}_RESULTS.md", build_results(number))
    return builder.commit("the work")


def build_results(number: int, tests: int = 3, digest: str = "0" * 64) -> str:
    return RESULTS.format(number=number, tests=tests, hash=digest)


def without_moment(state: AppState) -> AppState:
    """The state without what differs between two desks that agree: times, generations, whether a result was kept."""
    parts: dict[str, Any] = {part.value: replace(getattr(state, part.value), at=None) for part in Part}
    if state.checks.value is not None:
        update = {"from_cache": False, "rerun_because": None, "duration": None, "ran_at": None}
        results = tuple(result.model_copy(update=update) for result in state.checks.value.results)
        parts["checks"] = replace(parts["checks"], value=state.checks.value.model_copy(update={"results": results}))
    repositories = tuple(
        replace(
            one,
            confirmed_at=None,
            state=replace(
                one.state, at=None, value=one.state.value and one.state.value.model_copy(update={"generation": 0})
            ),
        )
        for one in state.repositories
    )
    return replace(state, generation=0, repositories=repositories, drafts=Drafts(), status=None, **parts)


_STATUS = ("--no-optional-locks", "--literal-pathspecs", "status", "--porcelain=v2", "-z", "--branch", "--no-renames")
_MOST_PATHS = 100
State = dict[str, object]


class Follower:
    """Keeps its own state of a work tree, and reads again only what it was told about."""

    def __init__(self, builder: RepositoryBuilder) -> None:
        self.builder = builder
        self.notices: list[Noticed] = []
        self.state: State = {}
        self._news = threading.Condition()
        self._read = 0

    def tell(self, notice: Noticed) -> None:
        with self._news:
            self.notices.append(notice)
            self._news.notify_all()

    @property
    def last(self) -> Noticed:
        return self.notices[-1]

    def wait_for(self, holds: Callable[[Noticed], bool], after: int = 0) -> Noticed:
        """The first notice after a generation for which something holds; it must come."""
        deadline = time.monotonic() + LONGEST_SECONDS
        with self._news:
            while True:
                for notice in self.notices:
                    if notice.generation > after and holds(notice):
                        return notice
                if not self._news.wait(deadline - time.monotonic()):
                    raise AssertionError(f"it was never told; last: {self.notices[-3:]}")

    def wait_for_path(self, path: str, after: int = 0) -> Noticed:
        """Until the path, a folder that it is in, or everything is told."""
        return self.wait_for(
            lambda notice: notice.touched.everything or any(covers(told, path) for told in notice.touched.paths), after
        )

    def wait_for_agreement(self) -> None:
        """Until the watcher says that it is live, and what was read on its word is what git says now."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while True:
            self.catch_up()
            if self.last.watching in {Watching.LIVE, Watching.POLLING} and self.state == self.read_state():
                return
            with self._news:
                if self._read == len(self.notices) and not self._news.wait(deadline - time.monotonic()):
                    self._explain()

    def catch_up(self) -> None:
        """Reads again what was told since the last time."""
        new = self.notices[self._read :]
        self._read += len(new)
        paths = frozenset[str]().union(*(notice.touched.paths for notice in new))
        if any(notice.touched.everything or notice.touched.refs for notice in new) or len(paths) > _MOST_PATHS:
            self.state = self.read_state()
        elif paths:
            kept = {path: entry for path, entry in self.state.items() if not any(covers(told, path) for told in paths)}
            self.state = kept | self.read_state(*sorted(paths))

    def read_state(self, *paths: str) -> State:
        """What git says about some paths, or all, with a stamp of each file that it names."""
        output = os.fsencode(self.builder.git(*_STATUS, "--untracked-files=all", "--", *paths))
        status = parse_status(output)
        lines = list_lines(status)
        state: State = {path: (line, read_stamp(self.builder.folder, path)) for path, line in lines.items()}
        return state if paths else state | {"\0head": status.headers}

    def _explain(self) -> None:
        now = self.read_state()
        differing = sorted(path for path in {*now, *self.state} if now.get(path) != self.state.get(path))
        raise AssertionError(f"{len(differing)} paths differ: {differing[:5]}; last: {self.last}")


def covers(told: str, path: str) -> bool:
    return path == told or path.startswith(f"{told}/")


@contextmanager
def watching(
    builder: RepositoryBuilder, *, open_one: OpenNotify = open_rust_notify, idle_seconds: float = IDLE_SECONDS
) -> Iterator[tuple[Watcher, Follower]]:
    """A watcher that has taken its first full look; it is stopped, and has ended, afterwards."""
    follower = Follower(builder)
    stop = threading.Event()
    repository = open_repository(builder.folder)
    watcher = Watcher(repository, follower.tell, stop, open_one=open_one, idle_seconds=idle_seconds)
    watcher.start()
    try:
        follower.wait_for(lambda notice: notice.reconciled > 0)
        follower.catch_up()
        yield watcher, follower
    finally:
        stop.set()
        watcher.join(30)
        assert not watcher.is_alive()


def save_atomically(place: Path, content: str) -> None:
    """As most editors and agents save: a new file takes the place of the old one."""
    new = place.with_name(f"{place.name}.new")
    new.write_text(content, encoding="utf-8")
    new.replace(place)
