"""Results of a builder beside their own numbers."""

from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.builder.counts import (
    dropped_counts_explained,
    minimum_tests_reached,
    no_new_failures,
    status_matches_its_numbers,
)
from handoff_tui.checks.rules.builder.document_shape import (
    baseline_recorded,
    clean_room_recorded,
    full_regression_recorded,
    reviewer_checklist_complete,
)
from handoff_tui.core.place import CheckMoment
from tests.support.builder_story import (
    MANIFEST,
    SOURCE,
    build_changed_results,
    build_manifest,
    build_results,
    build_spec,
    build_world,
    results_path,
    spec_path,
)
from tests.support.world import MemoryWorld, find_subjects, judge

_REGRESSION = "- Total: 20 tests\n- Passed: 20\n- Failed: 0\n- Skipped: 0\n"


def _subjects(old: str, new: str) -> list[str]:
    return find_subjects(status_matches_its_numbers, build_changed_results(old, new))


@pytest.mark.parametrize("status", ["PASS", "PASS (with pre-existing failures)", "**PASS**"])
def test_status_pass_with_failures_is_found(status: str) -> None:
    """Whatever is said about them: the numbers report failures."""
    world = build_changed_results(_REGRESSION, "- Total: 20 tests\n- Passed: 17\n- Failed: 3\n- Skipped: 0\n")
    text = str(world.files[results_path("H-5")]).replace("## Status: PASS", f"## Status: {status}")
    [found] = judge(status_matches_its_numbers, build_world({results_path("H-5"): text}))
    assert (found.subject, found.place and found.place.line) == ("H-5 regression.failed", 26)
    assert found.actual == "total 20, passed 17, failed 3, skipped 0"


@pytest.mark.parametrize(
    "numbers",
    [
        "- Total: 21 tests\n- Passed: 20\n- Failed: 0\n- Skipped: 0\n",
        "- Total: 20 tests\n- Passed: 15\n",
        "- Total: 20 tests\n- Passed: 22\n",
    ],
)
def test_status_with_numbers_that_do_not_add_up_is_found(numbers: str) -> None:
    """Too few parts, tests that nobody accounts for, more passed than there are."""
    assert _subjects(_REGRESSION, numbers) == ["H-5 regression.sum"]


def test_status_without_a_regression_is_found() -> None:
    """PASS needs the numbers; a collection that was interrupted has none."""
    assert _subjects(_REGRESSION, "- Passed: N/A (collection interrupted)\n") == ["H-5 regression"]
    assert _subjects(_REGRESSION, "- Total: 20\n- Passed: N/A\n") == ["H-5 regression.passed"]
    skipped = "- Total: 20\n- Passed: 0\n- Failed: 0\n- Skipped: 20\n"
    assert _subjects(_REGRESSION, skipped) == ["H-5 regression.passed"]


@pytest.mark.parametrize("status", ["## Status: PASS | FAIL | PARTIAL", "## Status: splendid", "## State of things"])
def test_status_that_cannot_be_read_is_found(status: str) -> None:
    """The choice of the template, a word that isn't a status, none at all."""
    assert _subjects("## Status: PASS", status) == ["H-5 status"]


def test_status_of_another_vocabulary_is_found() -> None:
    """COMPLETE isn't a status of results, and hides no failures."""
    found = build_changed_results(_REGRESSION, "- Total: 20\n- Passed: 18\n- Failed: 2\n")
    text = str(found.files[results_path("H-5")]).replace("## Status: PASS", "## Status: COMPLETE")
    subjects = find_subjects(status_matches_its_numbers, build_world({results_path("H-5"): text}))
    assert subjects == ["H-5 status", "H-5 regression.failed"]


def test_status_pass_with_a_failed_gate_is_found() -> None:
    """A gate that the results themselves report as failed."""
    gate = "## Gate Check Results\n- G3: FAIL (2 chains)\n\n## Issues Encountered"
    assert _subjects("## Issues Encountered", gate) == ["H-5 check G3"]


