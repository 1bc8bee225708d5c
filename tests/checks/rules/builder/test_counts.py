"""A status beside its own numbers."""

from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.builder.counts import (
    DROPPED_COUNTS_EXPLAINED,
    MINIMUM_TESTS_REACHED,
    NO_NEW_FAILURES,
    STATUS_MATCHES_ITS_NUMBERS,
)
from handoff_tui.checks.rules.builder.earlier_handoffs import find_earlier
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.handoff import Handoff
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
    return find_subjects(STATUS_MATCHES_ITS_NUMBERS, build_changed_results(old, new))


def test_status_that_fits_passes() -> None:
    """PASS without failures, and numbers that add up."""
    assert judge(STATUS_MATCHES_ITS_NUMBERS, build_world()) == []


@pytest.mark.parametrize("status", ["PASS", "PASS (with pre-existing failures)", "**PASS**"])
def test_status_pass_with_failures_is_found(status: str) -> None:
    """Whatever is said about them: the numbers report failures."""
    world = build_changed_results(_REGRESSION, "- Total: 20 tests\n- Passed: 17\n- Failed: 3\n- Skipped: 0\n")
    text = str(world.files[results_path("H-5")]).replace("## Status: PASS", f"## Status: {status}")
    [found] = judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): text}))
    assert (found.subject, found.place and found.place.line) == ("H-5 regression.failed", 26)
    assert found.actual == "total 20, passed 17, failed 3, skipped 0"


def test_status_fail_with_failures_passes() -> None:
    """That is what the numbers say."""
    world = build_changed_results(_REGRESSION, "- Total: 20 tests\n- Passed: 17\n- Failed: 3\n- Skipped: 0\n")
    text = str(world.files[results_path("H-5")]).replace("## Status: PASS", "## Status: FAIL")
    assert judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): text})) == []


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
    """The choice of the template, a word that is no status, none at all."""
    assert _subjects("## Status: PASS", status) == ["H-5 status"]


def test_status_of_another_vocabulary_is_found() -> None:
    """COMPLETE is no status of results, and hides no failures."""
    found = build_changed_results(_REGRESSION, "- Total: 20\n- Passed: 18\n- Failed: 2\n")
    text = str(found.files[results_path("H-5")]).replace("## Status: PASS", "## Status: COMPLETE")
    subjects = find_subjects(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): text}))
    assert subjects == ["H-5 status", "H-5 regression.failed"]


def test_status_pass_with_a_failed_gate_is_found() -> None:
    """A gate that the results themselves report as failed."""
    gate = "## Gate Check Results\n- G3: FAIL (2 chains)\n\n## Issues Encountered"
    assert _subjects("## Issues Encountered", gate) == ["H-5 check G3"]


def test_status_needs_results() -> None:
    """A spec alone has no status; results that are empty cannot be judged."""
    with pytest.raises(NotApplicableError):
        judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): None}))
    found = judge(STATUS_MATCHES_ITS_NUMBERS, build_world({results_path("H-5"): ""}))
    assert [one.subject for one in found] == [f"unreadable {results_path('H-5')}"]


_OWN = "- Total: 12 tests\n- Passed: 12\n- Failed: 0\n- Skipped: 0\n"


def _with_sources(number: int, tests: int) -> MemoryWorld:
    files = {f"part_{n}.py": SOURCE for n in range(number)} | {"tests/test_all.py": "", "plan.json": "{}"}
    numbers = f"- Total: {tests} tests\n- Passed: {tests}\n- Failed: 0\n- Skipped: 0\n"
    text = build_results("H-5").replace(_OWN, numbers)
    return build_world({MANIFEST: build_manifest("PKG-LAMP-001", files), results_path("H-5"): text})


@pytest.mark.parametrize(("sources", "tests"), [(1, 10), (2, 10), (3, 25), (5, 25), (6, 40), (9, 40)])
def test_tests_by_size(sources: int, tests: int) -> None:
    """Just enough passes, one fewer does not."""
    assert judge(MINIMUM_TESTS_REACHED, _with_sources(sources, tests)) == []
    [found] = judge(MINIMUM_TESTS_REACHED, _with_sources(sources, tests - 1))
    assert found.expected is not None
    assert f"at least {tests}: PKG-LAMP-001 is" in found.expected
    assert f"{sources} source files" in found.expected


