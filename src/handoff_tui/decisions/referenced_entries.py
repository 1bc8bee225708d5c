"""Which earlier entries a decision is about: the approval that is carried, what is withdrawn, the debts it settles."""

from __future__ import annotations

from handoff_tui.core.errors import DecisionForbiddenError
from handoff_tui.log.gates.gate import Target, find_change
from handoff_tui.log.index import LogIndex, Vote
from handoff_tui.log.record import DecisionVerb

BINDING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})
"""Verbs that say the checks are in order."""


def find_regards(index: LogIndex, target: Target, verb: DecisionVerb, principal: str) -> tuple[str, ...]:
    """The ids, sorted; a carry or withdrawal without anything to carry or withdraw is refused."""
    if verb is DecisionVerb.CARRY:
        return _find_carried(index, target, principal)
    if verb is DecisionVerb.WITHDRAW:
        return _find_withdrawn(index, target, principal)
    if verb is DecisionVerb.APPROVE:
        here = (target.handoff, target.phase)
        debts = index.find_debts().items()
        return tuple(sorted(debt for debt, vote in debts if (vote.work.handoff, vote.work.phase) == here))
    return ()


def list_own(index: LogIndex, target: Target, principal: str) -> list[Vote]:
    """A person's own last decisions at this gate."""
    return [vote for vote in index.find_last_votes(target.handoff, target.phase) if vote.entry.actor == principal]


def _find_carried(index: LogIndex, target: Target, principal: str) -> tuple[str, ...]:
    own = [vote for vote in list_own(index, target, principal) if vote.decision.verb in BINDING]
    if any(not find_change(vote.work, target) for vote in own):
        raise DecisionForbiddenError(
            "your approval is of exactly what is here, so there is nothing to carry",
            "If it has grown too old, approve again.",
        )
    carried = [
        vote.entry.id
        for vote in own
        if vote.work.attempt == target.attempt and vote.work.subject.tree == target.subject.tree
    ]
    if not carried:
        raise DecisionForbiddenError(
            "you have approved nothing with these very files, so there is nothing to carry", "Approve instead."
        )
    return tuple(sorted(carried))


def _find_withdrawn(index: LogIndex, target: Target, principal: str) -> tuple[str, ...]:
    own = list_own(index, target, principal)
    withdrawn = [vote.entry.id for vote in own if vote.decision.verb is not DecisionVerb.WITHDRAW]
    if not withdrawn:
        raise DecisionForbiddenError(
            "there is no decision of yours to withdraw here", "handoff-tui gate lists who decided what."
        )
    return tuple(sorted(withdrawn))
