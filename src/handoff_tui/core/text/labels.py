"""Every word and glyph that both front ends show for a state. Colour alone never carries meaning."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from handoff_tui.core.classes import NamedTuple

_STEPS = ((60, "s", "s"), (60, "m", "min"), (24, "h", "h"), (7, "d", "d"), (52, "w", "weeks"))
_RECENT = 10


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


_OF_SEVERAL = {"holds": "hold", "was true": "were true"}


def label_gate(state: str | None) -> Label:
    return _UNKNOWN_GATE if state is None else _GATES[state]


def label_mover(mover: str) -> Label:
    return _MOVERS[mover]


def label_verdict(state: str) -> Label:
    return _VERDICTS[state]


def describe_verdict_count(number: int, state: str) -> str:
    """`1 holds`, `16 hold`, `2 were true`."""
    word = label_verdict(state).word
    return f"{number:,} {word if number == 1 else _OF_SEVERAL.get(word, word)}"


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


def describe_span(since: datetime | None, now: datetime | None) -> str:
    """Returns `20s`, `12m`, `2h`, `3d`, `5w`, `2y`; empty if unknown. A time in the future is `0s` old."""
    number, short, _ = _measure(since, now)
    return "" if number is None else f"{number}{short}"


def describe_ago(since: datetime | None, now: datetime | None) -> str:
    """Returns `just now`, `3 min ago`; empty if unknown."""
    number, _, word = _measure(since, now)
    if number is None:
        return ""
    return "just now" if word == "s" and number < _RECENT else f"{number} {word} ago"


def _measure(since: datetime | None, now: datetime | None) -> tuple[int | None, str, str]:
    if since is None or now is None:
        return None, "", ""
    number = max(0, int((now - since).total_seconds()))
    for limit, short, word in _STEPS:
        if number < limit:
            return number, short, word
        number //= limit
    return number, "y", "years"