def test_status_needs_results() -> None:
    """A spec alone has no status; results that are empty cannot be judged."""
    with pytest.raises(NotApplicableError):
        judge(status_matches_its_numbers, build_world({results_path("H-5"): None}))
    assert find_subjects(status_matches_its_numbers, build_world({results_path("H-5"): ""})) == [
        f"unreadable {results_path('H-5')}"
    ]


_SHORT = "# RESULTS HANDOFF-9: Lamp\n\n## Status: PASS\n\n## Test Results\n\n5 passed, 0 failed\n"
_STANDARD = (full_regression_recorded, baseline_recorded, clean_room_recorded, reviewer_checklist_complete)


def test_later_standard_does_not_judge_documents_of_an_earlier_one() -> None:
    """Flat results need no section of the later standard; their own numbers still count."""
    world = MemoryWorld({"handoffs/RESULTS_HANDOFF_9.md": _SHORT})
    assert judge(status_matches_its_numbers, world) == []
    for rule in _STANDARD:
        with pytest.raises(NotApplicableError, match="earlier standard"):
            judge(rule, world)
    failing = MemoryWorld({"handoffs/RESULTS_HANDOFF_9.md": _SHORT.replace("0 failed", "2 failed")})
    assert find_subjects(status_matches_its_numbers, failing) == ["H-9 package.failed"]


def test_results_beside_a_spec_of_the_standard_are_judged_by_it() -> None:
    """An agent cannot choose the earlier standard: the spec says which one it is."""
    world = MemoryWorld({"handoffs/H-9/H-9_SPEC.md": build_spec("H-9"), "handoffs/RESULTS_HANDOFF_9.md": _SHORT})
    assert find_subjects(clean_room_recorded, world)


def test_flat_results_after_a_handoff_of_the_standard_are_judged_by_it() -> None:
    """Results alone cannot choose the earlier standard once the repository has moved on; older ones are let be."""
    files = {"handoffs/H-12/H-12_SPEC.md": build_spec("H-12"), "handoffs/RESULTS_HANDOFF_9.md": _SHORT}
    late = _SHORT.replace("HANDOFF-9", "HANDOFF-14")
    found = find_subjects(clean_room_recorded, MemoryWorld({**files, "handoffs/RESULTS_HANDOFF_14.md": late}))
    assert {subject.split()[0] for subject in found} == {"H-14"}


_OWN = "- Total: 12 tests\n- Passed: 12\n- Failed: 0\n- Skipped: 0\n"


def _with_sources(number: int, tests: int) -> MemoryWorld:
    files = {f"part_{n}.py": SOURCE for n in range(number)} | {"tests/test_all.py": "", "plan.json": "{}"}
    numbers = f"- Total: {tests} tests\n- Passed: {tests}\n- Failed: 0\n- Skipped: 0\n"
    text = build_results("H-5").replace(_OWN, numbers)
    return build_world({MANIFEST: build_manifest("PKG-LAMP-001", files), results_path("H-5"): text})


@pytest.mark.parametrize(("sources", "tests"), [(1, 10), (2, 10), (3, 25), (5, 25), (6, 40), (9, 40)])
def test_tests_by_size(sources: int, tests: int) -> None:
    """Just enough passes, one fewer does not."""
    assert judge(minimum_tests_reached, _with_sources(sources, tests)) == []
    [found] = judge(minimum_tests_reached, _with_sources(sources, tests - 1))
    assert found.expected is not None
    assert f"at least {tests}: PKG-LAMP-001 is" in found.expected
    assert f"{sources} source files" in found.expected


def test_tests_that_are_skipped_do_not_count() -> None:
    """A test that does not run tests nothing."""
    world = build_changed_results(_OWN, "- Total: 12 tests\n- Passed: 9\n- Failed: 0\n- Skipped: 3\n")
    [found] = judge(minimum_tests_reached, world)
    assert "ran 9 tests" in found.message


def test_source_called_a_test_is_still_source() -> None:
    """The path says what a file is, not the label in the manifest."""
    world = _with_sources(3, 10)
    world.files[MANIFEST] = str(world.files[MANIFEST]).replace('"library"', '"test"')
    assert len(judge(minimum_tests_reached, world)) == 1


