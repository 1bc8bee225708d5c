"""`handoff-tui.toml` lets nothing through that it did not let through at the baseline."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.facts.configuration_changes import FILE, build_found, list_weaker
from handoff_tui.checks.rules.every.configuration_versions import read_change
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    change = read_change(context)
    if change.broken is not None:
        yield Found(
            message=f"{FILE} cannot be compared with the baseline: it {change.broken}",
            subject="unreadable",
            place=Place(path=FILE),
            expected="valid TOML",
            actual=change.broken,
        )
    for difference, reason in list_weaker(change.differences):
        yield build_found(difference, change.text, f"{difference.name} was weakened: {reason}")


CHECK_CONFIGURATION_UNCHANGED = Rule(
    id="check-configuration-unchanged",
    system=System.ALL,
    severity=Severity.CRITICAL,
    holds="The configuration of the checks is no weaker than at the baseline.",
    reads="handoff-tui.toml, now and at the baseline",
    remedy="Take the change out of this work; what checks the work is changed by itself, with a review of its own.",
    judge=judge,
    commands=("git log -p -- handoff-tui.toml",),
    moments=(Moment.PRE, Moment.GATE),
)
