"""The rules of test-driven cycles."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.tdd.files import handoff_notes_parse, lock_not_stale, test_list_consistent
from handoff_tui.checks.rules.tdd.phases import (
    commit_prefix_fits_phase,
    green_has_no_failing_test,
    phase_order_legal,
    red_has_one_failing_test,
    retry_budget_kept,
)
from handoff_tui.checks.world import CommitInfo
from handoff_tui.core.place import Problem, ProblemLevel
from tests.support.format_states import TEST_FILE, commit_id, cycle_world, note, note_path
from tests.support.memory_files import MemoryFiles, build_commit
from tests.support.world import MemoryWorld, find_subjects, judge

ONE = "def test_boils():\n    pass\n"


def red_world(before: str, after: str, path: str = TEST_FILE) -> MemoryWorld:
    """PLAN and RED, with the test file before and after the commit of RED."""
    test = {"description": "whistles", "testFile": path}
    world = cycle_world([note("PLAN"), note("RED", currentTest=test)], {path: after})
    world.old_files = {(commit_id(0), path): before.encode(), (commit_id(1), path): after.encode()}
    return world


def test_red_has_one_failing_test_passes_one_new_test() -> None:
    """One test more than before, and it fails."""
    assert judge(red_has_one_failing_test, red_world(ONE, f"{ONE}def test_whistles():\n    pass\n")) == []


@pytest.mark.parametrize("result", ["PASS", None, "maybe"])
def test_red_has_one_failing_test_refuses_a_test_that_does_not_fail(result: str | None) -> None:
    """Passing, unknown or unreadable: none of them is red, now or in a step that is over."""
    for behind in ([], [note("GREEN")]):
        (found,) = judge(red_has_one_failing_test, cycle_world([note("PLAN"), note("RED", testResult=result), *behind]))
        assert (found.subject, found.expected) == ("TDD-1 result", "FAIL")
        assert (found.place and found.place.path) == note_path(1)


def test_red_has_one_failing_test_wants_the_test_named() -> None:
    """A failure of no particular test isn't a new test."""
    assert find_subjects(red_has_one_failing_test, cycle_world([note("PLAN"), note("RED", currentTest=None)])) == [
        "TDD-1 test"
    ]


@pytest.mark.parametrize(
    ("error", "number"), [("3 of 40 tests fail", "3"), ("2 failures", "2"), ("0 tests failed", "0")]
)
def test_red_has_one_failing_test_reads_the_number_in_the_error(error: str, number: str) -> None:
    """More failing tests than the new one mean that something else broke."""
    found = judge(red_has_one_failing_test, cycle_world([note("PLAN"), note("RED", error=error)]))
    assert [(entry.subject, entry.actual) for entry in found] == [("TDD-1 number", number)]
    fine = cycle_world([note("PLAN"), note("RED", error="1 of 40 tests fails")])
    assert judge(red_has_one_failing_test, fine) == []


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
    found = judge(red_has_one_failing_test, red_world(before, after, path))
    assert [(entry.subject, entry.actual) for entry in found] == [(f"TDD-1 new tests of {path}", actual)]


def test_red_has_one_failing_test_judges_the_last_try() -> None:
    """A RED that passed and was done again is forgiven."""
    notes = [note("PLAN"), note("RED", testResult="PASS", nextPhase="RED"), note("RED")]
    assert judge(red_has_one_failing_test, cycle_world(notes)) == []


START = [note("PLAN"), note("RED")]


def test_green_has_no_failing_test_passes_green_and_what_follows() -> None:
    """All tests pass in GREEN and REFACTOR; the end need not repeat it."""
    notes = [*START, note("GREEN"), note("REFACTOR", nextPhase="COMPLETE"), note("COMPLETE", testResult=None)]
    assert judge(green_has_no_failing_test, cycle_world(notes)) == []


