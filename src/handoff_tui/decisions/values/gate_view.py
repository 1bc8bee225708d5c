"""A gate as it is shown: the report of the log, and what a decision would be bound to."""

from __future__ import annotations

from handoff_tui.core.model import Model
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.record import Subject
from handoff_tui.log.review_record import ReviewRecord


class GateView(Model):
    """What a person must know before deciding, and a script before going on."""

    report: GateReport
    digest: str
    subject: Subject
    baseline_reason: str
    checks_passed: int
    checks_total: int
    failing: tuple[str, ...] = ()
    """Blocking checks that do not pass."""
    warnings: int = 0
    producers: tuple[str, ...] = ()
    uncommitted: bool = False


class DecisionView(Model):
    """Exactly what is about to be signed."""

    gate: GateView
    verb: str
    reason: str
    referenced_entries: tuple[str, ...] = ()
    record: ReviewRecord
    """What the decision is bound to besides the subject: what is shown, and what the reviewer wrote."""
    review: str
    """Its digest."""
    principal: str
    keyid: str
    key_source: str
    touch: bool = False
    """Whether the key waits to be touched."""
    policy: str
    notes: tuple[str, ...] = ()
