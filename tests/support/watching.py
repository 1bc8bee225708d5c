"""A reader that knows of a repository only what the watcher told it to read again."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from handoff_tui.git.repository import open_repository
from handoff_tui.git.watch.keeper import OpenNotify, open_rust_notify
from handoff_tui.git.watch.noticed import Noticed, Watching
from handoff_tui.git.watch.reconcile import parse_lines, read_stamp
from handoff_tui.git.watch.watcher import IDLE_SECONDS, Watcher
from tests.support.repositories import RepositoryBuilder

_STATUS = ("--no-optional-locks", "--literal-pathspecs", "status", "--porcelain=v2", "-z", "--branch", "--no-renames")
_MOST_PATHS = 100
State = dict[str, object]


class Follower:
    """Keeps its own state of a work tree, and reads again only what it was told of."""

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

    def wait_for(self, holds: Callable[[Noticed], bool], after: int = 0, seconds: float = 30.0) -> Noticed:
        """The first notice after a generation for which something holds; it must come within some seconds."""
        deadline = time.monotonic() + seconds
        with self._news:
            while True:
                for notice in self.notices:
                    if notice.generation > after and holds(notice):
                        return notice
                if not self._news.wait(deadline - time.monotonic()):
                    raise AssertionError(f"not told in {seconds} seconds; last: {self.notices[-3:]}")

    def wait_for_path(self, path: str, after: int = 0) -> Noticed:
        """Until the path, a folder that it is in, or everything is told."""
        return self.wait_for(
            lambda notice: notice.everything or any(covers(told, path) for told in notice.paths), after
        )

    def wait_for_agreement(self, seconds: float = 45.0) -> None:
        """Until the watcher says that it is live, and what was read on its word is what git says now."""
        deadline = time.monotonic() + seconds
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
        paths = frozenset[str]().union(*(notice.paths for notice in new))
        if any(notice.everything or notice.refs for notice in new) or len(paths) > _MOST_PATHS:
            self.state = self.read_state()
        elif paths:
            kept = {path: entry for path, entry in self.state.items() if not any(covers(told, path) for told in paths)}
            self.state = kept | self.read_state(*sorted(paths))

    def read_state(self, *paths: str) -> State:
        """What git says about some paths, or all, with a stamp of each file that it names."""
        output = os.fsencode(self.builder.git(*_STATUS, "--untracked-files=all", "--", *paths))
        headers, lines = parse_lines(output)
        state: State = {path: (line, read_stamp(self.builder.folder, path)) for path, line in lines.items()}
        return state if paths else state | {"\0head": headers}

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
