"""A person's decision, and the signed entry that records it."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.models.base import Model


class DecisionVerb(StrEnum):
    """What a reviewer can decide."""

    APPROVE = "approve"
    REJECT = "reject"
    RETRY = "retry"
    SKIP = "skip"
    OVERRIDE = "override"
    HOLD = "hold"
    WITHDRAW = "withdraw"
    CARRY = "carry"


class Subject(Model):
    """The exact content a decision is bound to."""

    commit: str
    tree: str
    baseline: str
    snapshot: str
    checks: str
    handoff: str


class Decision(Model):
    """A verb on a subject, by a person, for a reason."""

    verb: DecisionVerb
    handoff: str
    phase: str
    attempt: int
    actor: str
    reason: str
    subject: Subject


class Entry(Model):
    """A record of the log: its id is the hash of its bytes."""

    id: str
    kind: str
    seq: int
    parents: tuple[str, ...]
    actor: str
    time: str
    decision: Decision | None = None
