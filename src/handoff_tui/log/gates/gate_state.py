"""The state of a gate: what blocks it, who acts next, and which decisions count."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model


class GateName(StrEnum):
    """The states of a gate, as in docs/log-format.md."""

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


OPENING = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED})
"""The work may go on."""
SENT_BACK = frozenset({GateName.REJECTED, GateName.RETRY})
"""It is to be done again."""
UNCOVERED = "this gate needs every change approved; "
"""How the reason of a gate begins that waits for the approval of other work."""


def without_checks(_gates: object, _key: object, _checks: object) -> dict[str, str]:
    """A `Recheck` for those who ask for no gate's state, and for the checks themselves, which wait for no other."""
    return {}


class Mover(StrEnum):
    """Who acts next."""

    AGENT = "agent"
    REVIEWER = "reviewer"
    HUMAN = "human"
    NOBODY = "nobody"


class NextMove(Model):
    """Who acts next, and how."""

    who: Mover
    name: str | None = None
    what: str


class GateState(Model):
    """A gate as the queue shows it. `state` is None if it could not be determined; it is never guessed."""

    state: GateName | None
    blocking: tuple[str, ...] = ()
    next_move: NextMove
    why: tuple[str, ...] = ()
    """If it is open: who opened it, then what they overrode. None of that is in the way."""
    against: tuple[str, ...] = ()
    """What its documents and claims say against an approval, whatever the log says; part of `blocking` or `why`."""
    awaits: tuple[str, ...] = ()
    """The handoffs that must be decided before it."""


class Approval(Model):
    """A decision at a gate: whether it counts, and if not, why."""

    entry: str
    principal: str
    verb: str
    time: str
    counted: bool
    why: str = ""
    """Why it doesn't count, or what has changed since."""
    solo: bool = False
    """Whether it is on work under the person's own name, by a solo policy."""


class GateReport(Model):
    """A gate judged by the signed log: the state, why, and every decision considered."""

    handoff: str
    phase: str
    attempt: int
    state: GateName
    why: tuple[str, ...] = ()
    threshold: int = 1
    requirement: str | None = None
    approvals: tuple[Approval, ...] = ()
    debts: tuple[str, ...] = ()
    """Ids of overrides that no approval has settled yet."""
    policy: str | None = None
    passed: tuple[str, ...] = ()
    """The phases whose gate people opened for the last work they decided on there."""
