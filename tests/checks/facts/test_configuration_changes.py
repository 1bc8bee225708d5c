from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.checks.facts.configuration_changes import compare_configuration, find_line

VALUES = st.recursive(
    st.booleans() | st.integers(0, 9) | st.sampled_from(["low", "high", "x"]) | st.lists(st.sampled_from(["a", "b"])),
    lambda inner: st.dictionaries(st.sampled_from(["checks", "hub", "enabled", "severity", "n_minimum"]), inner),
    max_leaves=8,
)
TABLES = st.dictionaries(st.sampled_from(["checks", "hub", "mosaic", "agents"]), VALUES)


def weaker(before: str, now: str) -> dict[str, bool]:
    found = compare_configuration(tomllib.loads(before), tomllib.loads(now))
    return {difference.name: difference.weaker is not None for difference in found}


@pytest.mark.parametrize(
    ("before", "now", "name", "is_weaker"),
    [
        ("", "[hub]\nfailing_severities = ['critical', 'high', 'medium']", "hub.failing_severities", False),
        ("[hub]\nstages = ['A', 'B']", "[hub]\nstages = ['A', 'B', 'C']", "hub.stages", False),
        ("[hub]\nstages = ['A', 'B']", "[hub]\nstages = ['A']", "hub.stages", True),
        (
            "[mosaic]\nbriefing_max_age_hours = 24",
            "[mosaic]\nbriefing_max_age_hours = 48",
            "mosaic.briefing_max_age_hours",
            True,
        ),
        (
            "[mosaic]\nbriefing_max_age_hours = 24",
            "[mosaic]\nbriefing_max_age_hours = 12",
            "mosaic.briefing_max_age_hours",
            False,
        ),
        ("[builder.questions]\ngreenlight_needed = true", "", "builder.questions.greenlight_needed", True),
        ("", "[builder.questions]\ngreenlight_needed = false", "builder.questions.greenlight_needed", True),
        ("", "[mosaic.health]\nenabled = true", "mosaic.health.enabled", False),
        (
            "[procedures.rules.VR001]\nseverity = 'critical'",
            "[procedures.rules.VR001]\nseverity = 'high'",
            "procedures.rules.VR001.severity",
            True,
        ),
        ("", "[builder]\nhash_pattern = '.*'", "builder.hash_pattern", True),
        ("", "[checks.own]\nrun = ['a']\nenabled = false", "checks.own.enabled", False),
        ("", "[agents.one]\ntimeout_seconds = 9", "agents.one.timeout_seconds", False),
    ],
)
def test_differences_are_told_apart(before: str, now: str, name: str, *, is_weaker: bool) -> None:
    """What lets more through, and what does not."""
    assert weaker(before, now)[name] is is_weaker


@pytest.mark.parametrize(
    ("before", "now", "is_weaker"),
    [
        (None, "high", True),
        (None, "critical", False),
        ("high", None, False),
        ("low", "medium", False),
        ("medium", "low", True),
    ],
)
@pytest.mark.parametrize("table", ["procedures.rules.VR001", "checks.tests-not-deleted"])
def test_severity_that_is_not_set_is_the_usual_one(
    table: str, before: str | None, now: str | None, *, is_weaker: bool
) -> None:
    """Set anew below it, it was lowered, even where it still blocks."""
    old, new = (tomllib.loads(f"[{table}]\nseverity = '{value}'" if value else "") for value in (before, now))
    [difference] = compare_configuration(old, new, lambda _: "critical")
    assert (difference.weaker is not None) is is_weaker


@settings(max_examples=60)
@given(TABLES)
def test_table_does_not_differ_from_itself(table: dict[str, object]) -> None:
    """Whatever is in it."""
    assert compare_configuration(table, table) == []


@settings(max_examples=60)
@given(TABLES, TABLES)
def test_any_two_tables_are_compared_without_raising(before: dict[str, object], now: dict[str, object]) -> None:
    """What is told as a difference is one."""
    assert all(difference.before != difference.now for difference in compare_configuration(before, now))


def test_line_is_that_of_the_key_or_of_its_table() -> None:
    """Good enough for a message."""
    text = '[hub]\na = 1\n\n[checks."unit"]\nrun = ["x"]\nenabled = false\n'
    assert find_line(text, ("checks", "unit", "enabled")) == 6
    assert find_line(text, ("checks", "unit", "blocking")) == 4
    assert find_line(text, ("other",)) is None
