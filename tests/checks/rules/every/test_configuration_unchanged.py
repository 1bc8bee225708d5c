from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.every.configuration_unchanged import (
    CHECK_CONFIGURATION_UNCHANGED,
    SETTINGS_UNCHANGED,
)
from tests.support.changed_world import build_changed_world
from tests.support.world import MemoryWorld, find_subjects, judge

FILE = "handoff-tui.toml"
CHECK_WEAKENED = '[checks.unit]\nrun = ["pytest", "-q"]\nseverity = "high"\nblocking = true\ntimeout_seconds = 60\n'


def subjects_weakened(before: str | None, now: str | None) -> list[str]:
    old = {} if before is None else {FILE: before}
    new = {} if now is None else {FILE: now}
    return find_subjects(CHECK_CONFIGURATION_UNCHANGED, build_changed_world(old, new))


@pytest.mark.parametrize(
    ("before", "now", "subject"),
    [
        (CHECK_WEAKENED, "", "checks.unit"),
        (CHECK_WEAKENED, None, "checks.unit"),
        (CHECK_WEAKENED, CHECK_WEAKENED + "enabled = false\n", "checks.unit.enabled"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace("blocking = true", "blocking = false"), "checks.unit.blocking"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace("blocking = true\n", ""), "checks.unit.blocking"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace('"high"', '"low"'), "checks.unit.severity"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace('"-q"', '"-q", "-k", "row"'), "checks.unit.run"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace("= 60", "= 6000"), "checks.unit.timeout_seconds"),
        (CHECK_WEAKENED, CHECK_WEAKENED + 'phases = ["docs"]\n', "checks.unit.phases"),
        (None, "[checks.tests-not-deleted]\nenabled = false\n", "checks.tests-not-deleted.enabled"),
        (None, "[checks.tests-not-deleted]\nblocking = false\n", "checks.tests-not-deleted.blocking"),
        (None, '[checks.tests-not-deleted]\nseverity = "low"\n', "checks.tests-not-deleted.severity"),
        (None, '[checks.tests-not-deleted]\nseverity = "high"\n', "checks.tests-not-deleted.severity"),
        (None, '[procedures.rules.VR001]\nseverity = "high"\n', "procedures.rules.VR001.severity"),
        (None, '[procedures.rules.VR007]\nseverity = "low"\n', "procedures.rules.VR007.severity"),
        (
            '[procedures.rules.VR007]\nseverity = "critical"\n',
            None,
            "procedures.rules.VR007.severity",
        ),
        (
            "[mosaic]\nhandoff_message_minimum = 50\n",
            "[mosaic]\nhandoff_message_minimum = 5\n",
            "mosaic.handoff_message_minimum",
        ),
        (None, "[mosaic]\nhandoff_message_minimum = 5\n", "mosaic.handoff_message_minimum"),
        ("[mosaic]\ncommit_lag_tolerated = 1\n", "[mosaic]\ncommit_lag_tolerated = 9\n", "mosaic.commit_lag_tolerated"),
        (None, '[hub]\nfailing_severities = ["critical"]\n', "hub.failing_severities"),
        (None, "[tamper]\ntest_files = []\n", "tamper.test_files"),
        (None, '[builder]\npassing_statuses = ["PASS", "PARTIAL"]\n', "builder.passing_statuses"),
        (
            '[pipelines.own]\nphases = [{name = "a", human_only = true}]\n',
            '[pipelines.own]\nphases = [{name = "a", human_only = false}]\n',
            "pipelines.own.phases.a.human_only",
        ),
    ],
)
def test_configuration_that_was_weakened_is_found(before: str | None, now: str | None, subject: str) -> None:
    """A check removed, off, not blocking, less severe or doing something else; a threshold or a list loosened."""
    assert subjects_weakened(before, now) == [subject]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (CHECK_WEAKENED, CHECK_WEAKENED),
        (CHECK_WEAKENED, CHECK_WEAKENED + 'remedy = "run it"\n'),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace('"high"', '"critical"')),
        (CHECK_WEAKENED, CHECK_WEAKENED + '[checks.more]\nrun = ["true"]\n'),
        (CHECK_WEAKENED, f"# a comment\n{CHECK_WEAKENED}"),
        ("[mosaic]\nhandoff_message_minimum = 50\n", "[mosaic]\nhandoff_message_minimum = 80\n"),
        (None, '[agents.one]\ncommand = ["one"]\n'),
        (None, '[procedures.rules.VR007]\nseverity = "high"\n'),
        (None, '[procedures.rules.VR007]\nseverity = "medium"\n'),
    ],
)
def test_configuration_that_was_not_weakened_passes(before: str | None, now: str) -> None:
    """The same, stricter, more checks, or what decides nothing."""
    assert subjects_weakened(before, now) == []


def test_finding_names_the_line() -> None:
    """Where the key stands now."""
    world = build_changed_world({FILE: CHECK_WEAKENED}, {FILE: CHECK_WEAKENED.replace('"high"', '"low"')})
    [found] = judge(CHECK_CONFIGURATION_UNCHANGED, world)
    assert (str(found.place), found.expected, found.actual) == (f"{FILE}:3", "high", "low")


def test_configuration_that_is_broken_is_found_and_a_broken_baseline_cannot_be_judged() -> None:
    """Neither passes."""
    assert subjects_weakened(CHECK_WEAKENED, "[checks") == ["unreadable"]
    with pytest.raises(UndecidableError):
        subjects_weakened("[checks", CHECK_WEAKENED)


def test_rule_does_not_apply_without_a_baseline_or_a_file() -> None:
    """Nothing to compare."""
    for world in (MemoryWorld({FILE: CHECK_WEAKENED}), build_changed_world({}, {})):
        with pytest.raises(NotApplicableError):
            judge(CHECK_CONFIGURATION_UNCHANGED, world)


CHECK_SETTINGS = '[checks.unit]\nrun = ["pytest"]\n'


def subjects_settings(before: str, now: str) -> list[str]:
    return find_subjects(SETTINGS_UNCHANGED, build_changed_world({FILE: before}, {FILE: now}))


def test_settings_that_are_the_same_pass() -> None:
    """Comments and order do not matter."""
    assert subjects_settings(CHECK_SETTINGS, f"# words\n{CHECK_SETTINGS}") == []


def test_setting_that_loosens_nothing_is_found_here() -> None:
    """A new check, a longer minimum, an agent."""
    now = f'{CHECK_SETTINGS}remedy = "run it"\n[agents.one]\ncommand = ["one"]\n'
    assert subjects_settings(CHECK_SETTINGS, now) == ["agents.one.command", "checks.unit.remedy"]


def test_setting_that_loosens_a_check_is_left_to_the_other_rule() -> None:
    """It is told once."""
    assert subjects_settings(CHECK_SETTINGS, CHECK_SETTINGS + "enabled = false\n") == []


def test_rule_needs_a_baseline() -> None:
    """Without one nothing differs."""
    with pytest.raises(NotApplicableError):
        judge(SETTINGS_UNCHANGED, MemoryWorld({FILE: CHECK_SETTINGS}))
