"""States of the desk, made by hand."""

from __future__ import annotations

from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.live.state.app import AppState, RepositoryPart
from handoff_tui.log.gates.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.status.inbox_item import HandoffKey, InboxItem
from handoff_tui.status.review_state import ReviewedHandoff

KEY = HandoffKey("/desk", "H-1")


def make_state(**part: object) -> AppState:
    """A desk with one handoff that waits for a review."""
    gate = GateState(state=GateName.PENDING, next_move=NextMove(who=Mover.REVIEWER, what="review and decide"))
    reviewed = ReviewedHandoff(handoff=Handoff(id="H-1", dialect="builder"), gate=gate)
    item = InboxItem(KEY, "desk", reviewed, waits_on_me=True, phase="implement")
    repository = RepositoryPart("/desk", "desk", **part)  # type: ignore[arg-type]
    return AppState(repositories=(repository,), inbox=(item,), chosen=KEY)