def test_packages_that_are_only_mentioned_need_no_tests() -> None:
    """A cleanup that changes no package has nothing to test; what its spec plans to change counts."""
    text = build_results("H-5").replace("- `PKG-LAMP-001/lamp.py`", "- NONE for PKG-LAMP-001;").replace(_OWN, "- N/A\n")
    with pytest.raises(NotApplicableError):
        judge(minimum_tests_reached, build_world({results_path("H-5"): text}))
    plan = "\n| File | Location | Action |\n|---|---|---|\n| `lamp.py` | `PKG-LAMP-001/` | CREATE |\n"
    world = build_world({results_path("H-5"): text, spec_path("H-5"): build_spec("H-5") + plan})
    assert len(judge(minimum_tests_reached, world)) == 1


def _results(handoff: str, failed: int) -> str:
    numbers = f"- Total: 20 tests\n- Passed: {20 - failed}\n- Failed: {failed}\n- Skipped: 0\n"
    return build_results(handoff).replace(_REGRESSION, numbers)


def _chain(*failures: int | None) -> MemoryWorld:
    """H-1, H-2, … each built on the one before, with so many failures, or without results."""
    files: dict[str, str | bytes] = {}
    for number, failed in enumerate(failures, start=1):
        name = f"H-{number}"
        files[spec_path(name)] = build_spec(name, f"H-{number - 1}" if number > 1 else "")
        if failed is not None:
            files[results_path(name)] = _results(name, failed)
    return MemoryWorld(files=files)


def test_more_failures_than_before_are_found() -> None:
    """Compared with the nearest handoff that has numbers."""
    [found] = judge(no_new_failures, _chain(0, 2))
    assert (found.subject, found.expected) == ("H-2 regression.failed", "at most 0 failed, as in H-1")
    [behind] = judge(no_new_failures, _chain(1, None, 4), scope="H-3")
    assert behind.message == "H-3 has 3 more failures than H-1, on which it builds"


def test_failures_are_compared_with_the_newest_of_several() -> None:
    """One that another dependency builds on is older; of equals the strictest counts."""
    world = _chain(0, 2, 2)
    world.files[spec_path("H-3")] = build_spec("H-3", "H-1, H-2")
    assert find_subjects(no_new_failures, world, scope="H-3") == []
    world = _chain(0, 2, 2)
    world.files[spec_path("H-2")] = build_spec("H-2")
    world.files[spec_path("H-3")] = build_spec("H-3", "H-1, H-2")
    assert find_subjects(no_new_failures, world, scope="H-3") == ["H-3 regression.failed"]


def test_failures_that_are_told_are_found() -> None:
    """A list, and a NONE that is taken back; `NONE observed` is none."""
    line = "- New failures introduced by this agent: NONE\n"
    for told in ("test_wick, test_oil", "NONE except test_wick", "(see notes)"):
        world = build_changed_results(line, f"- New failures introduced by this agent: {told}\n")
        [found] = judge(no_new_failures, world)
        assert found.actual == told
    listed = build_changed_results(line, "- New failures introduced by this agent:\n  - test_wick\n")
    assert [found.actual for found in judge(no_new_failures, listed)] == ["test_wick"]
    chain = _chain(0, 0)
    text = str(chain.files[results_path("H-2")])
    chain.files[results_path("H-2")] = text.replace(": NONE\n", ": NONE observed in the packages touched.\n")
    assert judge(no_new_failures, chain) == []


def test_failures_without_anything_earlier_are_found() -> None:
    """Nothing shows that they are old, whatever the results say."""
    [found] = judge(no_new_failures, _chain(2))
    assert "no earlier numbers" in found.message


def test_handoffs_that_wait_for_each_other_end() -> None:
    """A circle of dependencies is compared all the same."""
    world = _chain(0, 1)
    world.files[spec_path("H-1")] = build_spec("H-1", "H-2")
    assert find_subjects(no_new_failures, world) == ["H-2 regression.failed"]


