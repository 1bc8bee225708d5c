"""What the configuration says about each rule: whether it runs, how severe a failure is, and whether it blocks.

Of severities the word under the rule's own id comes first, then what the rules of procedures declare, then the rule's.
"""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.checks.contract import Rule
from handoff_tui.checks.engine import RuleOverride
from handoff_tui.checks.registry import RULES
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.severity import Severity


def build_rule_overrides(settings: Settings, rules: Iterable[Rule]) -> dict[str, RuleOverride]:
    """What is said about rules by their ids; nothing for those that stay as they are."""
    found = {
        name: RuleOverride(configured.enabled, configured.severity, configured.blocking)
        for name, configured in settings.checks.items()
    }
    for rule in rules:
        declared = settings.procedures.rules.get(rule.declared) if rule.declared else None
        own = found.get(rule.id, RuleOverride())
        if declared is not None and own.severity is None:
            found[rule.id] = own._replace(severity=declared.severity)
    return found


def find_usual_severity(settings: Settings, name: str) -> Severity | None:
    """How severe a rule is under these settings, by its id or declared name; nothing where no rule is called so."""
    declared = settings.procedures.rules.get(name)
    if declared is not None:
        return declared.severity
    rule = next((rule for rule in RULES if rule.id == name), None)
    if rule is not None:
        adjustment = build_rule_overrides(settings, (rule,)).get(name, RuleOverride())
        return adjustment.severity or rule.severity
    configured = settings.checks.get(name)
    return configured.severity if configured is not None else None


def find_declared(name: str, rules: Iterable[Rule]) -> str:
    """The id of the rule that is declared under a name; any other name stays as it is."""
    return next((rule.id for rule in rules if rule.declared == name), name)
