"""The coverage of a repository as one bar: how many changed files are approved, waiting, and so on. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell

_LABELS = {
    "approved": Label("✓", "approved", "pass"),
    "overridden": Label("!", "overridden", "warning"),
    "waiting": Label("○", "waiting", "accent"),
    "rejected": Label("✗", "rejected", "fail"),
    "unclaimed": Label("?", "unclaimed", "unknown"),
}
_BLOCKS = {"approved": "█", "overridden": "▓", "waiting": "▒", "rejected": "×", "unclaimed": "░"}
_COVERED = ("approved", "overridden")
_WIDTH = 30
_SHORT_WIDTH = 10


def label_coverage(state: str) -> Label:
    return _LABELS[state]


def build_bar(counts: Mapping[str, int], width: int = _WIDTH) -> list[Cell]:
    """A piece for each state that there is, the covered ones first; then what the pieces mean. Empty without files."""
    present = {state: counts[state] for state in _LABELS if counts.get(state)}
    if not present:
        return []
    pieces = {state: max(1, number * width // sum(present.values())) for state, number in present.items()}
    largest = max(pieces, key=lambda state: pieces[state])
    pieces[largest] += width - sum(pieces.values())
    cells = [Cell(_BLOCKS[state] * length, _LABELS[state].role) for state, length in pieces.items()]
    for number, (state, count) in enumerate(present.items()):
        label = _LABELS[state]
        cells.append(Cell(f"{' · ' if number else '  '}{_BLOCKS[state]} {count:,} {label.word}", label.role))
    return cells


def list_counts(counts: Mapping[str, int]) -> list[Cell]:
    """`9 approved · 60 waiting`: the states that there are, without a bar."""
    return [
        Cell(f"{' · ' if number else ''}{counts[state]:,} {_LABELS[state].word}", _LABELS[state].role)
        for number, state in enumerate(state for state in _LABELS if counts.get(state))
    ]


def build_short_bar(counts: Mapping[str, int], since: str, room: int) -> list[Cell]:
    """`approved 71 % since v0.4 ███████░░░ 2 unclaimed`, or as much of it as fits; empty without changed files."""
    total = sum(counts.values())
    if not total:
        return []
    covered = sum(counts.get(state, 0) for state in _COVERED)
    words = f"approved {100 * covered // total} %"  # rounded down: 100 % means everything
    filled = _SHORT_WIDTH * covered // total
    bar = [
        Cell(" " + "█" * filled, "pass"),
        Cell("░" * (_SHORT_WIDTH - filled), "muted"),
    ]
    head = Cell(words, "pass" if covered == total else "muted")
    start = [Cell(f" since {since}", "muted")] if since else []
    loose = [Cell(f" {counts['unclaimed']:,} unclaimed", "unknown")] if counts.get("unclaimed") else []
    forms = ([head, *start, *bar, *loose], [head, *bar, *loose], [head, *loose], [head])
    return next((form for form in forms if sum(compute_width(cell.text) for cell in form) <= room), [])


def describe_counts(counts: Mapping[str, int]) -> str:
    """`10 of 12 changed files approved`."""
    total = sum(counts.values())
    if not total:
        return "No changed files"
    word = "approved or overridden" if counts.get("overridden") else "approved"
    return f"{sum(counts.get(state, 0) for state in _COVERED):,} of {plural(total, 'changed file')} {word}"