@pytest.mark.parametrize("result", ["FAIL", None, "mostly"])
def test_green_has_no_failing_test_refuses_anything_but_a_pass(result: str | None) -> None:
    """Failing, unknown, unreadable; in the present step and in one that was left behind."""
    for behind in ([], [note("REFACTOR")]):
        (found,) = judge(green_has_no_failing_test, cycle_world([*START, note("GREEN", testResult=result), *behind]))
        assert found.subject == "TDD-1 GREEN"
        assert (found.place and found.place.path) == note_path(2)


def test_green_has_no_failing_test_reads_numbers_behind_a_pass() -> None:
    """PASS beside failing tests is caught."""
    found = judge(green_has_no_failing_test, cycle_world([*START, note("GREEN", error="2 of 9 tests still fail")]))
    assert [entry.actual for entry in found] == ["2 failing"]


def test_green_has_no_failing_test_watches_the_refactoring() -> None:
    """A test that broke while refactoring is no better."""
    notes = [*START, note("GREEN"), note("REFACTOR", testResult="FAIL", error="whistle is gone")]
    (found,) = judge(green_has_no_failing_test, cycle_world(notes))
    assert found.subject == "TDD-1 REFACTOR"
    assert "whistle is gone" in found.message


@pytest.mark.parametrize("text", ['{"phase": "RE', "", "RED is done", '{"nextPhase": "GREEN"}'])
def test_handoff_notes_parse_names_a_broken_note(text: str) -> None:
    """Cut off, empty, no JSON, or without a phase of its own; in the newest note and in an older one."""
    newest: list[Mapping[str, object] | str] = [note("PLAN"), text]
    older: list[Mapping[str, object] | str] = [text, note("RED")]
    for notes, position in ((newest, 1), (older, 0)):
        found = judge(handoff_notes_parse, cycle_world(notes))
        assert [entry.place.path for entry in found if entry.place] == [note_path(position)]


def test_handoff_notes_parse_names_a_note_that_became_no_step() -> None:
    """Whatever is reported of a note that no cycle holds counts, however lightly; of one in a cycle, only errors."""
    world = cycle_world([note("PLAN"), note("RED")])
    lost = Problem(path=note_path(7), message="is a note without a phase", level=ProblemLevel.WARNING)
    kept = Problem(path=note_path(1), message="is odd", level=ProblemLevel.WARNING)
    world._handoffs_read = world.handoffs_read()._replace(problems=(lost, kept))
    assert find_subjects(handoff_notes_parse, world) == [note_path(7)]


def test_handoff_notes_parse_judges_only_the_cycle_under_review() -> None:
    """A broken note of another cycle is not its fault."""
    notes: list[Mapping[str, object] | str] = [note("PLAN"), '{"phase": "RE', note("PLAN", cycleNumber=2)]
    assert judge(handoff_notes_parse, cycle_world(notes), scope="TDD-2") == []
    assert len(judge(handoff_notes_parse, cycle_world(notes), scope="TDD-1")) == 1


@pytest.mark.parametrize("path", [".handoff.json", ".handoff/current.json"])
def test_handoff_notes_parse_names_a_broken_file(path: str) -> None:
    """Also where no note is there."""
    (found,) = judge(handoff_notes_parse, MemoryWorld(files={path: '{"phase": "GREEN", '}))
    assert found.subject == path


def test_handoff_notes_parse_leaves_files_of_others_alone() -> None:
    """`.handoff.json` may be the configuration of another tool, and broken files may be of another system."""
    files: dict[str, str | bytes] = {
        ".handoff.json": json.dumps({"entry": "src/main.ts", "plugins": []}),
        ".mosaic/agent_state.json": "{",
    }
    with pytest.raises(NotApplicableError):
        judge(handoff_notes_parse, MemoryWorld(files=files))


def test_handoff_notes_parse_accepts_a_test_list_alone() -> None:
    """A list of tests isn't a step and needs no phase."""
    assert judge(handoff_notes_parse, MemoryWorld(files={"test-list.md": "# Tests\n\n- [ ] boils\n"})) == []


LOCK = ".tdd.lock"

