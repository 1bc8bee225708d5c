"""A log that was begun: as the public JSON shape, and as a page that says what to do next."""

from __future__ import annotations

from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.policy.page import add_fact
from handoff_tui.log.policy.reports import InitReport

SCHEMA = "handoff-tui/init/v1"


def build_init_json(report: InitReport) -> dict[str, object]:
    return {"schema": SCHEMA, **report.model_dump(mode="json")}


def build_init_page(report: InitReport) -> Page:
    page = Page()
    page.line(Cell("✓ ", "pass"), Cell("a signed log was begun; its first entry is"), indent=2)
    page.line(Cell(f"  {report.log}", "key"))
    add_fact(page, "you", report.principal)
    add_fact(page, "key", f"{report.keyid} ({report.key})")
    for path in report.written:
        add_fact(page, "written", path)
    for path in report.kept:
        add_fact(page, "kept", f"{path}, which was there before")
    for warning in report.warnings:
        page.line(Cell("! ", "warning"), Cell(render_safe(warning)), indent=2)
    page.heading("Next")
    added = " ".join(path.rstrip("/") for path in report.written)
    page.line(Cell(f'git add {added} && git commit -m "Begin the handoff log"', "key"))
    if report.pinned:
        page.line(Cell(f"It is pinned in your git configuration, as {render_safe(report.pin_key)}."))
    else:
        page.line(Cell(f"git config --global {render_safe(report.pin_key)} {report.log}", "key"))
        page.line(
            Cell("pins it: then no other log can take its place unnoticed, not even in a fresh clone.", "muted"),
            indent=2,
        )
    return page
