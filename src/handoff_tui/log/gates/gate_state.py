"""The gate: whether work may pass, what blocks it, and who owes the next move."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model


class GateName(StrEnum):
    """The states a gate can be in (log-format: «Gate»)."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETRY = "retry"
    HELD = "held"
    SKIPPED = "skipped"
    OVERRIDDEN = "overridden"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    BLOCKED = "blocked"


class Mover(StrEnum):
    """Who owes the next move."""

    AGENT = "agent"
    REVIEWER = "reviewer"
    HUMAN = "human"
    NOBODY = "nobody"


class NextMove(Model):
    """Who owes the next move, and what it is."""

    who: Mover
    name: str | None = None
    what: str


class GateState(Model):
    """`state` is nothing when it could not be determined; it is never guessed."""

    state: GateName | None
    blocking: tuple[str, ...] = ()
    next_move: NextMove
    why: tuple[str, ...] = ()
    """Where it may pass: who let it, then what they passed over. Nothing of that is in the way."""


class Approval(Model):
    """A decision that is counted at a gate, or is not, and why."""

    entry: str
    principal: str
    verb: str
    time: str
    counted: bool
    why: str = ""
    """Why it is not counted, or is no longer current: what has changed since."""


class GateReport(Model):
    """A gate judged by the signed log: the state, why, and every decision that was looked at."""

    handoff: str
    phase: str
    attempt: int
    state: GateName
    why: tuple[str, ...] = ()
    threshold: int = 1
    requirement: str | None = None
    approvals: tuple[Approval, ...] = ()
    debts: tuple[str, ...] = ()
    """Ids of overrides that nobody has settled yet."""
    policy: str | None = None
