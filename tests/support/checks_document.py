"""Writes docs/checks.md from the table of rules."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.checks.engine import RuleOverride, is_blocking
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import RuleInfo
from handoff_tui.core.text.markdown_text import render_code, render_markdown

_COLUMNS = ("id", "system", "severity", "blocks", "when", "reads", "holds when it passes", "remedy")
_HEADING = """\
# The checks

Written by `make golden` from the table of rules; a test fails when it is stale.

`handoff-tui check` runs them all, `--pre` those for an agent that hands over, `--post` those for the one that takes
over, `--gate PHASE` those at a gate. Exit code 0: nothing blocks; 1: blocked. Outcome, severity and blocking are
three things: a failure that does not block is a warning and is counted apart; error, timeout, unknown and skipped
block like a failure. What does not apply is not counted.

A rule reads only through its context, which records every file, absence and git fact it was told. That record is the
digest of its inputs: while it is the same, the earlier result is used, and says so (`cached`); `--fresh` ignores it;
a rule that runs again says what changed.

Severity, blocking and whether a rule runs at all are set by id in the configuration (`[checks.<id>]`), thresholds in
their own sections; so are commands (`run = [...]`, parsed as exit code, JUnit or TAP) and functions of your own
(`python = "module:function"`, from your own file only and never from the reviewed tree). Commands that a repository
brings along run only after their digest was trusted once: `handoff-tui check --list` prints it, `handoff-tui check
--trust DIGEST` trusts it; a changed command or script has another digest. In the app `T` on the checks
shows every command, word by word, and trusts just these.

The rules of procedures are known by their numbers, VR001 to VR008, too: `handoff-tui check --only VR003` runs that one,
and its severity is what `[procedures.rules.VR003]` declares, unless its id says another. A repository that lowers a
severity weakens its checks, and `check-configuration-unchanged` tells it.

"""


def build_checks_document() -> str:
    rules = [
        RuleInfo(
            id=rule.id,
            system=rule.system.value,
            severity=rule.severity,
            blocking=is_blocking(rule, RuleOverride()),
            holds=rule.holds,
            reads=rule.reads,
            remedy=rule.remedy,
            moments=tuple(moment.value for moment in rule.moments),
        )
        for rule in RULES
    ]
    number = f"{len(rules)} built-in rules; `session-gate-passes` runs the session gate's script as a command."
    return f"{_HEADING}{number}\n\n{build_rule_table(rules)}\n"


def build_rule_table(rules: Sequence[RuleInfo]) -> str:
    """Builds a Markdown table."""
    head = ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * len(_COLUMNS)]
    return "\n".join([*head, *(_render_rule(rule) for rule in rules)])


def _render_rule(rule: RuleInfo) -> str:
    cells = (
        render_code(rule.id),
        render_markdown(rule.system),
        rule.severity.value,
        "yes" if rule.blocking else "no",
        render_markdown(", ".join(rule.moments)) or "–",
        render_markdown(rule.reads),
        render_markdown(rule.holds),
        render_markdown(rule.remedy),
    )
    return "| " + " | ".join(cells) + " |"