def _world(*, tests: int = 20, packages: int = 3, notes: str = "- Nothing special.") -> MemoryWorld:
    """H-2 on H-1, which had 20 tests and 3 packages."""
    later = build_results("H-2", tests, packages).replace("- Nothing special.", notes)
    return MemoryWorld(
        files={
            spec_path("H-1"): build_spec("H-1"),
            results_path("H-1"): build_results("H-1", 20, 3),
            spec_path("H-2"): build_spec("H-2", "H-1"),
            results_path("H-2"): later,
        }
    )


def test_counts_that_dropped_without_a_word_are_found() -> None:
    """Tests and packages, each by itself."""
    found = judge(dropped_counts_explained, _world(tests=16, packages=2))
    assert [one.subject for one in found] == ["H-2 tests", "H-2 packages"]
    assert found[0].message == "H-2 has 4 tests fewer than H-1 had, and does not explain it"
    assert (found[0].actual, found[0].place and found[0].place.path) == ("16 tests", results_path("H-2"))


@pytest.mark.parametrize(
    "notes",
    [
        "- 4 tests were removed with the wick.",
        "- Baseline drop: 20 → 16 tests.",
        "- The tests of PKG-WICK-001 were deleted,\n  because nobody needs them; no other test changed.",
        "- The tests dropped from 20, for they were no longer needed.",
    ],
)
def test_drop_that_is_explained_passes(notes: str) -> None:
    """What went is named, by number or by package."""
    assert judge(dropped_counts_explained, _world(tests=16, notes=notes)) == []


@pytest.mark.parametrize(
    "notes",
    [
        "- No tests were removed.",
        "- The 20 tests are faster now.",
        "- Dead code was removed.",
        "- Some tests were removed.",
        "- 4 packages were removed.",
        "- 3 tests were dropped.",
    ],
)
def test_drop_that_is_not_explained_is_found(notes: str) -> None:
    """A denial, a word in passing, another thing, no number, a number of something else."""
    assert find_subjects(dropped_counts_explained, _world(tests=16, notes=notes)) == ["H-2 tests"]


def test_drop_in_the_regression_counts_where_the_baseline_is_silent() -> None:
    """Leaving the number out of the baseline hides nothing."""
    world = _world(tests=16)
    text = str(world.files[results_path("H-2")])
    world.files[results_path("H-2")] = text.replace("- Total tests (all staged): 16\n", "")
    assert find_subjects(dropped_counts_explained, world) == ["H-2 tests"]


@pytest.mark.parametrize(
    ("rule", "world", "reason"),
    [
        (no_new_failures, build_world(), r"no earlier numbers .*: H-5"),
        (no_new_failures, build_world({results_path("H-5"): None}), "has results yet"),
        (dropped_counts_explained, build_world(), r"no earlier baseline .*: H-5"),
        (dropped_counts_explained, build_world({results_path("H-5"): None}), "has results yet"),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld, reason: str) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match=reason):
        judge(rule, world)


def _subjects_regression(old: str, new: str) -> list[str]:
    return find_subjects(full_regression_recorded, build_changed_results(old, new))


def test_regression_that_is_only_mentioned_is_found() -> None:
    """The words are there, the numbers are not."""
    assert _subjects_regression(_REGRESSION, "The full regression was run and all is well.\n") == ["H-5 regression"]


def test_regression_with_gaps_is_found() -> None:
    """A collection that was interrupted, no command, no word on new failures."""
    assert _subjects_regression(_REGRESSION, "- Total: 20\n- Passed: N/A (interrupted)\n- Failed: 2\n") == [
        "H-5 regression.passed"
    ]
    assert _subjects_regression("- Command: `pytest`\n", "") == ["H-5 regression.command"]
    assert _subjects_regression("- New failures introduced by this agent: NONE\n", "") == ["H-5 new failures"]


def test_regression_smaller_than_the_package_is_found() -> None:
    """All packages cannot have fewer tests than one."""
    assert _subjects_regression(_REGRESSION, "- Total: 8\n- Passed: 8\n- Failed: 0\n") == ["H-5 regression.total"]


