"""Somebody at a desk of one handoff who decides: the real board, lane and steps, without a screen and a watcher."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from handoff_tui.decisions.values.drafts import StoredDrafts
from handoff_tui.live.acting.deciding import Deciding
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.desk import DecisionPart, DecisionStage, DeskState
from handoff_tui.live.state_store import Board
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.gates import HANDOFF, GateDesk

_LONGEST_SECONDS = 30.0


class Seat:
    """The decision as the app would see it."""

    def __init__(self, desk: GateDesk) -> None:
        self.desk = desk
        self.told: list[DeskState] = []
        self.bugs: list[BaseException] = []
        self.stored: list[tuple[str, tuple[Comment, ...]]] = []
        self._news = threading.Condition()
        self.board = Board(self._tell)
        self.lane = Lane("decisions", self.bugs.append)
        self.scene: object = object()
        self.drafts = StoredDrafts()
        self.deciding = Deciding(
            self.board,
            self.lane,
            lambda _: self.scene,  # type: ignore[arg-type, return-value]  # only its identity counts
            lambda _: self.drafts,
            lambda verb, comments: self.stored.append((verb, comments)),
        )
        key = HandoffKey(str(desk.root), HANDOFF)
        self.board.change(lambda state: replace(state, chosen=key))

    def _tell(self, state: DeskState) -> None:
        with self._news:
            self.told.append(state)
            self._news.notify_all()

    def write_comment(self, comment: Comment) -> None:
        self.drafts = self.drafts.add_comment(HANDOFF, comment)

    def notice(self) -> None:
        """As if the watcher had told of something."""
        self.scene = object()
        self.deciding.note_scene()

    def wait_for(self, holds: Callable[[DecisionPart], bool]) -> DecisionPart:
        """The decision, as soon as something holds of it."""
        deadline = time.monotonic() + _LONGEST_SECONDS
        with self._news:
            while (part := self.board.state.decision) is None or not holds(part):
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
        while not self.lane.is_idle():
            assert time.monotonic() < deadline
            time.sleep(0.01)


@contextmanager
def take_seat(desk: GateDesk) -> Iterator[Seat]:
    """A desk whose threads end with the test; a bug on one of them fails it."""
    seat = Seat(desk)
    seat.lane.start()
    try:
        yield seat
    finally:
        seat.lane.stop()
        seat.lane.join()
    assert seat.bugs == []
