"""The log as rows: state, act, person, work; filtered by words and by fields."""

from __future__ import annotations

from typing import Any

import pytest

from handoff_tui.log.show.view import EntryState, LogRow, LogView
from handoff_tui.tui.views.log.rows import LogRows, filter_log, shorten_time


def build_row(name: str, **changes: Any) -> LogRow:  # noqa: ANN401 - any field
    fields: dict[str, Any] = {
        "id": f"sha256:{name * 64}"[:71],
        "state": EntryState.VALID,
        "kind": "decision",
        "what": "approve",
        "time": "2026-01-02T03:04:05Z",
        "actor": "ada@example.org",
        "roles": ("reviewer",),
        "handoff": "H-1",
        "phase": "build",
        "attempt": 2,
    }
    return LogRow(**{**fields, **changes})


ROWS = (
    build_row("c", head=True, parents=("sha256:" + "b" * 64,)),
    build_row("b", what="submit", kind="submission", actor="claude", roles=("agent",), parents=("sha256:" + "a" * 64,)),
    build_row("a", what="policy 1", kind="policy", handoff=None, phase=None, attempt=None, state=EntryState.VOID),
    LogRow(id="sha256:" + "d" * 64, state=EntryState.REFUSED, code="bad-envelope", why="cut off\x1b[2K"),
)


def build_view(rows: tuple[LogRow, ...] = ROWS) -> LogView:
    return LogView(fatal=False, log=None, policy=None, heads=(), total=len(rows), rows=rows, problems=())


def read_rows(rows: LogRows, width: int) -> list[str]:
    return ["".join(cell.text for cell in rows.build_row(n, width)).rstrip() for n in range(len(rows.keys))]


def test_rows_tell_state_act_person_and_work() -> None:
    """Where there is room, when and in what role; what could not be read says why, and cannot repaint anything."""
    assert [" ".join(row.split()) for row in read_rows(LogRows(build_view()), 78)] == [
        "● ✓ valid approve ada@example.org H-1 build",
        "● ✓ valid submit claude H-1 build",
        "● ⊘ void policy 1 ada@example.org",
        "● ✗ refused cut off␛[2K",
    ]
    wide = LogRows(build_view())
    assert "2026-01-02 03:04" in read_rows(wide, 140)[0]
    assert "reviewer" in read_rows(wide, 140)[0]
    assert "STATE" in "".join(cell.text for cell in wide.build_heading(78))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "cbad"),
        ("who:ada", "ca"),
        ("who:claude verb:submit", "b"),
        ("handoff:h-1", "cb"),
        ("verb:policy", "a"),
        ("phase:build state:valid", "cb"),
        ("role:agent", "b"),
        ("kind:decision", "c"),
        ("id:ddd", "d"),
        ("cut", "d"),
        ("CLAUDE build", "b"),
        ("odd:thing", ""),
    ],
)
def test_filter_takes_words_and_fields(text: str, found: str) -> None:
    """Every word must fit; a field asks for one thing only."""
    assert "".join(row.id[7] for row in filter_log(ROWS, text)) == found


def test_filtered_rows_have_no_graph() -> None:
    """Lines between entries that are not there would lie."""
    rows = LogRows(build_view(), "who:ada")
    assert [row[0] for row in read_rows(rows, 78)] == ["●", "●"]
    assert rows.find(ROWS[0].id) is ROWS[0]
    assert rows.find("") is None


def test_time_is_short() -> None:
    """To the minute; a dash where there is none."""
    assert (shorten_time("2026-01-02T03:04:05Z"), shorten_time(None)) == ("2026-01-02 03:04", "–")
