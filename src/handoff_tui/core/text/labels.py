"""Every word and glyph that both front ends show for a state. Meaning is never by colour alone: glyph and word."""

from __future__ import annotations

from typing import NamedTuple


class Label(NamedTuple):
    """A glyph, a word, and the theme role that colours them."""

    glyph: str
    word: str
    role: str

    def __str__(self) -> str:
        return f"{self.glyph} {self.word}"


# by value: the rooms that these words belong to lie above this one
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
_READY = Label("○", "ready", "accent")

_MOVERS = {
    "agent": Label("»", "agent", "agent"),
    "reviewer": Label("●", "reviewer", "human"),
    "human": Label("●", "human", "human"),
    "nobody": Label("·", "nobody", "muted"),
}

_VERDICTS = {
    "holds": Label("✓", "holds", "holds"),
    "contradicted": Label("✗", "contradicted", "contradicted"),
    "unverified": Label("?", "unverified", "unverified"),
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

# by value: the model of differences is not loaded for a status
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


def label_readiness(*, blocked: bool) -> Label:
    """For a pending gate: is there something in the way, or is it ready to be decided?"""
    return _BLOCKED if blocked else _READY


def label_mover(mover: str) -> Label:
    return _MOVERS[mover]


def label_verdict(state: str) -> Label:
    return _VERDICTS[state]


def label_outcome(outcome: str) -> Label:
    return _OUTCOMES[outcome]


def label_difference(change: str) -> Label:
    """For what became of one thing between two snapshots."""
    return _DIFFERENCES[change]


def label_check_verdict(*, blocked: bool) -> Label:
    """The label of a complete run of checks."""
    return _BLOCKED if blocked else _PASSED


def plural(number: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
