"""Where a handoff stands in the log: its phase, its attempt, and the digest of what it says."""

from __future__ import annotations

import hashlib
import json

from handoff_tui.decision_log.log_index import LogIndex
from handoff_tui.models.handoff import Handoff, build_id
from handoff_tui.models.log_record import DecisionVerb

NO_PHASE = "review"
"""The phase of work whose format knows none."""


def find_phase(handoff: Handoff) -> str:
    """The phase whose work was handed over, spelled as the log spells phases."""
    return build_id(handoff.source_phase or NO_PHASE)


def find_attempt(index: LogIndex, handoff: Handoff, phase: str, tree: str) -> int:
    """The attempt at hand: as the handoff says, or one more than the last that was sent back, if there is new work."""
    sent_back = [
        vote.work
        for vote in index.votes_at.get((handoff.id, phase), ())
        if vote.decision.verb in {DecisionVerb.REJECT, DecisionVerb.RETRY} and not index.is_void(vote.entry.id)
    ]
    submitted = [one.work.attempt for one in index.find_submissions(handoff.id, phase)]
    known = max([handoff.attempt, *submitted, *(work.attempt for work in sent_back)])
    last = [work for work in sent_back if work.attempt == known]
    return known + 1 if last and all(work.subject.tree != tree for work in last) else known


def build_handoff_digest(handoff: Handoff) -> str:
    """SHA-256 of the handoff as read, whatever its format."""
    return build_value_digest(handoff.model_dump(mode="json", exclude_defaults=True))


def build_value_digest(value: object) -> str:
    """SHA-256 of a value as JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