def test_tests_thresholds_come_from_the_configuration() -> None:
    """Other suffixes, other sizes."""
    world = _with_sources(9, 10)
    world.overrides["builder.source_suffixes"] = (".json",)
    assert judge(MINIMUM_TESTS_REACHED, world) == []


def test_tests_that_are_skipped_do_not_count() -> None:
    """A test that does not run tests nothing."""
    world = build_changed_results(_OWN, "- Total: 12 tests\n- Passed: 9\n- Failed: 0\n- Skipped: 3\n")
    [found] = judge(MINIMUM_TESTS_REACHED, world)
    assert "ran 9 tests" in found.message


def test_source_called_a_test_is_still_source() -> None:
    """The path says what a file is, not the label in the manifest."""
    world = _with_sources(3, 10)
    world.files[MANIFEST] = str(world.files[MANIFEST]).replace('"library"', '"test"')
    assert len(judge(MINIMUM_TESTS_REACHED, world)) == 1


def test_tests_that_are_not_counted_are_found() -> None:
    """No number is not enough tests."""
    [found] = judge(MINIMUM_TESTS_REACHED, build_changed_results(_OWN, "- N/A\n"))
    assert found.actual == "no numbers"


def test_packages_that_are_only_mentioned_need_no_tests() -> None:
    """A cleanup that changes no package has nothing to test; what its spec plans to change counts."""
    text = build_results("H-5").replace("- `PKG-LAMP-001/lamp.py`", "- NONE for PKG-LAMP-001;").replace(_OWN, "- N/A\n")
    with pytest.raises(NotApplicableError):
        judge(MINIMUM_TESTS_REACHED, build_world({results_path("H-5"): text}))
    plan = "\n| File | Location | Action |\n|---|---|---|\n| `lamp.py` | `PKG-LAMP-001/` | CREATE |\n"
    world = build_world({results_path("H-5"): text, spec_path("H-5"): build_spec("H-5") + plan})
    assert len(judge(MINIMUM_TESTS_REACHED, world)) == 1


def test_tests_rule_fails_on_a_broken_manifest() -> None:
    """The size of the package is not known."""
    found = judge(MINIMUM_TESTS_REACHED, build_world({MANIFEST: "{"}))
    assert [one.subject for one in found] == [f"unreadable {MANIFEST}"]


_NUMBERS = "- Total: 20 tests\n- Passed: 20\n- Failed: 0\n- Skipped: 0\n"


def _results(handoff: str, failed: int) -> str:
    numbers = f"- Total: 20 tests\n- Passed: {20 - failed}\n- Failed: {failed}\n- Skipped: 0\n"
    return build_results(handoff).replace(_NUMBERS, numbers)


def _chain(*failures: int | None) -> MemoryWorld:
    """H-1, H-2, … each built on the one before, with so many failures, or without results."""
    files: dict[str, str | bytes] = {}
    for number, failed in enumerate(failures, start=1):
        name = f"H-{number}"
        files[spec_path(name)] = build_spec(name, f"H-{number - 1}" if number > 1 else "")
        if failed is not None:
            files[results_path(name)] = _results(name, failed)
    return MemoryWorld(files=files)


def test_failures_as_before_pass() -> None:
    """Old failures are no new ones, and fewer are welcome."""
    assert judge(NO_NEW_FAILURES, _chain(0, 0)) == []
    assert judge(NO_NEW_FAILURES, _chain(3, 2), scope="H-2") == []


def test_more_failures_than_before_are_found() -> None:
    """Compared with the nearest handoff that has numbers."""
    [found] = judge(NO_NEW_FAILURES, _chain(0, 2))
    assert (found.subject, found.expected) == ("H-2 regression.failed", "at most 0 failed, as in H-1")
    [behind] = judge(NO_NEW_FAILURES, _chain(1, None, 4), scope="H-3")
    assert behind.message == "H-3 has 3 more failures than H-1, on which it builds"


