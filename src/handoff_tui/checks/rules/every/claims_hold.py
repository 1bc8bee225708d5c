"""No claim of a handoff is contradicted by what was measured here."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import Handoff

_JUDGED_ELSEWHERE = frozenset({ClaimKind.STATUS, ClaimKind.CHECK})


def judge(context: Context) -> Iterator[Found]:
    handoffs = context.handoffs() or context.skip("no handoff here")
    if not any(handoff.claims for handoff in handoffs):
        context.skip("nothing is claimed")
    for handoff in handoffs:
        for verdict in context.verdicts(handoff):
            if verdict.state is VerdictState.CONTRADICTED and verdict.claim.kind not in _JUDGED_ELSEWHERE:
                yield _build(handoff, verdict)


def _build(handoff: Handoff, verdict: Verdict) -> Found:
    claim = verdict.claim
    claimed = str(claim.value) if claim.value is not None else claim.subject or claim.text
    about = claim.subject or claimed
    return Found(
        message=f"{handoff.id}: «{claim.text}» is contradicted: {verdict.evidence}",
        subject=f"{handoff.id} {claim.kind.value} {about}",
        place=claim.where,
        expected=claimed,
        actual=str(verdict.measured) if verdict.measured is not None else verdict.evidence,
    )


CLAIMS_HOLD = Rule(
    id="claims-hold",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="No claim is contradicted by what was measured here.",
    reads="the claims of handoffs beside their measurements",
    remedy="Make the claim true, or have it taken back; an agent's word is no evidence.",
    judge=judge,
)
