"""A list to choose from over the app: every command, or the answers to one question."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.tui.dialogs.box import Box, keep_key
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_MOVES = {"down": 1, "up": -1, "pagedown": 8, "pageup": -8}
_FRAME = 6
"""The lines around the rows: border, title, field, a blank one, note."""
_FEWEST, _MOST = 6, 24
"""How many rows a box has room for: as many as there are to begin with, within these."""


class Offer(NamedTuple):
    """A choice: its id, its words, a key or note on the right, and why it can't be chosen now."""

    id: str
    words: str
    note: str = ""
    refusal: str = ""
    asks: Message | None = None
    """What choosing it asks for; None if the opener of the list handles the id."""


Answer = str | Message
_LEAST_WHY = 16
"""Less of a reason says nothing; Enter says all of it."""


class OfferRows:
    """One row per offer."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._offers = offers
        self.keys = tuple(offer.id for offer in offers)

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:
        offer = self._offers[index]
        words = render_safe(offer.words)
        note = render_safe(offer.note, max(8, width // 2))
        room = max(2, width - compute_width(words) - compute_width(note) - 1)
        why = f"  {render_safe(offer.refusal, room - 4)}  " if offer.refusal and room > _LEAST_WHY else ""
        gap = Cell(" " * (room - compute_width(why)))
        roles = ("muted", "muted") if offer.refusal else ("text", "key")
        return (Cell(words, roles[0]), gap, Cell(why, "warning"), Cell(note, roles[1]))


class PaletteScreen(Box[Answer | None]):
    """Every typed letter filters; Enter takes the selected row. Never used to confirm a decision."""

    CSS_PATH = "palette.tcss"

    def __init__(self, title: str, offers: Sequence[Offer], note: str = "", nothing: str = "") -> None:
        """`nothing` is said of an empty list."""
        super().__init__()
        self._nothing = nothing
        self._title = title
        self._offers = tuple(offers)
        self._note = note
        self._typed = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="palette"):
            yield Divider(id="palette-title")
            yield Input(compact=True, id="palette-field", placeholder="type to search")
            yield RowList(id="palette-rows")
            yield Bar(id="palette-note")

    def on_mount(self) -> None:
        self.call_after_refresh(lambda: self.query_one(Divider).show_title(Cell(self._title, "heading")))
        self.query_one("#palette-field", Input).focus()
        self._fit()
        self._filter("")

    @on(Input.Changed)
    def filter_by_text(self, event: Input.Changed) -> None:
        self._filter(event.value)

    def offer(self, offers: Sequence[Offer]) -> None:
        """Offers something else, and filters it by what was typed."""
        if tuple(offers) != self._offers:
            self._offers = tuple(offers)
            if self.is_mounted:
                self._fit()
                self._filter(self.query_one("#palette-field", Input).value)

    def _fit(self) -> None:
        """Makes the box as high as what it offers; typing doesn't change it."""
        self.query_one("#palette").styles.max_height = min(max(len(self._offers), _FEWEST), _MOST) + _FRAME

    def _filter(self, text: str) -> None:
        found = sorted((offer for offer in self._offers if fits(offer, text)), key=lambda offer: rank(offer, text))
        words = f'No matches for "{render_safe(text, 40)}"' if text or not self._nothing else self._nothing
        nothing = EmptyRows(Cell(words, "muted"))
        rows = self.query_one(RowList)
        rows.show(OfferRows(found) if found else nothing)
        if found and text != self._typed:  # the best match is the one that is taken
            rows.choose(found[0].id)
        self._typed = text
        hint = self._note or "↑↓ choose  ↵ run  esc close"
        self.query_one("#palette-note", Bar).show(Cell(f" {len(found)} of {len(self._offers)} · {hint}", "muted"))

    @on(Input.Submitted)
    def take_current(self) -> None:
        self._take(self.query_one(RowList).key)

    @on(RowList.Opened)
    def take_clicked(self, event: RowList.Opened) -> None:
        self._take(event.key)

    def _take(self, key: str) -> None:
        offer = next((one for one in self._offers if one.id == key), None)
        if offer is None:
            return
        if offer.refusal:
            self.query_one("#palette-note", Bar).show(Cell(f" {render_safe(offer.refusal)}", "warning"))
            return
        self.dismiss(offer.asks or key)

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.dismiss(None)
        elif event.key in _MOVES:
            keep_key(event)
            self.query_one(RowList).move(_MOVES[event.key])


def rank(offer: Offer, text: str) -> int:
    """Sorts what matches: names and ids that begin with the text, then notes, then the others.

    A path begins again with its last part; without a text the order stays.
    """
    typed, note, words = text.casefold().strip(), offer.note.casefold(), offer.words.casefold()
    names = (words, words.partition(" ")[2], note if note in offer.id.casefold() else "")
    if any(name.startswith(typed) or name.rpartition("/")[2].startswith(typed) for name in names):
        return 0
    return 1 if note.startswith(typed) else 2


def fits(offer: Offer, text: str) -> bool:
    """Tells whether the offer contains every word of the text, in any order."""
    words = f"{offer.words} {offer.id} {offer.note}".casefold()
    return all(word in words for word in text.casefold().split())
