"""Where a handoff stands in the log: its phase, its attempt, and the digest of what it says."""

from __future__ import annotations

import hashlib
import json

from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.log.entries.fields import LABEL
from handoff_tui.log.index import DecisionEntry, LogIndex
from handoff_tui.log.record import SENDING_BACK

NO_PHASE = "review"
"""The phase of work whose format knows none."""


def find_phase(handoff: Handoff, named: str | None = None) -> str:
    """The phase that was named; else the one whose work was handed over, spelled as the log spells phases."""
    if named is None:
        return build_id(handoff.source_phase or NO_PHASE)
    if not LABEL.fullmatch(named):
        raise UsageError(
            f"{named!r} cannot be a phase in the log",
            "A letter or digit first, then letters, digits and ._/- (at most 128).",
        )
    return named


def find_attempt(index: LogIndex, handoff: Handoff, phase: str, tree: str) -> int:
    """The attempt at hand: as the handoff says, or one more than the last that was sent back, if there is new work."""
    sent_back = [vote.work for vote in list_sent_back(index, handoff.id, phase)]
    submitted = [one.work.attempt for one in index.find_submissions(handoff.id, phase)]
    known = max([handoff.attempt, *submitted, *(work.attempt for work in sent_back)])
    last = [work for work in sent_back if work.attempt == known]
    return known + 1 if last and all(work.subject.tree != tree for work in last) else known


def list_sent_back(index: LogIndex, handoff: str, phase: str) -> list[DecisionEntry]:
    """Decisions by which an attempt came back, oldest first; one that its author took back or overtook is none."""
    last: dict[tuple[str, int], DecisionEntry] = {}
    for vote in index.list_decisions(handoff, phase):
        if not index.is_void(vote.entry.id):
            last[vote.entry.actor, vote.work.attempt] = vote
    return [vote for vote in last.values() if vote.decision.verb in SENDING_BACK]


def build_handoff_digest(handoff: Handoff) -> str:
    """SHA-256 of the handoff as read, whatever its format."""
    return build_value_digest(handoff.model_dump(mode="json", exclude_defaults=True))


def build_value_digest(value: object) -> str:
    """SHA-256 of a value as JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
