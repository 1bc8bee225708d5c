"""The rules as a table for the documentation, and how far a run has come."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.checks.report import RuleInfo
from handoff_tui.core.text.markdown_text import render_code, render_markdown
from handoff_tui.core.text.safe_text import render_safe

_COLUMNS = ("id", "system", "severity", "blocks", "when", "reads", "holds when it passes", "remedy")
_BAR = 20
_LONGEST_NAME = 40


def build_rule_table(rules: Sequence[RuleInfo]) -> str:
    """A Markdown table, in the order of the rules given."""
    head = ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * len(_COLUMNS)]
    return "\n".join([*head, *(_render_rule(rule) for rule in rules)])


def build_progress_line(done: int, total: int, current: str | None = None) -> str:
    """A bar, the numbers, and the check under way."""
    filled = _BAR * min(done, total) // total if total > 0 else _BAR
    bar = "█" * filled + "░" * (_BAR - filled)
    name = f"  {render_safe(current, _LONGEST_NAME)}" if current else ""
    return f"checks {bar} {done}/{total}{name}"


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
