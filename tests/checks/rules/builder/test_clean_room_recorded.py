"""The record of a clean room."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.results import CLEAN_ROOM_RECORDED
from tests.support.builder_story import build_changed_results, build_results, build_world, results_path
from tests.support.world import judge

_ROOM = """- Packages installed: 1
- Install order: PKG-LAMP-001
- All tests pass after each install: YES
"""


def _subjects(old: str, new: str) -> list[str]:
    return [found.subject for found in judge(CLEAN_ROOM_RECORDED, build_changed_results(old, new))]


def test_clean_room_with_all_three_passes() -> None:
    """Count, order, tests; also with more words after the yes."""
    assert judge(CLEAN_ROOM_RECORDED, build_world()) == []
    assert judge(CLEAN_ROOM_RECORDED, build_world({results_path("H-5"): build_results("H-5", packages=4)})) == []
    assert _subjects("install: YES", "install: YES (8/8 PASS)") == []


def test_clean_room_that_is_only_mentioned_is_found() -> None:
    """A section that says why there was none records none."""
    assert _subjects(_ROOM, "- Not needed here.\n") == [
        "H-5 clean-room packages",
        "H-5 clean-room order",
        "H-5 clean-room tests",
    ]


@pytest.mark.parametrize("answer", ["NO", "YES/NO", "YES, but 2 were not run", "YES (3 failed)", "n/a"])
def test_clean_room_without_a_clear_yes_is_found(answer: str) -> None:
    """A no, the choice of the template, a yes that is taken back."""
    assert _subjects("install: YES", f"install: {answer}") == ["H-5 clean-room tests"]


def test_clean_room_order_names_each_package() -> None:
    """As many as were installed, by name; a placeholder is no number."""
    assert _subjects("order: PKG-LAMP-001", "order: resolved by itself") == ["H-5 clean-room order"]
    assert _subjects("order: PKG-LAMP-001", "order: PKG-LAMP-001 → PKG-OIL-001") == ["H-5 clean-room order"]
    room = _ROOM.replace("Packages installed: 1", "Packages installed: N")
    assert _subjects(_ROOM, room) == ["H-5 clean-room packages"]


def test_clean_room_rule_needs_results() -> None:
    """Without results there is no record; empty ones are found."""
    with pytest.raises(NotApplicableError):
        judge(CLEAN_ROOM_RECORDED, build_world({results_path("H-5"): None}))
    assert len(judge(CLEAN_ROOM_RECORDED, build_world({results_path("H-5"): ""}))) == 1
