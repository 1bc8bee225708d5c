"""Tests by the size of packages."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.counts import MINIMUM_TESTS_REACHED
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
from tests.support.world import MemoryWorld, judge

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
