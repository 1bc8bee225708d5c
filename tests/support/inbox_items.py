"""Items of the inbox, made by hand."""

from __future__ import annotations

from datetime import UTC, datetime

from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, RiskFact, WorkSize
from handoff_tui.status.review_state import ClaimCounts
from tests.support.reviewed import ROOT, build_reviewed

MOMENT = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)


def make_item(
    name: str = "H-1",
    *,
    mine: bool = True,
    state: GateName = GateName.PENDING,
    who: Mover = Mover.REVIEWER,
    agent: str | None = None,
    phase: str | None = "build",
    since: datetime | None = None,
    risks: tuple[RiskFact, ...] | None = (),
    claims: tuple[int, int, int] = (0, 0, 0),
    size: WorkSize | None = None,
    blocking: tuple[str, ...] = (),
    root: str = ROOT,
) -> InboxItem:
    """By default it waits on the person at the desk. `claims` are those that hold, are contradicted, unverified."""
    handoff = Handoff(id=name, dialect="builder", title=f"The title of {name}")
    reviewed = build_reviewed(handoff, state=state, who=who, name=agent, blocking=blocking)
    holds, contradicted, unverified = claims
    counts = ClaimCounts(holds=holds, contradicted=contradicted, unverified=unverified)
    return InboxItem(
        key=HandoffKey(root, name),
        repository=root.rpartition("/")[2],
        reviewed=reviewed.model_copy(update={"claims": counts}),
        waits_on_me=mine,
        phase=phase,
        risks=risks,
        since=since,
        search=f"{name} {phase or ''} the title of {name}".casefold(),
        size=size,
    )
