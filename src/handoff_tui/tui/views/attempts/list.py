"""The attempts of a handoff as one list for the app: newest first, under its phases where it has several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from handoff_tui.core.text.columns import Row
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.attempts.report import AttemptHistory, AttemptRecord
from handoff_tui.history.attempts.words import describe_who, label_attempt
from handoff_tui.tui.views.attempts.rows import AttemptRows

_MARK = 2
"""Columns of the mark on an attempt that another one is to be compared with."""


class _Place(NamedTuple):
    """A row: an attempt, or the heading of its phase."""

    rows: AttemptRows
    number: int | None
    heading: str = ""


class AttemptList:
    """Rows of one or several phases; a key is the attempt's name."""

    def __init__(self, histories: Sequence[AttemptHistory], *, marked: str = "", text: str = "") -> None:
        self._marked = marked
        wanted = text.casefold().split()
        self._places: list[_Place] = []
        self._heading = AttemptRows(histories[0]) if histories else None
        for history in histories:
            rows = AttemptRows(history)
            fitting = [index for index, record in enumerate(rows.records) if _fits(history, record, wanted)]
            if fitting and len(histories) > 1:
                title = f"{render_safe(history.phase)}  {plural(len(fitting), 'attempt')}"
                self._places.append(_Place(rows, None, title))
            self._places += [_Place(rows, index) for index in reversed(fitting)]
        self._keys = tuple("" if one.number is None else one.rows.keys[one.number] for one in self._places)

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    def find(self, key: str) -> AttemptRecord | None:
        """The attempt of a row."""
        place = self._find_place(key)
        return None if place is None or place.number is None else place.rows.records[place.number]

    def find_earlier(self, key: str) -> AttemptRecord | None:
        """The attempt before it at the same phase."""
        place = self._find_place(key)
        return place.rows.records[place.number - 1] if place is not None and place.number else None

    def build_heading(self, width: int) -> Row:
        heading = () if self._heading is None else self._heading.build_heading(max(1, width - _MARK))
        return (Cell(" " * _MARK), *heading)

    def build_row(self, index: int, width: int) -> Row:
        place = self._places[index]
        if place.number is None:
            return (Cell(place.heading, "heading"),)
        mark = Cell("◆ ", "waiting") if place.rows.keys[place.number] == self._marked else Cell("  ")
        return (mark, *place.rows.build_row(place.number, max(1, width - _MARK)))

    def _find_place(self, key: str) -> _Place | None:
        return self._places[self._keys.index(key)] if key and key in self._keys else None


def _fits(history: AttemptHistory, record: AttemptRecord, wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    reasons = " ".join(decision.reason for decision in record.decisions)
    told = f"{record.name} {history.phase} {label_attempt(record.outcome).word} {describe_who(record)} {reasons}"
    search = f"{told} {' '.join(record.failing or ())}".casefold()
    return all(word in search for word in wanted)
