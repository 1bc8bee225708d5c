"""Every word and glyph that both front ends show for a state. Colour alone never carries meaning."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.classes import NamedTuple


class Label(NamedTuple):
    """A glyph, a word, and the theme role that colours them."""

    glyph: str
    word: str
    role: str

    def __str__(self) -> str:
        return f"{self.glyph} {self.word}"


# by value: the packages that define these states are above this one
_GATES = {
    "pending": Label("○", "pending", "warning"),
    "approved": Label("✓", "approved", "pass"),
    "rejected": Label("✗", "rejected", "fail"),
    "retry": Label("↻", "retry", "warning"),
    "held": Label("‖", "held", "warning"),
    "skipped": Label("↷", "skipped", "skipped"),
    "overridden": Label("!", "overridden", "warning"),
    "superseded": Label("≠", "superseded", "warning"),
    "expired": Label("⌛", "expired", "warning"),
    "withdrawn": Label("↶", "withdrawn", "muted"),
    "blocked": Label("■", "blocked", "fail"),
}
_UNKNOWN_GATE = Label("?", "unknown", "unknown")
_BLOCKED = Label("■", "blocked", "fail")

_MOVERS = {
    "agent": Label("»", "agent", "agent"),
    "reviewer": Label("●", "reviewer", "human"),
    "human": Label("●", "human", "human"),
    "nobody": Label("·", "nobody", "muted"),
}

_VERDICTS = {
    "holds": Label("✓", "holds", "holds"),
    "contradicted": Label("✗", "false", "contradicted"),
    "unverified": Label("?", "not measured", "unverified"),
    "was-true": Label("~", "was true", "muted"),
}

_OUTCOMES = {
    "pass": Label("✓", "pass", "pass"),
    "fail": Label("✗", "fail", "fail"),
    "error": Label("!", "error", "error"),
    "timeout": Label("⌛", "timeout", "timeout"),
    "skipped": Label("↷", "skipped", "skipped"),
    "not-applicable": Label("·", "not applicable", "not-applicable"),
    "cancelled": Label("⊘", "cancelled", "cancelled"),
    "unknown": Label("?", "unknown", "unknown"),
}
_PASSED = Label("✓", "pass", "pass")

# by value: a status doesn't load the model of differences
_DIFFERENCES = {
    "new": Label("+", "new", "added"),
    "newly-failing": Label("✗", "newly failing", "fail"),
    "fixed": Label("✓", "fixed", "pass"),
    "unchanged": Label("·", "unchanged", "muted"),
    "changed": Label("~", "changed", "changed"),
    "removed": Label("-", "removed", "removed"),
    "vanished": Label("!", "vanished", "removed"),
    "newly-skipped": Label("↷", "newly skipped", "warning"),
    "renamed": Label("→", "renamed", "changed"),
}


def label_gate(state: str | None) -> Label:
    return _UNKNOWN_GATE if state is None else _GATES[state]


def label_mover(mover: str) -> Label:
    return _MOVERS[mover]


def label_verdict(state: str) -> Label:
    return _VERDICTS[state]


def label_outcome(outcome: str) -> Label:
    return _OUTCOMES[outcome]


def label_difference(change: str) -> Label:
    """Labels what happened to one item between two snapshots."""
    return _DIFFERENCES[change]


def label_check_verdict(*, blocked: bool) -> Label:
    """Labels a complete run of checks."""
    return _BLOCKED if blocked else _PASSED


def name_some(names: Sequence[str], most: int) -> str:
    """Returns `a.py, b.py and 3 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def plural(number: int, noun: str) -> str:
    """Returns `1 file`, `3 files`, `2 entries`, `2 processes`."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith(('s', 'sh', 'ch', 'x')) else 's'}"
