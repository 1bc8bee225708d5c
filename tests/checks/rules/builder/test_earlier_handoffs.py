"""Which handoffs one builds on."""

from __future__ import annotations

from handoff_tui.checks.rules.builder.earlier_handoffs import find_earlier
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.handoff import Handoff


def _find(handoff: str, blocked_by: dict[str, tuple[str, ...]], numbers: str) -> list[str]:
    counts = TestCounts(total=1)
    known = {
        name: Handoff(
            id=name, dialect="builder", blocked_by=others, regression=counts if name in numbers.split() else None
        )
        for name, others in blocked_by.items()
    }
    return [one.id for one in find_earlier(known[handoff], known, lambda other: other.regression is not None)]


def test_nearest_with_numbers_are_found() -> None:
    """Behind one without numbers, those on which it builds; names that nobody has are passed over."""
    chain = {"H-1": (), "H-2": ("H-1",), "H-3": ("H-2", "H-9")}
    assert _find("H-3", chain, "H-1 H-2") == ["H-2"]
    assert _find("H-3", chain, "H-1") == ["H-1"]
    assert _find("H-3", chain, "") == []


def test_older_of_two_is_left_out() -> None:
    """One on which the other builds is older; two that do not know each other both count."""
    assert _find("H-3", {"H-1": (), "H-2": ("H-1",), "H-3": ("H-1", "H-2")}, "H-1 H-2") == ["H-2"]
    assert _find("H-3", {"H-1": (), "H-2": (), "H-3": ("H-1", "H-2")}, "H-1 H-2") == ["H-1", "H-2"]


def test_circle_ends() -> None:
    """Handoffs that wait for each other are found all the same; nobody builds on itself."""
    circle = {"H-1": ("H-2",), "H-2": ("H-1",), "H-3": ("H-1", "H-2", "H-3")}
    assert _find("H-3", circle, "H-1 H-2 H-3") == ["H-1", "H-2"]
    assert _find("H-1", circle, "H-1 H-2") == ["H-2"]
