"""`handoff-tui.toml` says what it said at the baseline; what weakens a check is told by another rule."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.configuration_changes import FILE, build_found
from handoff_tui.checks.rules.every.configuration_versions import read_change
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    change = read_change(context)
    for difference in change.differences:
        if difference.weaker is None:
            yield build_found(difference, change.text, f"{difference.name} of {FILE} differs from the baseline")


SETTINGS_UNCHANGED = Rule(
    id="settings-unchanged",
    system=System.ALL,
    severity=Severity.LOW,
    holds="Every other setting is as it was at the baseline.",
    reads="handoff-tui.toml, now and at the baseline",
    remedy="See that the change is meant; it loosens no check.",
    judge=judge,
    commands=("git log -p -- handoff-tui.toml",),
    moments=(Moment.PRE, Moment.GATE),
)
