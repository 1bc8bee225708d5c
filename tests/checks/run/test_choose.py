from __future__ import annotations

import pytest

from handoff_tui.checks.engine import RuleOverride
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.rule import Rule
from handoff_tui.checks.run.choose import build_rule_overrides, find_declared, find_usual_severity
from handoff_tui.config.settings.checks import Check
from handoff_tui.config.settings.procedures import Procedures, ValidationRule
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.severity import Severity

DECLARED = [rule for rule in RULES if rule.declared]


def declare(severity: Severity, **checks: Check) -> Settings:
    """Settings in which VR007 has this severity."""
    rules = {**Settings().procedures.rules}
    rules["VR007"] = ValidationRule(name="permissions granted", severity=severity, timeout_seconds=1)
    named = {name.replace("_", "-"): check for name, check in checks.items()}
    return Settings(procedures=Procedures(rules=rules), checks=named)


def test_every_declared_rule_is_built_in() -> None:
    """VR001 to VR008, each once."""
    assert sorted(rule.declared or "" for rule in DECLARED) == sorted(Settings().procedures.rules)


@pytest.mark.parametrize("rule", DECLARED, ids=lambda rule: rule.id)
def test_declared_rule_says_its_number_and_its_declared_severity(rule: Rule) -> None:
    """Who knows the number finds the rule in every list; what the rule says of itself is the default."""
    assert rule.holds.startswith(f"{rule.declared}: ")
    assert rule.severity is Settings().procedures.rules[rule.declared or ""].severity


def test_declared_severity_is_the_one_of_the_configuration() -> None:
    """Unless the rule's own id says another."""
    rules = [rule for rule in RULES if rule.id in {"permissions-granted", "data-intact"}]
    found = build_rule_overrides(declare(Severity.CRITICAL), rules)
    assert found["permissions-granted"] == RuleOverride(severity=Severity.CRITICAL)
    assert found["data-intact"] == RuleOverride(severity=Severity.HIGH)
    own = declare(Severity.CRITICAL, permissions_granted=Check(severity=Severity.LOW, blocking=True))
    assert build_rule_overrides(own, rules)["permissions-granted"] == RuleOverride(severity=Severity.LOW, blocking=True)
    off = declare(Severity.CRITICAL, permissions_granted=Check(enabled=False))
    assert build_rule_overrides(off, rules)["permissions-granted"] == RuleOverride(
        enabled=False, severity=Severity.CRITICAL
    )


def test_rule_that_is_not_declared_is_left_as_it_is() -> None:
    """Only what is said about it changes it."""
    rules = [rule for rule in RULES if rule.id == "tests-not-deleted"]
    assert build_rule_overrides(Settings(), rules) == {}


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("VR007", Severity.CRITICAL),
        ("permissions-granted", Severity.CRITICAL),
        ("tests-not-deleted", Severity.CRITICAL),
        ("ci-unchanged", Severity.LOW),
        ("own", Severity.MEDIUM),
        ("nobody", None),
    ],
)
def test_usual_severity_is_found_by_id_and_by_declared_name(name: str, severity: Severity | None) -> None:
    """Nothing for a name that no rule has."""
    checks = {"ci_unchanged": Check(severity=Severity.LOW), "own": Check(run=("a",), severity=Severity.MEDIUM)}
    assert find_usual_severity(declare(Severity.CRITICAL, **checks), name) == severity


def test_declared_name_leads_to_the_id() -> None:
    """Any other name stays as it is."""
    assert find_declared("VR003", RULES) == "state-consistent"
    assert find_declared("ci-unchanged", RULES) == "ci-unchanged"
