"""Fewer tests or packages than before."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.counts import DROPPED_COUNTS_EXPLAINED
from tests.support.builder_story import build_results, build_spec, build_world, results_path, spec_path
from tests.support.world import MemoryWorld, judge


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
    assert [found.subject for found in judge(DROPPED_COUNTS_EXPLAINED, _world(tests=16, notes=notes))] == ["H-2 tests"]


def test_drop_of_packages_may_be_explained_by_their_name() -> None:
    """The package that went is named."""
    assert judge(DROPPED_COUNTS_EXPLAINED, _world(packages=2, notes="- PKG-WICK-001 was retired.")) == []


def test_drop_in_the_regression_counts_where_the_baseline_is_silent() -> None:
    """Leaving the number out of the baseline hides nothing."""
    world = _world(tests=16)
    text = str(world.files[results_path("H-2")])
    world.files[results_path("H-2")] = text.replace("- Total tests (all staged): 16\n", "")
    assert [found.subject for found in judge(DROPPED_COUNTS_EXPLAINED, world)] == ["H-2 tests"]


def test_nothing_earlier_is_said() -> None:
    """No declared predecessor: the rule does not apply, and says for whom."""
    with pytest.raises(NotApplicableError, match=r"no earlier baseline .*: H-5"):
        judge(DROPPED_COUNTS_EXPLAINED, build_world())
    with pytest.raises(NotApplicableError):
        judge(DROPPED_COUNTS_EXPLAINED, build_world({results_path("H-5"): None}))


def test_counts_in_empty_results_are_found() -> None:
    """What cannot be read explains nothing."""
    assert len(judge(DROPPED_COUNTS_EXPLAINED, build_world({results_path("H-5"): ""}))) == 1
