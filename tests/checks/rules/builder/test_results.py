"""The record of a full regression."""

from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import Moment, NotApplicableError
from handoff_tui.checks.rules.builder.documents import says_nothing, says_yes
from handoff_tui.checks.rules.builder.results import (
    BASELINE_RECORDED,
    CLEAN_ROOM_RECORDED,
    FULL_REGRESSION_RECORDED,
    REVIEWER_CHECKLIST_COMPLETE,
)
from tests.support.builder_story import (
    MANIFEST,
    build_changed_results,
    build_manifest,
    build_results,
    build_world,
    results_path,
)
from tests.support.world import MemoryWorld, find_subjects, judge

_NUMBERS = "- Total: 20 tests\n- Passed: 20\n- Failed: 0\n- Skipped: 0\n"


def _subjects_regression(old: str, new: str) -> list[str]:
    return find_subjects(FULL_REGRESSION_RECORDED, build_changed_results(old, new))


def test_regression_with_numbers_and_command_passes() -> None:
    """Also where all passed and the failures are not spelled out."""
    assert judge(FULL_REGRESSION_RECORDED, build_world()) == []
    assert _subjects_regression(_NUMBERS, "- Total: 20\n- Passed: 20\n") == []


def test_regression_that_is_only_mentioned_is_found() -> None:
    """The words are there, the numbers are not."""
    assert _subjects_regression(_NUMBERS, "The full regression was run and all is well.\n") == ["H-5 regression"]


def test_regression_with_gaps_is_found() -> None:
    """A collection that was interrupted, no command, no word on new failures."""
    assert _subjects_regression(_NUMBERS, "- Total: 20\n- Passed: N/A (interrupted)\n- Failed: 2\n") == [
        "H-5 regression.passed"
    ]
    assert _subjects_regression("- Command: `pytest`\n", "") == ["H-5 regression.command"]
    assert _subjects_regression("- New failures introduced by this agent: NONE\n", "") == ["H-5 new failures"]


def test_regression_smaller_than_the_package_is_found() -> None:
    """All packages cannot have fewer tests than one."""
    assert _subjects_regression(_NUMBERS, "- Total: 8\n- Passed: 8\n- Failed: 0\n") == ["H-5 regression.total"]


def test_regression_over_some_packages_is_found() -> None:
    """A command that names packages must name as many as the baseline has; left out ones do not count."""
    text = build_results("H-5", packages=3)
    named = text.replace("- Command: `pytest`", "- Command: `pytest PKG-LAMP-001 PKG-OIL-001 --ignore=PKG-OIL-002`")
    [found] = judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): named}))
    assert (found.subject, found.actual) == ("H-5 regression.packages", "PKG-LAMP-001, PKG-OIL-001")
    every = text.replace("- Command: `pytest`", "- Command: `pytest PKG-LAMP-001 PKG-OIL-001 PKG-OIL-002`")
    assert judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): every})) == []


def test_regression_rule_needs_results() -> None:
    """Without results there is nothing to record; empty ones are found."""
    with pytest.raises(NotApplicableError):
        judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): None}))
    assert len(judge(FULL_REGRESSION_RECORDED, build_world({results_path("H-5"): ""}))) == 1


_BASELINE = "- Packages installed: 1\n- Total tests (all staged): 20\n"


def _subjects_baseline(new: str) -> list[str]:
    return find_subjects(BASELINE_RECORDED, build_changed_results(_BASELINE, new))


def test_baseline_with_both_numbers_passes() -> None:
    """Packages and tests; more tests than were run is possible, for packages may be left out of a run."""
    assert judge(BASELINE_RECORDED, build_world()) == []
    assert _subjects_baseline("- Packages installed: 1\n- Total tests (all staged): 25\n") == []


def test_baseline_with_gaps_is_found() -> None:
    """No numbers, one number, no package at all."""
    assert _subjects_baseline("- As before.\n") == ["H-5 baseline.packages", "H-5 baseline.tests"]
    assert _subjects_baseline("- Packages installed: N\n- Total tests (all staged): 20\n") == ["H-5 baseline.packages"]
    assert _subjects_baseline("- Packages installed: 0\n- Total tests (all staged): 20\n") == ["H-5 baseline.packages"]


def test_baseline_below_its_own_regression_is_found() -> None:
    """There cannot be fewer tests than were run."""
    [found] = judge(
        BASELINE_RECORDED, build_changed_results(_BASELINE, "- Packages installed: 1\n- Total tests (all staged): 19\n")
    )
    assert (found.subject, found.expected, found.actual) == ("H-5 baseline.tests", "at least 20 tests", "19 tests")
    assert found.place is not None
    assert found.place.line is not None


def test_baseline_rule_needs_results() -> None:
    """Without results there is no record; empty ones are found."""
    with pytest.raises(NotApplicableError):
        judge(BASELINE_RECORDED, build_world({results_path("H-5"): None}))
    assert len(judge(BASELINE_RECORDED, build_world({results_path("H-5"): ""}))) == 1


_ROOM = """- Packages installed: 1
- Install order: PKG-LAMP-001
- All tests pass after each install: YES
"""


def _subjects_clean_room(old: str, new: str) -> list[str]:
    return find_subjects(CLEAN_ROOM_RECORDED, build_changed_results(old, new))


