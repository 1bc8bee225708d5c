"""A live desk without a screen: what it tells is collected, and a test waits for what it needs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.backend import LiveBackend
from handoff_tui.live.state.app import AppState, Drafts, Loaded, Part
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.repositories import RepositoryBuilder

_LONGEST_SECONDS = 150.0
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

    def wait_for(self, holds: Callable[[AppState], bool], seconds: float = _LONGEST_SECONDS) -> AppState:
        """The newest state, as soon as something holds of it."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not holds(self.desk.state):
                left = deadline - time.monotonic()
                assert left > 0, f"it never came; bugs: {self.bugs}; {describe(self.desk.state)}"
                self._news.wait(min(left, 0.5))
            return self.desk.state

    def wait_until_live(self, seconds: float = _LONGEST_SECONDS) -> AppState:
        """Until every repository that is there was looked at in full, and nothing is left to be read."""
        deadline = time.monotonic() + seconds
        while True:
            state = self.wait_for(lambda state: all(map(_is_looked_at, state.repositories)), seconds)
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
