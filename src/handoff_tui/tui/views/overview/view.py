"""The overview of one handoff: what was asked and delivered, the problems as root causes, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.status.inbox_item import HandoffKey, ReviewProblem, Unmeasured
from handoff_tui.tui.messages import (
    ActionWanted,
    BisectProposed,
    CommentWanted,
    CopyWanted,
    DescriptionChanged,
    EditorWanted,
    PlaceWanted,
    ViewWanted,
)
from handoff_tui.tui.views.overview.cards import Card, build_cards, find_problems, list_card_parts
from handoff_tui.tui.views.view import Act, View, read_now
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_SHOWN = ("problems", "shown", "pipeline", "inbox", "chosen", "travel", "checks", "attempts")
_MARK = 2


class CardRows:
    """Cards one below the other, wrapped to a width; the first row of a card carries its key."""

    def __init__(self, cards: Sequence[Card], width: int) -> None:
        self._rows: list[tuple[str, tuple[Cell, ...]]] = []
        for card in cards:
            for number, row in enumerate(lay_out(card.page, width)):
                self._rows.append(("" if number else card.key, row))
        self.keys = tuple(key for key, _ in self._rows)

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - laid out for it already
        return self._rows[index][1]

    def find(self, text: str, start: int, *, backwards: bool) -> int | None:
        """Returns the next row with a text, from a row on."""
        count = len(self._rows)
        step = -1 if backwards else 1
        order = ((start + step * number) % count for number in range(count)) if count else ()
        return next((n for n in order if text in "".join(cell.text for cell in self._rows[n][1]).casefold()), None)


class OverviewView(View):
    """Facts, problems as cards, the pipeline; enter opens the place of a problem."""

    DEFAULT_CSS = """
    OverviewView RowList { height: 1fr; }
    """
    hints: ClassVar[tuple[str, ...]] = (
        *("review.next", "app.open", "review.bisect", "review.comment", "decide.approve", "decide.reject"),
        *("nav.next-handoff", "decide.choose", "review.run", "agent.start"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._rows: CardRows | None = None
        self._expected = ""

    def compose(self) -> ComposeResult:
        yield RowList(id="cards")

    @property
    def rows(self) -> RowList:
        return self.query_one(RowList)

    def list_parts(self) -> frozenset[Part]:
        return list_card_parts(self._state) | {Part.CHECKS}

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if any(getattr(state, name) is not getattr(before, name) for name in _SHOWN):
            self._redraw()
            if state.chosen != before.chosen:
                self.rows.scroll_to(y=0, animate=False, force=True)
            self.post_message(DescriptionChanged())

    def _redraw(self) -> None:
        item = self._state.item
        width = max(20, self.rows.room - _MARK)
        if item is None:
            self._rows = None
            self.rows.show(EmptyRows(Cell("No handoff selected. esc shows the queue.", "muted")))
            return
        self._rows = CardRows(build_cards(self._state, item, read_now()), width)
        self.rows.show(self._rows)
        if self.rows.key == next(filter(None, self._rows.keys), ""):  # on the first card: the facts stay in view
            self.rows.scroll_to(y=0, animate=False, force=True)
        if self._expected and self._expected in self._rows.keys:
            self.rows.choose(self._expected)
            self._expected = ""

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw)

    def on_row_list_room_changed(self, event: RowList.RoomChanged) -> None:
        event.stop()
        self.call_after_refresh(self._redraw)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(DescriptionChanged())

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self._open()

    def choose(self, name: str) -> None:
        """Selects a problem by its key, now or once it is known."""
        self._expected = name
        self._redraw()

    @property
    def handoff(self) -> HandoffKey | None:
        return self._state.chosen

    @property
    def problem(self) -> ReviewProblem | None:
        """The selected problem."""
        item = self._state.item
        problems = find_problems(self._state, item) if item is not None else None
        return next((one for one in problems or () if one.key == self.rows.key), None)

    def get_stop(self) -> str:
        return self.problem.key if self.problem is not None else ""

    def refuse(self, action: str) -> str:
        if action in {"review.bisect", "app.edit", "app.copy", "app.copy-all"} and self.problem is None:
            return "no problem selected"
        return refuse_problem(action, self.problem)

    def list_acts(self) -> Mapping[str, Act]:
        problem = self.problem
        acts: dict[str, Act] = {"app.open": self._open}
        return acts if problem is None else acts | list_problem_acts(problem, self._state)

    def _open(self) -> None:
        problem = self.problem
        if problem is None:
            self.post_message(ViewWanted("changes"))
        elif problem.unmeasured in MEASURING:
            self.post_message(ActionWanted(MEASURING[problem.unmeasured]))
        elif problem.place is not None:
            self.post_message(PlaceWanted(problem.place.path, problem.place.line))
        else:
            self.post_message(ViewWanted("evidence"))

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        if not text or self._rows is None:
            return ""
        start = self.rows.scroll_offset.y + (-1 if again and backwards else 1 if again else 0)
        found = self._rows.find(text.casefold(), start, backwards=backwards)
        if found is None:
            return f'No matches for "{render_safe(text)}"'
        self.rows.scroll_to(y=found, animate=False, force=True)
        return ""

    def describe(self) -> tuple[Cell, ...]:
        """Which problem is selected; how the handoff stands is said on the page."""
        item, chosen = self._state.item, self.rows.key
        keys = [one.key for one in (find_problems(self._state, item) if item is not None else None) or ()]
        return (Cell(f" problem {keys.index(chosen) + 1} of {len(keys)}", "muted"),) if chosen in keys else ()


MEASURING: dict[Unmeasured | None, str] = {
    Unmeasured.NOT_RUN: "review.run",
    Unmeasured.NO_CONSENT: "review.consent",
}
"""The action that leads to a measurement."""


def refuse_problem(action: str, problem: ReviewProblem | None) -> str:
    """Says why an action on a problem can't be done; empty if it can."""
    if problem is None:
        return ""
    if action == "review.bisect" and not problem.checks:
        return "no check fails over this one"
    if action == "review.bisect" and problem.unmeasured is not None:
        return "nothing here measured it yet"
    if action in {"app.edit", "app.copy-all"} and (problem.place is None or ":" in problem.place.path):
        return "it names no place in a file"
    return ""


def list_problem_acts(problem: ReviewProblem, state: AppState) -> dict[str, Act]:
    """What can be done about one problem."""
    acts: dict[str, Act] = {"app.copy": CopyWanted(problem.title, "the problem")}
    if problem.checks:
        acts["review.bisect"] = propose_bisect(problem.checks[0], state)
    if problem.place is not None:
        if ":" not in problem.place.path:
            acts["review.comment"] = CommentWanted(problem.place.path, problem.place.line)
        acts["app.edit"] = EditorWanted(problem.place.path, problem.place.line)
        acts["app.copy-all"] = CopyWanted(str(problem.place), "the place")
    return acts


def propose_bisect(check: str, state: AppState) -> BisectProposed:
    """Asks for the commit that broke a check; one that is a command is shown first."""
    rules = state.checks.value.rules if state.checks.value is not None else ()
    info = next((rule for rule in rules if rule.id == check and rule.system == "command"), None)
    return BisectProposed(check, info.holds if info is not None else "")