def test_clean_room_with_all_three_passes() -> None:
    """Count, order, tests; also with more words after the yes."""
    assert judge(CLEAN_ROOM_RECORDED, build_world()) == []
    assert judge(CLEAN_ROOM_RECORDED, build_world({results_path("H-5"): build_results("H-5", packages=4)})) == []
    assert _subjects_clean_room("install: YES", "install: YES (8/8 PASS)") == []


def test_clean_room_that_is_only_mentioned_is_found() -> None:
    """A section that says why there was none records none."""
    assert _subjects_clean_room(_ROOM, "- Not needed here.\n") == [
        "H-5 clean-room packages",
        "H-5 clean-room order",
        "H-5 clean-room tests",
    ]


@pytest.mark.parametrize("answer", ["NO", "YES/NO", "YES, but 2 were not run", "YES (3 failed)", "n/a"])
def test_clean_room_without_a_clear_yes_is_found(answer: str) -> None:
    """A no, the choice of the template, a yes that is taken back."""
    assert _subjects_clean_room("install: YES", f"install: {answer}") == ["H-5 clean-room tests"]


def test_clean_room_order_names_each_package() -> None:
    """As many as were installed, by name; a placeholder is no number."""
    assert _subjects_clean_room("order: PKG-LAMP-001", "order: resolved by itself") == ["H-5 clean-room order"]
    assert _subjects_clean_room("order: PKG-LAMP-001", "order: PKG-LAMP-001 → PKG-OIL-001") == ["H-5 clean-room order"]
    room = _ROOM.replace("Packages installed: 1", "Packages installed: N")
    assert _subjects_clean_room(_ROOM, room) == ["H-5 clean-room packages"]


def test_clean_room_rule_needs_results() -> None:
    """Without results there is no record; empty ones are found."""
    with pytest.raises(NotApplicableError):
        judge(CLEAN_ROOM_RECORDED, build_world({results_path("H-5"): None}))
    assert len(judge(CLEAN_ROOM_RECORDED, build_world({results_path("H-5"): ""}))) == 1


def _items(world: MemoryWorld, scope: str | None = None) -> list[int]:
    found = judge(REVIEWER_CHECKLIST_COMPLETE, world, scope)
    return [int(one.subject.rpartition(" ")[2]) for one in found]


def test_checklist_that_is_met_passes() -> None:
    """It is asked at the gate."""
    assert judge(REVIEWER_CHECKLIST_COMPLETE, build_world()) == []
    assert REVIEWER_CHECKLIST_COMPLETE.moments == (Moment.GATE,)


@pytest.mark.parametrize(
    ("item", "old", "new"),
    [
        (2, "## Files Created\n", "## Things\n"),
        (3, "- Install order: PKG-LAMP-001\n", ""),
        (4, "- Total tests (all staged): 20\n", ""),
        (5, "- Command: `pytest`\n", ""),
        (6, "agent: NONE", "agent: test_wick"),
    ],
)
def test_checklist_item_in_the_results(item: int, old: str, new: str) -> None:
    """Each gap is told under its own item, and only there."""
    assert _items(build_changed_results(old, new)) == [item]


def test_checklist_item_on_manifests() -> None:
    """Bare hex in a manifest is item 7, and so is a manifest that cannot be read."""
    assert _items(build_world({MANIFEST: build_manifest().replace("sha256:", "")})) == [7]
    assert _items(build_world({MANIFEST: "{"})) == [7]


def test_checklist_item_on_the_place() -> None:
    """Results in the flat layout are item 8."""
    moved = {results_path("H-5"): None, "handoffs/RESULTS_HANDOFF_5.md": build_results("H-5")}
    assert _items(build_world(moved)) == [8]


def test_checklist_without_results() -> None:
    """For the handoff under review nothing is met but the manifests; one that is not yet due is passed over."""
    world = build_world({results_path("H-5"): None})
    assert _items(world, scope="H-5") == [1, 2, 3, 4, 5, 6, 8]
    with pytest.raises(NotApplicableError):
        judge(REVIEWER_CHECKLIST_COMPLETE, world)


def test_checklist_with_empty_results() -> None:
    """An empty file meets item 1 as little as the others."""
    assert _items(build_world({results_path("H-5"): ""})) == [1, 2, 3, 4, 5]


@pytest.fixture
def context() -> Context:
    return Context(Answers(MemoryWorld()))


@pytest.mark.parametrize("text", ["NONE", "**None**.", "0", "No new failures", "NONE observed here"])
def test_nothing_is_understood(context: Context, text: str) -> None:
    """The word comes first, and nothing takes it back."""
    assert says_nothing(context, text)


@pytest.mark.parametrize("text", ["", "NONE except one", "none, but see below", "2 tests", "0 or 1 failed", "unknown"])
def test_nothing_that_is_taken_back_is_not_nothing(context: Context, text: str) -> None:
    """An exception, a list, silence."""
    assert not says_nothing(context, text)


@pytest.mark.parametrize("text", ["YES", "yes (8/8)", "PASS", "YES, 0 failed"])
def test_yes_is_understood(context: Context, text: str) -> None:
    """More words may follow."""
    assert says_yes(context, text)


@pytest.mark.parametrize("text", ["NO", "YES/NO", "YES | NO", "yes, 2 failed", "yes, except one", "", "eyes"])
def test_yes_that_is_none_is_refused(context: Context, text: str) -> None:
    """A choice, a retraction, another word."""
    assert not says_yes(context, text)
