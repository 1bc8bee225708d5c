"""Begins a handoff: its format, then its id and title."""

from __future__ import annotations

from textual.widgets import Input

from handoff_tui.core.text.page import Cell
from handoff_tui.handoffs.begin.begin import SYSTEMS
from handoff_tui.live.state.app import AppState
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen
from handoff_tui.tui.messages import NewHandoffWanted
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_WORDS = {
    "notes": "a note in docs/handoffs: the simplest",
    "builder": "a specification and a prompt for a builder",
    "tdd": "a cycle of test, code and clean-up, with notes on commits",
    "mosaic": "state files of one task",
    "hub": "a task folder with a work cycle",
    "procedure": "a JSON handoff between two roles",
}
_EXAMPLES = {"tdd": "TDD-1 Parse dates", "hub": "T-1 Login"}


def build_system_dialog(state: AppState) -> PaletteScreen:
    """Offers every format, those used here first."""
    used = [item.reviewed.handoff.dialect for item in state.inbox]
    ordered = sorted(_WORDS, key=lambda name: -used.count(name))
    offers = [
        Offer(name, f"{name:<11}{_WORDS[name]}", "used here" if name in used else "")
        for name in ordered
        if name in SYSTEMS
    ]
    return PaletteScreen("New handoff: in which format?", offers, "↵ chooses · esc closes")


class NewHandoffScreen(PaletteScreen):
    """Takes one line: the id, then the title. Enter writes the first documents; nothing is overwritten."""

    CSS_PATH = "../palette.tcss"

    def __init__(self, root: str, system: str) -> None:
        super().__init__(f"New {system} handoff: id and title", ())
        self._root, self._system = root, system

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#palette-field", Input).placeholder = _EXAMPLES.get(self._system, "H-1 Rate limiter")

    def _filter(self, text: str) -> None:
        name, _, title = text.strip().partition(" ")
        rows = EmptyRows(Cell(f"id {name}   title {title or name}", "muted")) if name else EmptyRows()
        self.query_one(RowList).show(rows)
        self.query_one("#palette-note", Bar).show(Cell(" ↵ writes its first documents · esc closes", "muted"))

    def _take(self, key: str) -> None:
        del key
        name, _, title = self.query_one("#palette-field", Input).value.strip().partition(" ")
        if name:
            self.dismiss(NewHandoffWanted(self._root, self._system, name, title.strip()))