NOW = MemoryWorld().moment


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"agent": "heron", "timestamp": "2026-03-04T05:00:00Z"}),
        json.dumps({"agentId": 7, "timestamp": NOW.timestamp() - 600}),
        json.dumps({"pid": 41, "timestamp": int(NOW.timestamp() * 1000)}),
        "agent: heron\ntimestamp: 2026-03-04T04:50:00+00:00\n",
        "PID = 41\nsince = 2026-03-04 05:01:00\n",
        json.dumps({"owner": "heron", "acquired_at": "2026-03-04T07:00:00+02:00"}),
    ],
)
def test_lock_not_stale_passes_a_young_lock(text: str) -> None:
    """In JSON or in lines, with times in every usual form."""
    assert judge(lock_not_stale, MemoryWorld(files={LOCK: text})) == []


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        (json.dumps({"agent": "heron", "timestamp": "2026-03-04T04:30:00Z"}), ["age"]),
        (json.dumps({"agent": "heron", "timestamp": "2026-03-05T04:30:00Z"}), ["age"]),
        (json.dumps({"timestamp": "2026-03-04T05:00:00Z"}), ["owner"]),
        (json.dumps({"agent": "", "timestamp": "2026-03-04T05:00:00Z"}), ["owner"]),
        (json.dumps({"agent": "heron"}), ["time"]),
        (json.dumps({"agent": "heron", "timestamp": "a while ago"}), ["time"]),
        ("locked\n", ["owner", "time"]),
        ("", ["owner", "time"]),
        ("[1, 2]", ["owner", "time"]),
    ],
)
def test_lock_not_stale_names_what_is_wrong(text: str, subjects: list[str]) -> None:
    """Too old, from the future, without an owner, without a time that can be read."""
    assert find_subjects(lock_not_stale, MemoryWorld(files={LOCK: text})) == [
        f"{LOCK} {subject}" for subject in subjects
    ]


def test_lock_not_stale_takes_the_limit_from_the_configuration() -> None:
    """A lock of an hour may be young."""
    world = MemoryWorld(files={LOCK: json.dumps({"agent": "heron", "timestamp": "2026-03-04T04:06:00Z"})})
    assert len(judge(lock_not_stale, world)) == 1
    world.overrides["tdd.lock_stale_minutes"] = 90
    assert judge(lock_not_stale, world) == []


CYCLE = ("PLAN", "RED", "GREEN", "REFACTOR")


def test_phase_order_legal_passes_two_cycles_and_the_end() -> None:
    """REFACTOR leads to the next PLAN, or to the end."""
    first = [note(phase) for phase in CYCLE]
    second = [note(phase, cycleNumber=2) for phase in CYCLE[:3]]
    last = [note("REFACTOR", cycleNumber=2, nextPhase="COMPLETE"), note("COMPLETE", cycleNumber=2)]
    assert judge(phase_order_legal, cycle_world([*first, *second, *last])) == []


def test_phase_order_legal_allows_a_phase_to_be_tried_again() -> None:
    """GREEN that failed may announce GREEN and come again."""
    again = note("GREEN", nextPhase="GREEN", testResult="FAIL", retryCount=1)
    assert judge(phase_order_legal, cycle_world([note("PLAN"), note("RED"), again, again])) == []


@pytest.mark.parametrize(
    ("phases", "subject", "expected", "position"),
    [
        (("PLAN", "GREEN"), "TDD-1 GREEN follows PLAN", "COMPLETE or RED", 1),
        (("PLAN", "RED", "REFACTOR"), "TDD-1 REFACTOR follows RED", "GREEN", 2),
        (("PLAN", "RED", "GREEN", "RED"), "TDD-1 RED follows GREEN", "REFACTOR", 3),
        (("GREEN",), "TDD-1 GREEN comes first", "PLAN", 0),
    ],
)
def test_phase_order_legal_names_a_step_out_of_order(
    phases: tuple[str, ...], subject: str, expected: str, position: int
) -> None:
    """With the note that should not have come, and what should."""
    (found,) = judge(phase_order_legal, cycle_world([note(phase) for phase in phases]))
    assert (found.subject, found.expected) == (subject, expected)
    assert (found.place and found.place.path) == note_path(position)