def test_failures_are_compared_with_the_newest_of_several() -> None:
    """One that another dependency builds on is older; of equals the strictest counts."""
    world = _chain(0, 2, 2)
    world.files[spec_path("H-3")] = build_spec("H-3", "H-1, H-2")
    assert find_subjects(NO_NEW_FAILURES, world, scope="H-3") == []
    world = _chain(0, 2, 2)
    world.files[spec_path("H-2")] = build_spec("H-2")
    world.files[spec_path("H-3")] = build_spec("H-3", "H-1, H-2")
    assert find_subjects(NO_NEW_FAILURES, world, scope="H-3") == ["H-3 regression.failed"]


def test_failures_that_are_told_are_found() -> None:
    """A list, and a NONE that is taken back; `NONE observed` is none."""
    line = "- New failures introduced by this agent: NONE\n"
    for told in ("test_wick, test_oil", "NONE except test_wick", "(see notes)"):
        world = build_changed_results(line, f"- New failures introduced by this agent: {told}\n")
        [found] = judge(NO_NEW_FAILURES, world)
        assert found.actual == told
    listed = build_changed_results(line, "- New failures introduced by this agent:\n  - test_wick\n")
    assert [found.actual for found in judge(NO_NEW_FAILURES, listed)] == ["test_wick"]
    chain = _chain(0, 0)
    text = str(chain.files[results_path("H-2")])
    chain.files[results_path("H-2")] = text.replace(": NONE\n", ": NONE observed in the packages touched.\n")
    assert judge(NO_NEW_FAILURES, chain) == []


def test_failures_without_anything_earlier_are_found() -> None:
    """Nothing shows that they are old, whatever the results say."""
    [found] = judge(NO_NEW_FAILURES, _chain(2))
    assert "no earlier numbers" in found.message


def test_failures_in_empty_results_are_found() -> None:
    """What cannot be read rules nothing out."""
    assert len(judge(NO_NEW_FAILURES, build_world({results_path("H-5"): ""}))) == 1


def test_handoffs_that_wait_for_each_other_end() -> None:
    """A circle of dependencies is compared all the same."""
    world = _chain(0, 1)
    world.files[spec_path("H-1")] = build_spec("H-1", "H-2")
    assert find_subjects(NO_NEW_FAILURES, world) == ["H-2 regression.failed"]


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


def test_counts_that_did_not_drop_pass() -> None:
    """As many, or more."""
    assert judge(DROPPED_COUNTS_EXPLAINED, _world()) == []
    assert judge(DROPPED_COUNTS_EXPLAINED, _world(tests=30, packages=4)) == []


def test_counts_that_dropped_without_a_word_are_found() -> None:
    """Tests and packages, each by itself."""
    found = judge(DROPPED_COUNTS_EXPLAINED, _world(tests=16, packages=2))
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
    assert judge(DROPPED_COUNTS_EXPLAINED, _world(tests=16, notes=notes)) == []


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
    assert find_subjects(DROPPED_COUNTS_EXPLAINED, _world(tests=16, notes=notes)) == ["H-2 tests"]


def test_drop_of_packages_may_be_explained_by_their_name() -> None:
    """The package that went is named."""
    assert judge(DROPPED_COUNTS_EXPLAINED, _world(packages=2, notes="- PKG-WICK-001 was retired.")) == []


def test_drop_in_the_regression_counts_where_the_baseline_is_silent() -> None:
    """Leaving the number out of the baseline hides nothing."""
    world = _world(tests=16)
    text = str(world.files[results_path("H-2")])
    world.files[results_path("H-2")] = text.replace("- Total tests (all staged): 16\n", "")
    assert find_subjects(DROPPED_COUNTS_EXPLAINED, world) == ["H-2 tests"]


def test_counts_in_empty_results_are_found() -> None:
    """What cannot be read explains nothing."""
    assert len(judge(DROPPED_COUNTS_EXPLAINED, build_world({results_path("H-5"): ""}))) == 1


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


@pytest.mark.parametrize(
    ("rule", "world", "reason"),
    [
        (NO_NEW_FAILURES, build_world(), r"no earlier numbers .*: H-5"),
        (NO_NEW_FAILURES, build_world({results_path("H-5"): None}), "has results yet"),
        (DROPPED_COUNTS_EXPLAINED, build_world(), r"no earlier baseline .*: H-5"),
        (DROPPED_COUNTS_EXPLAINED, build_world({results_path("H-5"): None}), "has results yet"),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld, reason: str) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match=reason):
        judge(rule, world)
