from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.every.configuration_unchanged import SETTINGS_UNCHANGED
from tests.support.changed_world import build_changed_world
from tests.support.world import MemoryWorld, judge

FILE = "handoff-tui.toml"
CHECK = '[checks.unit]\nrun = ["pytest"]\n'


def subjects(before: str, now: str) -> list[str]:
    return [found.subject for found in judge(SETTINGS_UNCHANGED, build_changed_world({FILE: before}, {FILE: now}))]


def test_settings_that_are_the_same_pass() -> None:
    """Comments and order do not matter."""
    assert subjects(CHECK, f"# words\n{CHECK}") == []


def test_setting_that_loosens_nothing_is_found_here() -> None:
    """A new check, a longer minimum, an agent."""
    now = f'{CHECK}remedy = "run it"\n[agents.one]\ncommand = ["one"]\n'
    assert subjects(CHECK, now) == ["agents.one.command", "checks.unit.remedy"]


def test_setting_that_loosens_a_check_is_left_to_the_other_rule() -> None:
    """It is told once."""
    assert subjects(CHECK, CHECK + "enabled = false\n") == []


def test_rule_needs_a_baseline() -> None:
    """Without one nothing differs."""
    with pytest.raises(NotApplicableError):
        judge(SETTINGS_UNCHANGED, MemoryWorld({FILE: CHECK}))
