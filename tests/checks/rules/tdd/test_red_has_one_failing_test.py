from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.tdd.failing_tests import RED_HAS_ONE_FAILING_TEST
from tests.support.cycles import TEST_FILE, commit_id, cycle_world, note, note_path
from tests.support.world import MemoryWorld, judge

ONE = "def test_boils():\n    pass\n"


def red_world(before: str, after: str, path: str = TEST_FILE) -> MemoryWorld:
    """PLAN and RED, with the test file before and after the commit of RED."""
    test = {"description": "whistles", "testFile": path}
    world = cycle_world([note("PLAN"), note("RED", currentTest=test)], {path: after})
    world.old_files = {(commit_id(0), path): before.encode(), (commit_id(1), path): after.encode()}
    return world


def test_red_has_one_failing_test_passes_one_new_test() -> None:
    """One test more than before, and it fails."""
    assert judge(RED_HAS_ONE_FAILING_TEST, red_world(ONE, f"{ONE}def test_whistles():\n    pass\n")) == []


@pytest.mark.parametrize("result", ["PASS", None, "maybe"])
def test_red_has_one_failing_test_refuses_a_test_that_does_not_fail(result: str | None) -> None:
    """Passing, unknown or unreadable: none of them is red, now or in a step that is over."""
    for behind in ([], [note("GREEN")]):
        (found,) = judge(RED_HAS_ONE_FAILING_TEST, cycle_world([note("PLAN"), note("RED", testResult=result), *behind]))
        assert (found.subject, found.expected) == ("TDD-1 result", "FAIL")
        assert found.place is not None
        assert found.place.path == note_path(1)


def test_red_has_one_failing_test_wants_the_test_named() -> None:
    """A failure of no particular test is no new test."""
    found = judge(RED_HAS_ONE_FAILING_TEST, cycle_world([note("PLAN"), note("RED", currentTest=None)]))
    assert [entry.subject for entry in found] == ["TDD-1 test"]


@pytest.mark.parametrize(
    ("error", "number"), [("3 of 40 tests fail", "3"), ("2 failures", "2"), ("0 tests failed", "0")]
)
def test_red_has_one_failing_test_reads_the_number_in_the_error(error: str, number: str) -> None:
    """More failing tests than the new one mean that something else broke."""
    found = judge(RED_HAS_ONE_FAILING_TEST, cycle_world([note("PLAN"), note("RED", error=error)]))
    assert [(entry.subject, entry.actual) for entry in found] == [("TDD-1 number", number)]
    fine = cycle_world([note("PLAN"), note("RED", error="1 of 40 tests fails")])
    assert judge(RED_HAS_ONE_FAILING_TEST, fine) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "actual"),
    [
        (TEST_FILE, ONE, ONE, "none"),
        (TEST_FILE, ONE, f"{ONE}def test_hums():\n  pass\nasync def test_sings():\n  pass\n", "test_hums, test_sings"),
        ("kettle.test.ts", "", "it('hums', () => {});\ntest(\"sings\", () => {});\n", "hums, sings"),
        ("kettle_test.go", "", "func TestHum(t *T) {}\nfunc TestSing(t *T) {}\n", "TestHum, TestSing"),
        ("kettle.rs", "", "#[test]\nfn hums() {}\n#[tokio::test]\nasync fn sings() {}\n", "hums, sings"),
        ("Kettle.java", "", "@Test\npublic void hums() {}\n@Test void sings() {}\n", "hums, sings"),
    ],
)
def test_red_has_one_failing_test_counts_new_tests(path: str, before: str, after: str, actual: str) -> None:
    """What the commit adds to the test file, in several languages."""
    found = judge(RED_HAS_ONE_FAILING_TEST, red_world(before, after, path))
    assert [(entry.subject, entry.actual) for entry in found] == [(f"TDD-1 new tests of {path}", actual)]


def test_red_has_one_failing_test_judges_the_last_try() -> None:
    """A RED that passed and was done again is forgiven."""
    notes = [note("PLAN"), note("RED", testResult="PASS", nextPhase="RED"), note("RED")]
    assert judge(RED_HAS_ONE_FAILING_TEST, cycle_world(notes)) == []


def test_red_has_one_failing_test_needs_a_red_phase() -> None:
    """A plan alone has no test yet."""
    for world in (MemoryWorld(), cycle_world([note("PLAN")])):
        with pytest.raises(NotApplicableError):
            judge(RED_HAS_ONE_FAILING_TEST, world)
