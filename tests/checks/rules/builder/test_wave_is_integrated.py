"""Waves and their integration."""

from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.builder.wave_is_integrated import WAVE_IS_INTEGRATED
from tests.support.builder_story import build_results, build_spec, build_world, results_path, spec_path
from tests.support.world import MemoryWorld, find_subjects, judge


def _world(waves: dict[str, int], done: str, integration: str | None = None) -> MemoryWorld:
    """Handoffs by their wave, those in `done` with results, and perhaps an integration handoff."""
    files: dict[str, str | bytes] = {}
    for name, number in waves.items():
        files[spec_path(name)] = f"{build_spec(name)}\nPart of wave {number}; the integration handoff comes later.\n"
    if integration is not None:
        title = build_spec(integration).replace("— Lamp", "— Integration of the lamps")
        files[spec_path(integration)] = f"{title}\nThis is the integration handoff after wave 2.\n"
    files.update({results_path(name): build_results(name) for name in done.split()})
    return MemoryWorld(files=files)


def test_waves_with_their_integration_pass() -> None:
    """Every member passed, and the spec of the integration is there."""
    assert judge(WAVE_IS_INTEGRATED, _world({"H-1": 1, "H-2": 1, "H-3": 2}, "H-1 H-2 H-3", "H-4")) == []


def test_waves_without_integration_are_found() -> None:
    """Specs that speak of an integration to come are none."""
    [found] = judge(WAVE_IS_INTEGRATED, _world({"H-1": 1, "H-2": 1}, "H-1 H-2"))
    assert found.subject == "integration handoff"


def test_wave_that_was_overtaken_is_found() -> None:
    """The next wave has results, and this one is not complete."""
    [found] = judge(WAVE_IS_INTEGRATED, _world({"H-1": 1, "H-2": 1, "H-3": 2}, "H-1 H-3"))
    assert (found.subject, found.actual) == ("H-2 wave", "no results")


def test_wave_with_failed_results_is_not_complete() -> None:
    """Results that say FAIL complete nothing."""
    world = _world({"H-1": 1, "H-2": 2}, "H-1 H-2")
    world.files[results_path("H-1")] = build_results("H-1").replace("## Status: PASS", "## Status: FAIL")
    assert find_subjects(WAVE_IS_INTEGRATED, world) == ["H-1 wave"]


def test_integration_before_its_waves_is_found() -> None:
    """It cannot integrate what has not passed."""
    world = _world({"H-1": 1, "H-2": 1}, "H-1 H-4", "H-4")
    assert find_subjects(WAVE_IS_INTEGRATED, world) == ["H-4 integration"]


def test_wave_of_one_package_needs_no_integration() -> None:
    """The least number comes from the configuration."""
    world = _world({"H-1": 1}, "H-1")
    assert judge(WAVE_IS_INTEGRATED, world) == []
    world.overrides["builder.integration_packages_minimum"] = 1
    assert len(judge(WAVE_IS_INTEGRATED, world)) == 1


@pytest.mark.parametrize(
    ("rule", "world", "reason"),
    [
        (WAVE_IS_INTEGRATED, _world({"H-1": 1, "H-2": 1}, "H-1"), "still being built: H-2"),
        (WAVE_IS_INTEGRATED, build_world(), "belongs to a wave"),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld, reason: str) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match=reason):
        judge(rule, world)
