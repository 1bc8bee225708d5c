from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.inbox_item import InboxGroup, InboxItem, InboxOrder, RiskFact, RiskKind, sort_inbox
from tests.support.inbox_items import MOMENT, make_item
from tests.support.reviewed import build_reviewed


def name_all(items: tuple[InboxItem, ...]) -> list[str]:
    return [item.key.handoff for item in items]


def fact(kind: RiskKind) -> RiskFact:
    return RiskFact(kind=kind, text=kind.value)


def test_inbox_puts_what_waits_on_me_first_then_risk_then_age() -> None:
    """However many risks work of others has, it comes after mine."""
    items = (
        make_item("others", mine=False, who=Mover.AGENT, risks=(fact(RiskKind.TESTS_REMOVED),) * 3),
        make_item("young", since=MOMENT),
        make_item("old", since=MOMENT - timedelta(days=1)),
        make_item("risky", since=MOMENT, risks=(fact(RiskKind.SIZE),)),
        make_item("worse", since=MOMENT, risks=(fact(RiskKind.TESTS_REMOVED),)),
        make_item("settled", mine=False, who=Mover.NOBODY, state=GateName.APPROVED),
    )
    assert name_all(sort_inbox(reversed(items))) == ["worse", "risky", "old", "young", "others", "settled"]


def test_unknown_age_comes_last_in_its_part() -> None:
    """What has no time is neither the oldest nor the newest."""
    items = (make_item("unknown"), make_item("known", since=MOMENT))
    assert name_all(sort_inbox(items)) == ["known", "unknown"]
    settled = [make_item(one.key.handoff, mine=False, who=Mover.NOBODY, since=one.since) for one in items]
    assert name_all(sort_inbox(settled)) == ["known", "unknown"]


def test_settled_work_is_sorted_newest_first() -> None:
    """Of what is decided, the last decision is the one somebody looks for."""
    items = [
        make_item(name, mine=False, who=Mover.NOBODY, since=MOMENT - timedelta(hours=hours))
        for name, hours in (("old", 5), ("new", 1))
    ]
    assert name_all(sort_inbox(items)) == ["new", "old"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (InboxOrder.AGE, ["b", "A", "c"]),
        (InboxOrder.NAME, ["A", "b", "c"]),
        (InboxOrder.PHASE, ["c", "A", "b"]),
    ],
)
def test_other_orders_keep_the_parts_together(order: InboxOrder, expected: list[str]) -> None:
    """By age, by name in any letters, by phase; settled work stays behind."""
    items = [
        make_item("A", phase="test", since=datetime(2026, 2, 2, tzinfo=UTC)),
        make_item("b", phase="test", since=datetime(2026, 1, 1, tzinfo=UTC)),
        make_item("c", phase="plan", since=datetime(2026, 3, 3, tzinfo=UTC)),
        make_item("0", mine=False, who=Mover.NOBODY, phase="a"),
    ]
    assert name_all(sort_inbox(items, order)) == [*expected, "0"]


@pytest.mark.parametrize(
    ("mine", "state", "who", "group"),
    [
        (True, GateName.OVERRIDDEN, Mover.REVIEWER, InboxGroup.WAITS_ON_ME),
        (False, GateName.PENDING, Mover.AGENT, InboxGroup.WAITS_ON_OTHERS),
        (False, GateName.APPROVED, Mover.AGENT, InboxGroup.SETTLED),
        (False, GateName.PENDING, Mover.NOBODY, InboxGroup.SETTLED),
    ],
)
def test_group_follows_from_whose_move_it_is(*, mine: bool, state: GateName, who: Mover, group: InboxGroup) -> None:
    """Mine before all; what nobody owes anything for, or a decision let pass, is settled."""
    reviewed = build_reviewed(Handoff(id="H-1", dialect="builder"), state=state, who=who)
    assert make_item("H-1", mine=mine)._replace(reviewed=reviewed).group is group