def test_regression_over_some_packages_is_found() -> None:
    """A command that names packages must name as many as the baseline has; left out ones do not count."""
    text = build_results("H-5", packages=3)
    named = text.replace("- Command: `pytest`", "- Command: `pytest PKG-LAMP-001 PKG-OIL-001 --ignore=PKG-OIL-002`")
    [found] = judge(full_regression_recorded, build_world({results_path("H-5"): named}))
    assert (found.subject, found.actual) == ("H-5 regression.packages", "PKG-LAMP-001, PKG-OIL-001")
    every = text.replace("- Command: `pytest`", "- Command: `pytest PKG-LAMP-001 PKG-OIL-001 PKG-OIL-002`")
    assert judge(full_regression_recorded, build_world({results_path("H-5"): every})) == []


_BASELINE = "- Packages installed: 1\n- Total tests (all staged): 20\n"


def _subjects_baseline(new: str) -> list[str]:
    return find_subjects(baseline_recorded, build_changed_results(_BASELINE, new))


def test_baseline_with_gaps_is_found() -> None:
    """No numbers, one number, no package at all."""
    assert _subjects_baseline("- As before.\n") == ["H-5 baseline.packages", "H-5 baseline.tests"]
    assert _subjects_baseline("- Packages installed: N\n- Total tests (all staged): 20\n") == ["H-5 baseline.packages"]
    assert _subjects_baseline("- Packages installed: 0\n- Total tests (all staged): 20\n") == ["H-5 baseline.packages"]


def test_baseline_below_its_own_regression_is_found() -> None:
    """There cannot be fewer tests than were run."""
    [found] = judge(
        baseline_recorded, build_changed_results(_BASELINE, "- Packages installed: 1\n- Total tests (all staged): 19\n")
    )
    assert (found.subject, found.expected, found.actual) == ("H-5 baseline.tests", "at least 20 tests", "19 tests")
    assert found.place is not None
    assert found.place.line is not None


_ROOM = """- Packages installed: 1
- Install order: PKG-LAMP-001
- All tests pass after each install: YES
"""


def _subjects_clean_room(old: str, new: str) -> list[str]:
    return find_subjects(clean_room_recorded, build_changed_results(old, new))


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


def _items(world: MemoryWorld, scope: str | None = None) -> list[int]:
    found = judge(reviewer_checklist_complete, world, scope)
    return [int(one.subject.rpartition(" ")[2]) for one in found]


def test_checklist_that_is_met_passes() -> None:
    """It is asked at the gate."""
    assert judge(reviewer_checklist_complete, build_world()) == []
    assert reviewer_checklist_complete.moments == (CheckMoment.GATE,)


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
        judge(reviewer_checklist_complete, world)


@pytest.fixture
def context() -> Context:
    return Context(Answers(MemoryWorld()))


@pytest.mark.parametrize(
    "rule",
    [
        *(status_matches_its_numbers, no_new_failures, dropped_counts_explained),
        *(full_regression_recorded, baseline_recorded, clean_room_recorded),
    ],
)
def test_rule_needs_results(rule: Rule) -> None:
    """Without results it is skipped; empty ones are found."""
    with pytest.raises(NotApplicableError):
        judge(rule, build_world({results_path("H-5"): None}))
    assert len(judge(rule, build_world({results_path("H-5"): ""}))) == 1


@pytest.mark.parametrize(
    "rule", [status_matches_its_numbers, full_regression_recorded, baseline_recorded, clean_room_recorded]
)
def test_results_of_the_standard_pass(rule: Rule) -> None:
    """Numbers that add up, a regression, a baseline and a clean room."""
    assert judge(rule, build_world()) == []


def test_rule_on_sizes_fails_on_a_broken_manifest() -> None:
    """The size of the package is not known."""
    assert find_subjects(minimum_tests_reached, build_world({MANIFEST: "{"})) == [f"unreadable {MANIFEST}"]
