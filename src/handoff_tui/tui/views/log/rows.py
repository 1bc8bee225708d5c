"""The signed log as rows: newest first, beside the graph of what follows what, each with what verification says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.columns import Field, Row, build_cells, build_headings, fit
from handoff_tui.core.text.labels import Label
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.show.view import EntryState, LogRow, LogView
from handoff_tui.tui.views.log.graph import MOST_LANES, build_graph

ENTRY_STATES: Final = {
    EntryState.VALID: Label("✓", "valid", "pass"),
    EntryState.VOID: Label("⊘", "void", "warning"),
    EntryState.REFUSED: Label("✗", "refused", "fail"),
}
_GRAPH: Final = Field("graph", "", 1)
_FIELDS: Final = (
    Field("state", "STATE", 9),
    Field("what", "WHAT", 9),
    Field("who", "WHO", 14, grows=16),
    Field("handoff", "HANDOFF", 12, grows=12),
    Field("phase", "PHASE", 9, rank=6, grows=5),
    Field("time", "TIME (UTC)", 16, rank=5),
    Field("attempt", "TRY", 3, rank=2, right=True),
    Field("role", "ROLE", 9, rank=3, grows=8),
    Field("id", "ENTRY", SHORT_DIGEST, rank=1),
    Field("why", "", 12, rank=4, grows=80),
)
_ASKED: Final = frozenset({"who", "handoff", "verb", "phase", "state", "role", "id", "kind"})


def filter_log(rows: Sequence[LogRow], text: str) -> tuple[LogRow, ...]:
    """Those that have every word; `who:`, `handoff:`, `verb:`, `phase:`, `state:` … ask for one thing only."""
    words = [word.partition(":") for word in text.casefold().split()]
    return tuple(row for row in rows if all(_has(row, *word) for word in words))


class LogRows:
    """The rows of a log. The graph is left out where a filter has taken entries away."""

    def __init__(self, view: LogView, text: str = "") -> None:
        self.rows = filter_log(view.rows, text) if text.strip() else view.rows
        whole = len(self.rows) == len(view.rows)
        self._graph = build_graph(self.rows) if whole else ["●"] * len(self.rows)
        width = min(2 * MOST_LANES, max(map(len, self._graph), default=1))
        self._fields = (_GRAPH._replace(width=width), *_FIELDS)
        self.keys: Sequence[str] = tuple(row.id for row in self.rows)

    def find(self, key: str) -> LogRow | None:
        return next((row for row in self.rows if row.id == key), None)

    def build_heading(self, width: int) -> Row:
        return build_headings(self._fields, width)

    def build_row(self, index: int, width: int) -> Row:
        row = self.rows[index]
        label = ENTRY_STATES[row.state]
        if row.kind is None:  # its bytes are not those of an entry: there is nothing else to say
            lead = fit((Cell(self._graph[index], "border"),), self._fields[0].width)
            return (*lead, Cell(f"  {label}  ", label.role), Cell(render_safe(row.why, 300), label.role))
        is_agent = "agent" in row.roles or "agents" in row.roles
        values: dict[str, Row] = {
            "graph": (Cell(self._graph[index], "accent" if row.head else "border"),),
            "state": (Cell(str(label), label.role),),
            "what": (Cell(render_safe(row.what or "–")),),
            "who": (Cell(render_safe(row.actor or "–"), "agent" if is_agent else "human"),),
            "role": (Cell(render_safe(", ".join(row.roles)), "muted"),),
            "handoff": (Cell(render_safe(row.handoff or "")),),
            "phase": (Cell(render_safe(row.phase or "")),),
            "attempt": (Cell("" if row.attempt is None else str(row.attempt), "muted"),),
            "time": (Cell(shorten_time(row.time), "muted"),),
            "id": (Cell(row.id.removeprefix("sha256:")[:SHORT_DIGEST], "key"),),
            "why": (Cell(render_safe(row.why, 200), label.role),),
        }
        return build_cells(self._fields, values, width)


def shorten_time(time: str | None) -> str:
    """`2026-01-01T00:01:00Z` without what a list has no room for."""
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
