"""The signed log as rows: newest first, beside a graph of what follows what, with the result of verification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.columns import Field, Row, fit
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.show.view import ENTRY_STATES, LogRow, ShownLog
from handoff_tui.tui.chrome import shorten_id
from handoff_tui.tui.widgets.row_list import TableRows

MOST_LANES = 8
"""The most columns that are drawn for a history that forks."""
_NODE = "●"
_KEY = compile_later(r"SHA256:[A-Za-z0-9+/]{16,}=*")
_SHORT_KEY = 15
_BETWEEN = {"╮": "┬", "╯": "┴", "├": "┼", "┤": "┼", "│": "┼", " ": "─"}
"""What a horizontal line turns another character into."""


def build_graph(rows: Sequence[LogRow]) -> list[str]:
    """Returns the graph for each row (newest first): `●`, `│ ●`, `●─╯` where lines meet, `●─╮` where they fork."""
    known = {row.id for row in rows}
    lanes: list[str | None] = []
    """The entry each column waits for; None if the column is free."""
    drawn: list[str] = []
    for row in rows:
        waiting = [place for place, awaited in enumerate(lanes) if awaited == row.id]
        here = waiting[0] if waiting else _find_free(lanes)
        for place in waiting[1:]:
            lanes[place] = None
        before = list(lanes)
        parents = [parent for parent in row.parents if parent in known]
        lanes[here] = None
        opened = _follow(lanes, here, parents)
        drawn.append(_draw(before, here, ended=waiting[1:], opened=opened))
        while lanes and lanes[-1] is None:
            lanes.pop()
    return drawn


def _follow(lanes: list[str | None], here: int, parents: Sequence[str]) -> list[int]:
    """Gives every parent a column; returns the columns this entry reaches besides its own."""
    reached: list[int] = []
    for parent in parents:
        if parent in lanes:
            reached.append(lanes.index(parent))
        elif lanes[here] is None:
            lanes[here] = parent
        else:
            reached.append(_find_free(lanes))
            lanes[reached[-1]] = parent
    return reached


def _find_free(lanes: list[str | None]) -> int:
    if None in lanes:
        return lanes.index(None)
    lanes.append(None)
    return len(lanes) - 1


def _draw(before: Sequence[str | None], here: int, *, ended: Sequence[int], opened: Sequence[int]) -> str:
    """Draws one row: vertical lines, the entry, and the bends beside it."""
    bends = {**dict.fromkeys(ended, "╯"), **dict.fromkeys(opened, "╮")}
    for place in opened:
        if place < len(before) and before[place] is not None:
            bends[place] = "┤" if place > here else "├"
    width = min(MOST_LANES, max([here, *bends, *_list_used(before)]) + 1)
    left, right = min([here, *bends]), max([here, *bends])
    text = ""
    for place in range(width):
        glyph = _NODE if place == here else bends.get(place, "│" if _is_used(before, place) else " ")
        inside = left <= place < right
        if inside and place != left and glyph in _BETWEEN:
            glyph = _BETWEEN[glyph]
        text += glyph + ("─" if inside else " ")
    return text.rstrip()


def _list_used(lanes: Sequence[str | None]) -> list[int]:
    return [place for place, awaited in enumerate(lanes) if awaited is not None]


def _is_used(lanes: Sequence[str | None], place: int) -> bool:
    return place < len(lanes) and lanes[place] is not None


_GRAPH: Final = Field("graph", "", 1)
_FIELDS: Final = (
    Field("state", "STATE", 9),
    Field("what", "WHAT", 9),
    Field("who", "WHO", 14, grows=16),
    Field("handoff", "HANDOFF", 12, grows=12),
    Field("phase", "PHASE", 9, rank=5, grows=5),
    Field("time", "TIME (UTC)", 16, rank=6),
    Field("attempt", "ATTEMPT", 7, rank=2, right=True),
    Field("role", "ROLE", 9, rank=3, grows=8),
    Field("id", "ENTRY", SHORT_DIGEST, rank=1),
    Field("why", "", 12, rank=4, grows=80),
)
_ASKED: Final = frozenset({"who", "handoff", "verb", "phase", "state", "role", "id", "kind"})


def filter_log(rows: Sequence[LogRow], text: str) -> tuple[LogRow, ...]:
    """Filters by words; `who:`, `handoff:`, `verb:`, `phase:`, `state:` … match one field."""
    words = [word.partition(":") for word in text.casefold().split()]
    return tuple(row for row in rows if all(_has(row, *word) for word in words))


class LogRows(TableRows[LogRow]):
    """The rows of a log. A filtered log has no graph."""

    def __init__(self, view: ShownLog, text: str = "") -> None:
        rows = filter_log(view.rows, text) if text.strip() else view.rows
        super().__init__((row.id, row) for row in rows)
        graph = build_graph(rows) if len(rows) == len(view.rows) else ["●"] * len(rows)
        self._graph = dict(zip(self.keys, graph, strict=True))
        width = min(2 * MOST_LANES, max(map(len, graph), default=1))
        self.fields = (_GRAPH._replace(width=width), *_FIELDS)

    def build_row(self, index: int, width: int) -> Row:
        row = self.items[index]
        if row.kind is not None:
            return super().build_row(index, width)
        label = ENTRY_STATES[row.state]  # its bytes aren't a valid entry: there is nothing else to show
        lead = fit((Cell(self._graph[row.id], "border"),), self.fields[0].width)
        return (*lead, Cell(f"  {label}  ", label.role), Cell(render_safe(_shorten_keys(row.why), 300), label.role))

    def describe(self, item: LogRow) -> dict[str, Row]:
        label = ENTRY_STATES[item.state]
        is_agent = "agent" in item.roles or "agents" in item.roles
        return {
            "graph": (Cell(self._graph[item.id], "accent" if item.head else "border"),),
            "state": (Cell(str(label), label.role),),
            "what": (Cell(render_safe(item.what or "–")),),
            "who": (Cell(render_safe(item.actor or "–"), "agent" if is_agent else "human"),),
            "role": (Cell(render_safe(", ".join(item.roles)), "muted"),),
            "handoff": (Cell(render_safe(shorten_id(item.handoff or ""))),),
            "phase": (Cell(render_safe(item.phase or "")),),
            "attempt": (Cell("" if item.attempt is None else str(item.attempt), "muted"),),
            "time": (Cell(shorten_time(item.time), "muted"),),
            "id": (Cell(item.id.removeprefix("sha256:")[:SHORT_DIGEST], "key"),),
            "why": (Cell(render_safe(item.why, 200), label.role),),
        }


def _shorten_keys(text: str) -> str:
    return _KEY.sub(lambda match: f"{match[0][:_SHORT_KEY]}…", text)


def shorten_time(time: str | None) -> str:
    """Shortens `2026-01-01T00:01:00Z` to what fits in a list."""
    return render_safe((time or "–")[:16].replace("T", " "))


def _has(row: LogRow, name: str, colon: str, value: str) -> bool:
    if not colon or name not in _ASKED:
        return f"{name}{colon}{value}" in _spell(row)
    verb = (row.what or "").partition(" ")[0]
    fields = {
        "who": row.actor,
        "handoff": row.handoff,
        "verb": verb,
        "phase": row.phase,
        "state": row.state.value,
        "role": " ".join(row.roles),
        "id": row.id.removeprefix("sha256:"),
        "kind": row.kind,
    }
    return value in (fields[name] or "").casefold()


def _spell(row: LogRow) -> str:
    parts = (row.id, row.state.value, row.what, row.actor, *row.roles, row.handoff, row.phase, row.time, row.why)
    return " ".join(part for part in parts if part).casefold()
