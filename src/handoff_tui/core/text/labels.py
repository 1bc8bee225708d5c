"""Every word and glyph that both front ends show for a state. Meaning is never by colour alone: glyph and word."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.models.check_result import Outcome
from handoff_tui.models.claim import VerdictState
from handoff_tui.models.gate_state import GateName, Mover


class Label(NamedTuple):
    """A glyph, a word, and the theme role that colours them."""

    glyph: str
    word: str
    role: str

    def __str__(self) -> str:
        return f"{self.glyph} {self.word}"


_GATES = {
    GateName.PENDING: Label("○", "pending", "warning"),
    GateName.APPROVED: Label("✓", "approved", "pass"),
    GateName.REJECTED: Label("✗", "rejected", "fail"),
    GateName.RETRY: Label("↻", "retry", "warning"),
    GateName.HELD: Label("‖", "held", "warning"),
    GateName.SKIPPED: Label("↷", "skipped", "skipped"),
    GateName.OVERRIDDEN: Label("!", "overridden", "warning"),
    GateName.SUPERSEDED: Label("≠", "superseded", "warning"),
    GateName.EXPIRED: Label("⌛", "expired", "warning"),
    GateName.WITHDRAWN: Label("↶", "withdrawn", "muted"),
    GateName.BLOCKED: Label("■", "blocked", "fail"),
}
_UNKNOWN_GATE = Label("?", "unknown", "unknown")
_BLOCKED = Label("■", "blocked", "fail")
_READY = Label("○", "ready", "accent")

_MOVERS = {
    Mover.AGENT: Label("»", "agent", "agent"),
    Mover.REVIEWER: Label("●", "reviewer", "human"),
    Mover.HUMAN: Label("●", "human", "human"),
    Mover.NOBODY: Label("·", "nobody", "muted"),
}

_VERDICTS = {
    VerdictState.HOLDS: Label("✓", "holds", "holds"),
    VerdictState.CONTRADICTED: Label("✗", "contradicted", "contradicted"),
    VerdictState.UNVERIFIED: Label("?", "unverified", "unverified"),
}

_OUTCOMES = {
    Outcome.PASS: Label("✓", "pass", "pass"),
    Outcome.FAIL: Label("✗", "fail", "fail"),
    Outcome.ERROR: Label("!", "error", "error"),
    Outcome.TIMEOUT: Label("⌛", "timeout", "timeout"),
    Outcome.SKIPPED: Label("↷", "skipped", "skipped"),
    Outcome.NOT_APPLICABLE: Label("·", "not applicable", "not-applicable"),
    Outcome.CANCELLED: Label("⊘", "cancelled", "cancelled"),
    Outcome.UNKNOWN: Label("?", "unknown", "unknown"),
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


def label_gate(state: GateName | None) -> Label:
    return _UNKNOWN_GATE if state is None else _GATES[state]


def label_readiness(*, blocked: bool) -> Label:
    """For a pending gate: is there something in the way, or is it ready to be decided?"""
    return _BLOCKED if blocked else _READY


def label_mover(mover: Mover) -> Label:
    return _MOVERS[mover]


def label_verdict(state: VerdictState) -> Label:
    return _VERDICTS[state]


def label_outcome(outcome: Outcome) -> Label:
    return _OUTCOMES[outcome]


def label_difference(change: str) -> Label:
    """For what became of one thing between two snapshots."""
    return _DIFFERENCES[change]


def label_check_verdict(*, blocked: bool) -> Label:
    """For a whole run of checks."""
    return _BLOCKED if blocked else _PASSED


def plural(number: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
