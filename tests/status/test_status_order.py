from __future__ import annotations

from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.status.status_page import sort_by_turn
from tests.support.reviewed import build_reviewed


def test_ids_are_in_the_order_of_their_numbers() -> None:
    """`H-9` comes before `H-10`."""
    ids = ["H-10", "H-9", "CLEANUP-2", "H-9B", "H-100"]
    ordered = sort_by_turn(tuple(build_reviewed(Handoff(id=name, dialect="builder")) for name in ids))
    assert [reviewed.handoff.id for reviewed in ordered] == ["CLEANUP-2", "H-9", "H-9B", "H-10", "H-100"]
