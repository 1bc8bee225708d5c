from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.tdd.test_list_consistent import TEST_LIST_CONSISTENT
from tests.support.cycles import cycle_world, note, note_path
from tests.support.world import MemoryWorld, judge

LIST = "# Test list\n\n- [x] boils\n- [ ] whistles\n- [ ] switches off\n"


def list_world(text: str, **fields: object) -> MemoryWorld:
    return cycle_world([note("PLAN"), note("RED", **fields)], {"test-list.md": text})


@pytest.mark.parametrize(
    "text",
    [
        LIST,
        LIST.replace("[ ] whistles", "[x] whistles"),
        LIST.replace("boils", "**Boils**."),
        f"{LIST}\n```\n- [ ] an example\n```\n",
        LIST.replace("- [", "1. ["),
    ],
)
def test_test_list_consistent_passes_a_list_that_agrees(text: str) -> None:
    """The test that is being written may be ticked or not; marks and case do not matter, nor do examples."""
    assert judge(TEST_LIST_CONSISTENT, list_world(text)) == []


@pytest.mark.parametrize(
    ("text", "subject", "line"),
    [
        (LIST.replace("[x] boils", "[ ] boils"), "TDD-1 boils", 3),
        (LIST.replace("[ ] switches", "[x] switches"), "TDD-1 switches off", 5),
        (f"{LIST}- [ ] hums\n", "TDD-1 hums", 6),
        (f"{LIST}- [X] hums\n", "TDD-1 hums", 6),
    ],
)
def test_test_list_consistent_names_a_box_that_differs(text: str, subject: str, line: int) -> None:
    """Open but completed, ticked but pending, or not in the step at all."""
    (found,) = judge(TEST_LIST_CONSISTENT, list_world(text))
    assert found.subject == subject
    assert str(found.place) == f"test-list.md:{line}"


def test_test_list_consistent_names_a_test_that_the_list_lacks() -> None:
    """A test of the step without a box."""
    (found,) = judge(TEST_LIST_CONSISTENT, list_world(LIST.replace("- [ ] switches off\n", "")))
    assert found.subject == "TDD-1 switches off"
    assert found.place is not None
    assert found.place.path == note_path(1)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"completedTests": ["boils", "switches off"]}, "is both completed and pending"),
        ({"pendingTests": ["switches off", "Switches off."]}, "is listed twice"),
    ],
)
def test_test_list_consistent_names_a_test_in_two_places(fields: dict[str, object], problem: str) -> None:
    """Without any list, too."""
    (found,) = judge(TEST_LIST_CONSISTENT, cycle_world([note("RED", **fields)]))
    assert problem in found.message


def test_test_list_consistent_needs_tests() -> None:
    """No cycle, or steps that name no tests."""
    bare = cycle_world([note("RED", completedTests=[], pendingTests=[])])
    for world in (MemoryWorld(), bare):
        with pytest.raises(NotApplicableError):
            judge(TEST_LIST_CONSISTENT, world)
