from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.every.configuration_unchanged import CHECK_CONFIGURATION_UNCHANGED
from tests.support.changed_world import build_changed_world
from tests.support.world import MemoryWorld, judge

FILE = "handoff-tui.toml"
CHECK = '[checks.unit]\nrun = ["pytest", "-q"]\nseverity = "high"\nblocking = true\ntimeout_seconds = 60\n'


def subjects(before: str | None, now: str | None) -> list[str]:
    old = {} if before is None else {FILE: before}
    new = {} if now is None else {FILE: now}
    return [found.subject for found in judge(CHECK_CONFIGURATION_UNCHANGED, build_changed_world(old, new))]


@pytest.mark.parametrize(
    ("before", "now", "subject"),
    [
        (CHECK, "", "checks.unit"),
        (CHECK, None, "checks.unit"),
        (CHECK, CHECK + "enabled = false\n", "checks.unit.enabled"),
        (CHECK, CHECK.replace("blocking = true", "blocking = false"), "checks.unit.blocking"),
        (CHECK, CHECK.replace("blocking = true\n", ""), "checks.unit.blocking"),
        (CHECK, CHECK.replace('"high"', '"low"'), "checks.unit.severity"),
        (CHECK, CHECK.replace('"-q"', '"-q", "-k", "row"'), "checks.unit.run"),
        (CHECK, CHECK.replace("= 60", "= 6000"), "checks.unit.timeout_seconds"),
        (CHECK, CHECK + 'phases = ["docs"]\n', "checks.unit.phases"),
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
    assert subjects(before, now) == [subject]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (CHECK, CHECK),
        (CHECK, CHECK + 'remedy = "run it"\n'),
        (CHECK, CHECK.replace('"high"', '"critical"')),
        (CHECK, CHECK + '[checks.more]\nrun = ["true"]\n'),
        (CHECK, f"# a comment\n{CHECK}"),
        ("[mosaic]\nhandoff_message_minimum = 50\n", "[mosaic]\nhandoff_message_minimum = 80\n"),
        (None, '[agents.one]\ncommand = ["one"]\n'),
        (None, '[procedures.rules.VR007]\nseverity = "high"\n'),
        (None, '[procedures.rules.VR007]\nseverity = "medium"\n'),
    ],
)
def test_configuration_that_was_not_weakened_passes(before: str | None, now: str) -> None:
    """The same, stricter, more checks, or what decides nothing."""
    assert subjects(before, now) == []


def test_finding_names_the_line() -> None:
    """Where the key stands now."""
    world = build_changed_world({FILE: CHECK}, {FILE: CHECK.replace('"high"', '"low"')})
    [found] = judge(CHECK_CONFIGURATION_UNCHANGED, world)
    assert (str(found.place), found.expected, found.actual) == (f"{FILE}:3", "high", "low")


def test_configuration_that_is_broken_is_found_and_a_broken_baseline_cannot_be_judged() -> None:
    """Neither passes."""
    assert subjects(CHECK, "[checks") == ["unreadable"]
    with pytest.raises(UndecidableError):
        subjects("[checks", CHECK)


def test_rule_does_not_apply_without_a_baseline_or_a_file() -> None:
    """Nothing to compare."""
    for world in (MemoryWorld({FILE: CHECK}), build_changed_world({}, {})):
        with pytest.raises(NotApplicableError):
            judge(CHECK_CONFIGURATION_UNCHANGED, world)
