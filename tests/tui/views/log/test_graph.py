"""The graph beside the log: lines part and meet where entries do."""

from __future__ import annotations

import pytest

from handoff_tui.log.show.view import EntryState, LogRow
from handoff_tui.tui.views.log.rows import MOST_LANES, build_graph


def build_rows(text: str) -> list[LogRow]:
    """`c:b b:a a`: entries newest first, each with its parents after the colon."""
    pairs = (word.partition(":") for word in text.split())
    return [
        LogRow(id=name, state=EntryState.VALID, parents=tuple(parents.split(",")) if parents else ())
        for name, _, parents in pairs
    ]


@pytest.mark.parametrize(
    ("entries", "graph"),
    [
        ("", []),
        ("c:b b:a a", ["●", "●", "●"]),
        ("d:c,b c:a b:a a", ["●─╮", "● │", "├─●", "●"]),
        ("one:a two:a a", ["●", "├─●", "●"]),
        ("m:x,y,z x:a y:a z:a a", ["●─┬─╮", "● │ │", "├─● │", "├───●", "●"]),
        ("p:q lost q:gone r", ["●", "│ ●", "●", "●"]),
        ("a:b b:a", ["●", "●"]),
    ],
)
def test_graph_shows_what_follows_what(entries: str, graph: list[str]) -> None:
    """Straight, forked, merged, without a parent, and in a circle that no log can have."""
    assert build_graph(build_rows(entries)) == graph


def test_graph_stays_narrow() -> None:
    """A log with fifty heads is drawn in as many columns as there is room for."""
    graph = build_graph(build_rows(" ".join([*(f"h{n}:a{n}" for n in range(50)), *(f"a{n}" for n in range(50))])))
    assert len(graph) == 100
    assert max(map(len, graph)) <= 2 * MOST_LANES
