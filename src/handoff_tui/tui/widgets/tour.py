"""The tour of the demo: one line above the keys that says what to do next, and notices when it was done. Pure."""

from __future__ import annotations

from collections.abc import Callable

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.app import AppState
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, QueueGroup

HANDOFF = "H-3"
"""The handoff that the tour is about."""
_ATTEMPT = 2
"""The attempt that the story ends with."""


class Seen(NamedTuple):
    """What the person sees."""

    state: AppState
    view: str

    @property
    def item(self) -> InboxItem | None:
        """The handoff of the tour."""
        return next((item for item in self.state.inbox if item.key.handoff == HANDOFF), None)

    @property
    def is_open(self) -> bool:
        """Whether the handoff of the tour is the one in view."""
        return self.state.chosen is not None and self.state.chosen.handoff == HANDOFF

    @property
    def gate(self) -> GateName | None:
        return self.item.reviewed.gate.state if self.item is not None else None

    @property
    def running(self) -> bool:
        return self.item is not None and bool(self.item.running)

    @property
    def has_come_back(self) -> bool:
        """Whether the agent has made its next attempt, and ended."""
        return self.item is not None and self.item.reviewed.attempt > _ATTEMPT and not self.running


class Step(NamedTuple):
    """One step: what to see and to press, how it is recognised as done, and the actions that Enter performs."""

    words: str
    is_done: Callable[[Seen], bool]
    actions: tuple[str, ...]
    views: frozenset[str] = frozenset({"queue", "overview", "agent"})
    """Where Enter goes on with the tour; anywhere else it opens what it always opens."""


_READING = frozenset({"overview", "changes", "evidence", "documents"})


def _is_sent_back(seen: Seen) -> bool:
    return seen.gate is GateName.REJECTED or seen.running or seen.has_come_back


def _is_ready(seen: Seen) -> bool:
    item = seen.item
    is_shown = seen.view == "queue" or (seen.is_open and not seen.state.moved and seen.view == "overview")
    ready = item is not None and item.group is QueueGroup.READY and seen.has_come_back
    return (ready and is_shown) or seen.gate is GateName.APPROVED


STEPS = (
    Step(
        '"Stations" is red: somebody changed its tests. ↵ shows who',
        lambda seen: (seen.is_open and seen.view in _READING) or _is_sent_back(seen),
        ("view.overview",),
        frozenset({"queue"}),
    ),
    Step(
        "The proof, and the commit that did it. x sends it back",
        _is_sent_back,
        ("decide.reject",),
        frozenset({"overview"}),
    ),
    Step("Say why in a few words, then press ^s twice to sign", _is_sent_back, ()),
    Step(
        "Sent back: its agent starts again by itself. ↵ watches it",
        lambda seen: seen.gate is GateName.APPROVED or (seen.has_come_back and seen.view == "agent"),
        ("view.agent",),
    ),
    Step(
        "It is done, and was checked here: ↵ shows the new work",
        _is_ready,
        ("review.take-in", "view.overview"),
    ),
    Step(
        "Its tests are back: space reads on, then a and ^s approve",
        lambda seen: seen.gate is GateName.APPROVED,
        (),
    ),
    Step(
        "Approved and signed: ↵ shows the entry in the log",
        lambda seen: seen.view == "log",
        ("view.log",),
        frozenset({"queue", "agent", "history", *_READING}),
    ),
    Step("sh ../verify.sh verifies this log without handoff-tui", lambda _: False, ()),
)
_DECIDING = 2
"""The step in the box of the decision."""
_NUMBERED = len(STEPS) - 1
"""The last one asks for nothing."""


class Tour:
    """Where the person is; it goes back only from a decision that was not made."""

    def __init__(self) -> None:
        self.number = 0
        self._begun = False

    @property
    def step(self) -> Step | None:
        """The step to do next; None at the end."""
        return STEPS[self.number] if self.number < len(STEPS) else None

    def follow(self, seen: Seen) -> None:
        """Goes on past every step that was done."""
        while self.step is not None and self.step.is_done(seen):
            self.number += 1

    def begin(self, state: AppState) -> HandoffKey | None:
        """Returns the handoff to begin with when it is there for the first time; None after that."""
        key = self.find_key(state) if self.step is not None and not self._begun else None
        self._begun = self._begun or key is not None
        return key

    def find_key(self, state: AppState) -> HandoffKey | None:
        """The handoff that the tour is about; None if it isn't here."""
        item = Seen(state, "").item
        return item.key if item is not None else None

    def note_decision(self, verb: str, handoff: str) -> None:
        """The box of a decision was opened: what to do in it is the next step."""
        if self.number < _DECIDING and verb == "reject" and handoff == HANDOFF:
            self.number = _DECIDING

    def note_box_left(self) -> None:
        """The box was closed: without a decision, it is to be opened again."""
        if self.number == _DECIDING:
            self.number -= 1

    def list_actions(self, view: str) -> tuple[str, ...]:
        """What Enter does in a tab; none if it does what it always does."""
        return self.step.actions if self.step is not None and view in self.step.views else ()

    def end(self) -> None:
        self.number = len(STEPS)

    def build_line(self, *, can_end: bool = True) -> tuple[Cell, ...]:
        """The line above the keys; empty once the tour is over. Below a box, escape belongs to the box."""
        if self.step is None:
            return ()
        number = f" {self.number + 1} of {_NUMBERED} " if self.number < _NUMBERED else " Done "
        place = (Cell(number, "accent"), Cell(f"{self.step.words}  "))
        return (*place, Cell("esc", "key"), Cell(" ends it", "muted")) if can_end else place