def test_phase_order_legal_looks_across_cycles() -> None:
    """A cycle that was left in GREEN may not be followed by the RED of the next."""
    notes = [*(note(phase) for phase in CYCLE[:3]), note("RED", cycleNumber=2)]
    assert find_subjects(phase_order_legal, cycle_world(notes)) == ["TDD-2 RED follows GREEN"]
    assert judge(phase_order_legal, cycle_world(notes), scope="TDD-1") == []


def test_phase_order_legal_does_not_guess_where_history_was_cut() -> None:
    """The first note that is seen need not be the first that was made."""
    world = cycle_world([note("RED"), note("GREEN")])
    assert len(judge(phase_order_legal, world)) == 1
    world.repository = world.repository.model_copy(update={"shallow": True})
    assert judge(phase_order_legal, world) == []


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        ({"nextPhase": "COMPLETE"}, "TDD-1 COMPLETE is to follow RED"),
        ({"nextPhase": "BLUE"}, "TDD-1 the next phase BLUE is none"),
        ({"phase": "BLUE"}, "TDD-1 BLUE is not a phase"),
    ],
)
def test_phase_order_legal_reads_what_is_announced(fields: dict[str, object], subject: str) -> None:
    """A next phase that may not come, and words that aren't phases."""
    found = judge(phase_order_legal, cycle_world([note("PLAN"), {**note("RED"), **fields}]))
    assert subject in [entry.subject for entry in found]


def test_phase_order_legal_follows_the_files_of_the_history() -> None:
    """Without notes the files of the history and the present one form a chain."""
    files: dict[str, str | bytes] = {
        ".handoff/history/001.json": json.dumps(note("PLAN")),
        ".handoff/current.json": json.dumps(note("GREEN")),
    }
    assert find_subjects(phase_order_legal, MemoryWorld(files=files)) == ["TDD-1 GREEN follows PLAN"]
    files[".handoff/history/002.json"] = json.dumps(note("RED"))
    assert judge(phase_order_legal, MemoryWorld(files=files)) == []


def failed_green(count: int) -> dict[str, object]:
    return note("GREEN", nextPhase="GREEN", testResult="FAIL", retryCount=count)


@pytest.mark.parametrize("count", [0, 3, "2"])
def test_retry_budget_kept_passes_within_the_budget(count: object) -> None:
    """Up to three retries after the first attempt."""
    assert judge(retry_budget_kept, cycle_world([note("PLAN"), note("RED"), note("GREEN", retryCount=count)])) == []


def test_retry_budget_kept_stops_beyond_it() -> None:
    """The fourth retry is a person's decision."""
    (found,) = judge(retry_budget_kept, cycle_world([note("RED"), failed_green(4)]))
    assert (found.subject, found.actual) == ("TDD-1 GREEN retries", "4")
    assert "a person must decide" in found.message
    assert (found.place and found.place.path) == note_path(1)


def test_retry_budget_kept_takes_the_budget_from_the_configuration() -> None:
    """With none, the first retry is one too many."""
    world = cycle_world([note("RED"), failed_green(1)])
    assert judge(retry_budget_kept, world) == []
    world.overrides["tdd.retry_budget"] = 0
    assert find_subjects(retry_budget_kept, world) == ["TDD-1 GREEN retries"]


def test_retry_budget_kept_counts_the_steps_themselves() -> None:
    """A count that stays at zero hides neither tries nor failures."""
    world = cycle_world([note("PLAN"), note("RED"), *(failed_green(0) for _ in range(5))])
    assert [(found.subject, found.actual) for found in judge(retry_budget_kept, world)] == [
        ("TDD-1 GREEN failures", "5"),
        ("TDD-1 GREEN tries", "4"),
    ]


def test_retry_budget_kept_calls_a_person_after_failures_in_a_row() -> None:
    """Three failed tries, though the budget would allow one more."""
    world = cycle_world([note("RED"), *(failed_green(count) for count in range(3))])
    assert find_subjects(retry_budget_kept, world) == ["TDD-1 GREEN failures"]
    assert judge(retry_budget_kept, cycle_world([note("RED"), failed_green(0), failed_green(1)])) == []


