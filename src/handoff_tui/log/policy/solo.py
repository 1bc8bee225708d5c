"""Decisions on one's own work under a solo policy: derived from the entry and the policy it was made under."""

from __future__ import annotations

from handoff_tui.core.errors import HandoffError
from handoff_tui.log.entry import Entry, PolicyText
from handoff_tui.log.policy.policy import parse_policy


def is_solo(entry: Entry, policy: PolicyText | None) -> bool:
    """Whether somebody decided on work under their own name, which only a solo policy allows."""
    if entry.work is None or entry.decision is None or entry.actor not in entry.work.producers or policy is None:
        return False
    try:
        return parse_policy(policy).may_approve_own(entry.actor)
    except HandoffError:  # an entry of the list may name a policy that is refused
        return False
