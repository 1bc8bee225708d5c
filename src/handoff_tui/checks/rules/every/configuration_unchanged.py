"""`handoff-tui.toml` is no weaker than at the baseline; other changes to it are listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.configuration_changes import (
    FILE,
    SettingChange,
    build_found,
    compare_configuration,
    list_weaker,
)
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.short_id import SHORT_COMMIT


class ConfigurationChange(NamedTuple):
    """What differs. `broken` says why the current file can't be read."""

    differences: list[SettingChange]
    text: str = ""
    broken: str | None = None


def read_change(context: Context) -> ConfigurationChange:
    """Compares the file with the baseline; skips the rule if there is no baseline, or no file on either side."""
    baseline = context.require_baseline()
    old, new = context.read_at(baseline, FILE), context.read(FILE)
    if old is None and new is None:
        context.skip(f"no {FILE}, at the baseline or now")
    if new is None and context.exists(FILE):
        return ConfigurationChange([], broken="cannot be read")
    if old == new:
        return ConfigurationChange([])
    before = _parse(old)
    if isinstance(before, str):
        context.undecidable(f"{FILE} {before} at {baseline[:SHORT_COMMIT]}")
    now = _parse(new)
    text = (new or b"").decode("utf-8", "replace")
    if isinstance(now, str):
        return ConfigurationChange([], text, now)
    return ConfigurationChange(compare_configuration(before, now, context.usual_severity), text)


def _parse(content: bytes | None) -> dict[str, object] | str:
    """Returns the table, or what is wrong with it."""
    import tomllib  # noqa: PLC0415 - few runs compare two versions

    try:
        return tomllib.loads((content or b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as wrong:
        return f"is not valid TOML: {wrong}"


def _judge_weakened(context: Context) -> Iterator[RuleFinding]:
    change = read_change(context)
    if change.broken is not None:
        message = f"{FILE} cannot be compared with the baseline: it {change.broken}"
        yield RuleFinding(message, "unreadable", Place(path=FILE), "valid TOML", change.broken)
    for difference, reason in list_weaker(change.differences):
        yield build_found(difference, change.text, f"{difference.name} was weakened: {reason}")


CHECK_CONFIGURATION_UNCHANGED = Rule(
    id="check-configuration-unchanged",
    system=System.ALL,
    severity=Severity.CRITICAL,
    holds="The configuration of the checks is no weaker than at the baseline.",
    reads="handoff-tui.toml, now and at the baseline",
    remedy="Take the change out of this work. Change the checks separately, in a review of their own.",
    judge=_judge_weakened,
    commands=("git log -p -- handoff-tui.toml",),
    moments=(Moment.PRE, Moment.GATE),
)


def _judge_other_settings(context: Context) -> Iterator[RuleFinding]:
    change = read_change(context)
    for difference in change.differences:
        if difference.weaker is None:
            yield build_found(difference, change.text, f"{difference.name} of {FILE} differs from the baseline")


SETTINGS_UNCHANGED = Rule(
    id="settings-unchanged",
    system=System.ALL,
    severity=Severity.LOW,
    holds="Every other setting is the same as at the baseline.",
    reads="handoff-tui.toml, now and at the baseline",
    remedy="Make sure that the change is intended. It doesn't weaken any check.",
    judge=_judge_other_settings,
    commands=("git log -p -- handoff-tui.toml",),
    moments=(Moment.PRE, Moment.GATE),
)
