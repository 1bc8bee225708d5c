"""Which entry follows which, drawn beside the list: a column for each line of the history."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.log.show.view import LogRow

MOST_LANES = 8
"""Further lines of a history that forks more often are not drawn."""
_NODE = "●"
_BETWEEN = {"╮": "┬", "╯": "┴", "├": "┼", "┤": "┼", "│": "┼", " ": "─"}
"""What a line across makes of another."""


def build_graph(rows: Sequence[LogRow]) -> list[str]:
    """For each row (newest first) its part of the graph: `●`, `│ ●`, `●─╯` where lines meet, `●─╮` where they part."""
    known = {row.id for row in rows}
    lanes: list[str | None] = []
    """What each column waits for; nothing where it is free."""
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
    """Gives every parent a column; the columns that this entry reaches beside its own."""
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
    """One row: straight lines, the entry, and the bends at its sides."""
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
