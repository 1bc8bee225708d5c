"""Failures against those of the handoffs built on."""

from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.builder.counts import NO_NEW_FAILURES
from tests.support.builder_story import (
    build_changed_results,
    build_results,
    build_spec,
    build_world,
    results_path,
    spec_path,
)
from tests.support.world import MemoryWorld, judge

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
    assert [found.subject for found in judge(NO_NEW_FAILURES, world, scope="H-3")] == []
    world = _chain(0, 2, 2)
    world.files[spec_path("H-2")] = build_spec("H-2")
    world.files[spec_path("H-3")] = build_spec("H-3", "H-1, H-2")
    assert [found.subject for found in judge(NO_NEW_FAILURES, world, scope="H-3")] == ["H-3 regression.failed"]


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


def test_nothing_earlier_is_said_and_never_counted_as_none() -> None:
    """No declared predecessor: the rule does not apply, and says which handoffs could not be compared."""
    with pytest.raises(NotApplicableError, match=r"no earlier numbers .*: H-5"):
        judge(NO_NEW_FAILURES, build_world())
    with pytest.raises(NotApplicableError):
        judge(NO_NEW_FAILURES, build_world({results_path("H-5"): None}))


def test_failures_in_empty_results_are_found() -> None:
    """What cannot be read rules nothing out."""
    assert len(judge(NO_NEW_FAILURES, build_world({results_path("H-5"): ""}))) == 1


def test_handoffs_that_wait_for_each_other_end() -> None:
    """A circle of dependencies is compared all the same."""
    world = _chain(0, 1)
    world.files[spec_path("H-1")] = build_spec("H-1", "H-2")
    assert [found.subject for found in judge(NO_NEW_FAILURES, world)] == ["H-2 regression.failed"]
