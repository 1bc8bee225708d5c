"""Somebody at a desk of one handoff who decides: the real store, worker and steps, without a screen and a watcher."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.live.acting.deciding import Deciding
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import AppState, DecisionPart, DecisionStage, RepositoryPart
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.gates import HANDOFF, GateDesk

_LONGEST_SECONDS = 150.0


class Seat:
    """The decision as the app would see it."""

    def __init__(self, desk: GateDesk) -> None:
        self.desk = desk
        self.told: list[AppState] = []
        self.bugs: list[BaseException] = []
        self.stored: list[tuple[str, tuple[Comment, ...]]] = []
        self.drafts = StoredDrafts()
        self._news = threading.Condition()
        self.store = StateStore(self._tell)
        self.worker = KeyedWorker("decisions", self.bugs.append)
        self.deciding = Deciding(self.store, self.worker, cast("DraftKeeper", self))
        root = str(desk.root)
        key, part = HandoffKey(root, HANDOFF), RepositoryPart(root, desk.root.name)
        self.store.change(lambda state: replace(state, chosen=key, repositories=(part,)))
        self._notice_something()

    def get_stored(self, _: str) -> StoredDrafts:
        """As the keeper of drafts does."""
        return self.drafts

    def forget_signed(self, verb: str, comments: tuple[Comment, ...]) -> None:
        """As the keeper of drafts does."""
        self.stored.append((verb, comments))

    def _notice_something(self) -> None:
        self.store.snapshots[str(self.desk.root)] = cast("RepositorySnapshot", object())  # only its identity counts

    def _tell(self, state: AppState) -> None:
        with self._news:
            self.told.append(state)
            self._news.notify_all()

    def write_comment(self, comment: Comment) -> None:
        self.drafts = self.drafts.add_comment(HANDOFF, comment)

    def notice(self) -> None:
        """As if the watcher had told of something."""
        self._notice_something()
        self.deciding.note_snapshot()

    def wait_for(self, holds: Callable[[DecisionPart], bool]) -> DecisionPart:
        """The decision, as soon as something holds of it."""
        deadline = time.monotonic() + _LONGEST_SECONDS
        with self._news:
            while (part := self.store.state.decision) is None or not holds(part):
                left = deadline - time.monotonic()
                assert left > 0, f"never came; it is {part}, bugs: {self.bugs}"
                self._news.wait(min(left, 0.5))
            return part

    def wait_for_stage(self, *stages: DecisionStage) -> DecisionPart:
        return self.wait_for(lambda part: part.stage in stages)

    def begin(self, verb: str) -> DecisionPart:
        """Chooses a verb and waits until it is prepared, or refused."""
        self.deciding.begin(verb)
        return self.wait_for_stage(DecisionStage.READY, DecisionStage.REFUSED)

    def sign(self, reason: str = "") -> DecisionPart:
        """Confirms, and waits for what comes of it."""
        self.deciding.sign(reason)
        return self.wait_for(lambda part: part.stage is not DecisionStage.SIGNING)

    def wait_until_idle(self) -> None:
        deadline = time.monotonic() + _LONGEST_SECONDS
        while not self.worker.is_idle():
            assert time.monotonic() < deadline
            time.sleep(0.01)


@contextmanager
def take_seat(desk: GateDesk) -> Iterator[Seat]:
    """A desk whose threads end with the test; a bug on one of them fails it."""
    seat = Seat(desk)
    seat.worker.start()
    try:
        yield seat
    finally:
        seat.worker.stop()
        seat.worker.join()
    assert seat.bugs == []
