"""A rollback: as the public JSON shapes, and as pages."""

from __future__ import annotations

from handoff_tui.agents.rollback.report import RollbackPreview, RollbackRecord, RollbackState
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.pages.gate import add_fact

SCHEMA = "handoff-tui/rollback/v1"
_MOST = 40


def build_preview_json(preview: RollbackPreview) -> dict[str, object]:
    """The shape promised to scripts: what would be done."""
    return {"schema": SCHEMA, "applied": False, **preview.model_dump(mode="json")}


def build_rollback_json(records: tuple[RollbackRecord, ...]) -> dict[str, object]:
    """The same for what was done."""
    return {"schema": SCHEMA, "applied": True, "rollbacks": [record.model_dump(mode="json") for record in records]}


def build_preview_page(preview: RollbackPreview, *, everything: bool = False) -> Page:
    """Where it leads and why there, then what would change, and what stands in the way."""
    page = Page()
    page.line(Cell("dry run  ", "muted"), Cell(f"back to {preview.target[:SHORT_DIGEST]}", "heading"))
    add_fact(page, "why", preview.reason)
    add_fact(page, "from", f"{preview.head[:SHORT_DIGEST]} on {preview.branch or 'no branch'}")
    most = None if everything else _MOST
    _add_rows(page, "Files", [f"{file.change}  {file.path}" for file in preview.files], most)
    commits = [f"{one.id[:SHORT_DIGEST]} {one.subject}" for one in preview.commits]
    _add_rows(page, "Commits whose work is taken back; they stay in the history", commits, most)
    _add_rows(page, "Uncommitted; saved first", list(preview.uncommitted), most)
    _add_rows(page, "In the way: cannot be saved", list(preview.unsavable), most)
    _add_rows(page, "In the way: at work", list(preview.held), most)
    _add_rows(page, "In the way: no run of an agent accounts for it", list(preview.unexplained), most)
    page.blank()
    page.line(Cell("handoff-tui rollback --apply does it; --undo brings everything back", "muted"))
    return page


def build_done_page(record: RollbackRecord) -> Page:
    """Where HEAD is by now, and where the work is kept that was there before."""
    page = Page()
    if record.state is RollbackState.UNDONE:
        head = f"everything is as it was; HEAD is {record.saved.head[:SHORT_DIGEST]}"
        page.line(Cell(f"{record.state.value}  "), Cell(head, "heading"))
        add_fact(page, "rollback", f"of {record.time}, to {record.target[:SHORT_DIGEST]}")
        if record.commit != record.saved.head:
            add_fact(page, "left", f"{record.commit[:SHORT_DIGEST]}, the commit that it had made")
        add_fact(page, "saved", record.saved.ref)
        return page
    page.line(Cell(f"{record.state.value}  "), Cell(f"back to {record.target[:SHORT_DIGEST]}", "heading"))
    add_fact(page, "commit", record.commit)
    add_fact(page, "saved", record.saved.ref)
    return page


def build_rollbacks_page(records: tuple[RollbackRecord, ...]) -> Page:
    """Every rollback, oldest first."""
    page = Page()
    if not records:
        page.line(Cell("nothing was ever rolled back here", "muted"))
    for record in records:
        words = f"to {record.target[:SHORT_DIGEST]} by {record.owner}; saved in {record.saved.ref}"
        page.line(
            Cell(f"{record.time}  ", "muted"), Cell(f"{record.state.value}  "), Cell(render_safe(words)), indent=4
        )
    return page


def _add_rows(page: Page, title: str, rows: list[str], most: int | None) -> None:
    if not rows:
        return
    page.heading(title, plural(len(rows), "line"))
    shown = rows if most is None else rows[:most]
    for row in shown:
        page.line(Cell("  "), Cell(render_safe(row)), indent=4)
    if len(shown) < len(rows):
        page.line(Cell(f"  and {len(rows) - len(shown)} more", "muted"))
