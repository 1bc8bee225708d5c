"""The commands that a repository asks to run, as they are read before anybody trusts them."""

from __future__ import annotations

from handoff_tui.checks.report import TrustPlan
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.pages.gate import add_fact

_WORD_WIDTH = 9


def add_trust(page: Page, plan: TrustPlan) -> None:
    """Each command word by word, its scripts with their digests, and the digest over all of it."""
    number = len(plan.commands) + len(plan.functions)
    page.line(Cell(f"This repository asks to run {plural(number, 'check')} of its own, with your rights."))
    page.line(Cell("Whatever changes in them, or in their scripts, asks for your trust again.", "muted"))
    for command in plan.commands:
        page.heading(render_safe(command.id))
        for place, word in enumerate(command.argv):
            add_fact(page, "" if place else "runs", word)
        for place, (path, digest) in enumerate(command.scripts):
            name = "" if place else "script"
            page.line(
                Cell(f"{name:<{_WORD_WIDTH}}", "muted"),
                Cell(render_safe(path), "path"),
                Cell(f"  {render_safe(digest)}", "muted"),
                indent=_WORD_WIDTH,
            )
    if plan.functions:
        page.heading("Python of this repository")
        for function in plan.functions:
            add_fact(page, "calls", function)
    page.blank()
    add_fact(page, "digest", plan.digest)
