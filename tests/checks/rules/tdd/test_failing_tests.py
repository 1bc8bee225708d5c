from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.tdd.cycles import count_failing
from handoff_tui.checks.rules.tdd.failing_tests import GREEN_HAS_NO_FAILING_TEST, RED_HAS_ONE_FAILING_TEST
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


START = [note("PLAN"), note("RED")]


def test_green_has_no_failing_test_passes_green_and_what_follows() -> None:
    """All tests pass in GREEN and REFACTOR; the end need not repeat it."""
    notes = [*START, note("GREEN"), note("REFACTOR", nextPhase="COMPLETE"), note("COMPLETE", testResult=None)]
    assert judge(GREEN_HAS_NO_FAILING_TEST, cycle_world(notes)) == []


@pytest.mark.parametrize("result", ["FAIL", None, "mostly"])
def test_green_has_no_failing_test_refuses_anything_but_a_pass(result: str | None) -> None:
    """Failing, unknown, unreadable; in the present step and in one that was left behind."""
    for behind in ([], [note("REFACTOR")]):
        (found,) = judge(GREEN_HAS_NO_FAILING_TEST, cycle_world([*START, note("GREEN", testResult=result), *behind]))
        assert found.subject == "TDD-1 GREEN"
        assert found.place is not None
        assert found.place.path == note_path(2)


def test_green_has_no_failing_test_reads_numbers_behind_a_pass() -> None:
    """PASS beside failing tests is caught."""
    found = judge(GREEN_HAS_NO_FAILING_TEST, cycle_world([*START, note("GREEN", error="2 of 9 tests still fail")]))
    assert [entry.actual for entry in found] == ["2 failing"]


def test_green_has_no_failing_test_watches_the_refactoring() -> None:
    """A test that broke while refactoring is no better."""
    notes = [*START, note("GREEN"), note("REFACTOR", testResult="FAIL", error="whistle is gone")]
    (found,) = judge(GREEN_HAS_NO_FAILING_TEST, cycle_world(notes))
    assert found.subject == "TDD-1 REFACTOR"
    assert "whistle is gone" in found.message


def test_green_has_no_failing_test_judges_the_last_try() -> None:
    """A failed try that was repaired is over."""
    failed = note("GREEN", testResult="FAIL", nextPhase="GREEN")
    assert judge(GREEN_HAS_NO_FAILING_TEST, cycle_world([*START, failed, note("GREEN", retryCount=1)])) == []


def test_green_has_no_failing_test_reads_state_files() -> None:
    """Without notes the state file speaks."""
    state = json.dumps(note("GREEN", testResult="FAIL"))
    assert len(judge(GREEN_HAS_NO_FAILING_TEST, MemoryWorld(files={".handoff.json": state}))) == 1


def test_green_has_no_failing_test_expects_no_result_from_a_queue() -> None:
    """A line of a queue cannot carry one."""
    with pytest.raises(NotApplicableError):
        judge(GREEN_HAS_NO_FAILING_TEST, MemoryWorld(files={".tdd-queue.log": "GREEN done, next: refactor\n"}))


def test_green_has_no_failing_test_needs_a_green_phase() -> None:
    """RED alone is not judged here."""
    for world in (MemoryWorld(), cycle_world(START)):
        with pytest.raises(NotApplicableError):
            judge(GREEN_HAS_NO_FAILING_TEST, world)


@pytest.mark.parametrize(
    ("error", "number"),
    [
        ("1 of 38 tests still fails: test_x", 1),
        ("3/40 failed", 3),
        ("12 failing tests", 12),
        ("2 new tests fail", 2),
        ("the build failed", None),
        ("error 500", None),
    ],
)
def test_failing_tests_are_counted_in_words(error: str, number: int | None) -> None:
    """Only a number that stands before a word for failing."""
    (handoff,) = cycle_world([note("GREEN", error=error)]).handoffs()
    assert count_failing(handoff) == number