def test_retry_budget_kept_does_not_count_red_as_failure() -> None:
    """A test that is written three times failed three times as it should."""
    assert judge(retry_budget_kept, cycle_world([note("RED") for _ in range(3)])) == []


def test_retry_budget_kept_refuses_a_count_that_is_none() -> None:
    """Words count nothing, so they do not pass as zero."""
    assert find_subjects(retry_budget_kept, cycle_world([note("GREEN", retryCount="many")])) == ["TDD-1 retry count"]


@pytest.mark.parametrize("subject", ["feat: whistle", "fix: whistle", "feat(steam): whistle", "fix!: whistle", "feat:"])
def test_commit_prefix_fits_phase_accepts_either_word_and_a_scope(subject: str) -> None:
    """GREEN may be a feature or a fix."""
    assert judge(commit_prefix_fits_phase, cycle_world([note("GREEN")], subjects=[subject])) == []


@pytest.mark.parametrize("subject", ["test: whistle", "feature: whistle", "Whistle", "refeat: x", "feat whistle", ""])
def test_commit_prefix_fits_phase_names_a_commit_that_does_not(subject: str) -> None:
    """Another word, a longer word, no colon, nothing."""
    (found,) = judge(commit_prefix_fits_phase, cycle_world([note("GREEN")], subjects=[subject]))
    assert (found.subject, found.expected, found.actual) == (f"commit {commit_id(0)}", "feat: or fix:", subject)
    assert (found.place and found.place.path) == note_path(0)


def test_commit_prefix_fits_phase_reads_trailers_too() -> None:
    """A phase told by the commit's own trailer."""
    subject = "add whistle"
    body = f"{subject}\n\nTDD-Phase: GREEN\nTDD-Cycle: 1\n"
    name = commit_id(0)
    world = MemoryWorld(
        shelf=MemoryFiles({}, git_commits=(build_commit(name, subject, body, "Ada", "2031-01-01"),)),
        log=(CommitInfo(name, (), "Ada", "ada@example.com", "2031-01-01", subject, body),),
    )
    assert find_subjects(commit_prefix_fits_phase, world) == [f"commit {name}"]


def test_commit_prefix_fits_phase_needs_an_annotated_commit() -> None:
    """Its commits must be among the newest."""
    old = cycle_world([note("GREEN")])
    old.log = ()
    with pytest.raises(NotApplicableError):
        judge(commit_prefix_fits_phase, old)


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
    assert judge(test_list_consistent, list_world(text)) == []


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
    (found,) = judge(test_list_consistent, list_world(text))
    assert found.subject == subject
    assert str(found.place) == f"test-list.md:{line}"


def test_test_list_consistent_names_a_test_that_the_list_lacks() -> None:
    """A test of the step without a box."""
    (found,) = judge(test_list_consistent, list_world(LIST.replace("- [ ] switches off\n", "")))
    assert found.subject == "TDD-1 switches off"
    assert (found.place and found.place.path) == note_path(1)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"completedTests": ["boils", "switches off"]}, "is both completed and pending"),
        ({"pendingTests": ["switches off", "Switches off."]}, "is listed twice"),
    ],
)
def test_test_list_consistent_names_a_test_in_two_places(fields: dict[str, object], problem: str) -> None:
    """Without any list, too."""
    (found,) = judge(test_list_consistent, cycle_world([note("RED", **fields)]))
    assert problem in found.message


def test_test_list_consistent_needs_tests() -> None:
    """Not steps that name none."""
    with pytest.raises(NotApplicableError):
        judge(test_list_consistent, cycle_world([note("RED", completedTests=[], pendingTests=[])]))


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (red_has_one_failing_test, cycle_world([note("PLAN")])),
        (green_has_no_failing_test, MemoryWorld(files={".tdd-queue.log": "GREEN done, next: refactor\n"})),
        (green_has_no_failing_test, cycle_world(START)),
        (lock_not_stale, cycle_world([note("RED")])),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
