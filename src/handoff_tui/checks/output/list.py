"""The checks that would run, and whether the repository's own commands may run."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.checks.report import ConsentState, RuleInfo
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/check-list/v1"


def build_check_list_page(rules: Sequence[RuleInfo], trust: ConsentState | None) -> Page:
    """Builds one row per check, then whether the repository's commands may run."""
    page = Page()
    page.heading(f"{len(rules)} checks")
    columns = (Column("check"), Column("severity"), Column("blocks"), Column("system"), Column("holds", fold=True))
    rows = [
        (
            Cell(render_safe(rule.id), "key"),
            Cell(rule.severity, rule.severity),
            Cell("yes" if rule.blocking else "no"),
            Cell(render_safe(rule.system), "muted"),
            Cell(render_safe(rule.holds)),
        )
        for rule in rules
    ]
    page.grid(columns, rows)
    if trust is not None:
        state = "with your consent" if trust.trusted else "without your consent: they don't run, and block"
        page.heading("Commands of this repository", state)
        page.line(Cell(f"digest {trust.digest}"), indent=2)
        if not trust.trusted:
            page.line(
                Cell("To consent, after reading them: "),
                Cell(f"handoff-tui check --trust {trust.digest}", "key"),
                indent=2,
            )
    return page


def build_check_list_json(rules: Sequence[RuleInfo], trust: ConsentState | None) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "checks": [rule.model_dump(mode="json") for rule in rules],
        "trust": trust.model_dump(mode="json") if trust else None,
    }
