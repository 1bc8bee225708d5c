"""The gate: whether work may pass, what blocks it, and who owes the next move."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.models.base import Model


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
