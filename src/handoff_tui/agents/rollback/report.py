"""A rollback to the last approved commit, before and after: as values, JSON shapes and pages."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.agents.step.page import add_list
from handoff_tui.agents.step.report import NewCommit, TouchedFile
from handoff_tui.core.model import Model
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/rollback/v1"
_MOST = 40


class RollbackPreview(Model):
    """What would change. Nothing was touched."""

    target: str
    """The last approved commit."""
    reason: str
    head: str
    branch: str | None = None
    files: tuple[TouchedFile, ...] = ()
    """How the files would change."""
    commits: tuple[NewCommit, ...] = ()
    """Commits whose work would be undone; they stay in the history."""
    uncommitted: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    """Uncommitted paths that no agent touched: somebody's own work."""
    unsavable: tuple[str, ...] = ()
    """Paths that can't be saved, each with the reason."""
    held: tuple[str, ...] = ()
    """Who is working here now."""

    @property
    def is_empty(self) -> bool:
        return not self.files and not self.uncommitted


class RollbackState(StrEnum):
    """How far a rollback is."""

    BEGUN = "begun"
    DONE = "done"
    UNDONE = "undone"


class SavedWork(Model):
    """Everything that was there before, saved under a ref."""

    ref: str
    commit: str
    tree: str
    index_tree: str
    head: str
    raw: tuple[str, ...] = ()
    """Paths that were uncommitted, saved byte by byte."""


class SavedNotes(Model):
    """Notes that went with the commits they were on."""

    ref: str
    before: str
    after: str


class Rollback(Model):
    """One rollback, as its journal has it."""

    id: str
    time: str
    owner: str
    state: RollbackState
    target: str
    saved: SavedWork
    tree: str
    """The tree that the rollback leads to."""
    commit: str
    """The commit it made; the old one if only uncommitted work was undone."""
    branch: str | None = None
    notes: SavedNotes | None = None
    """The notes that it took along; None if there were none."""


def build_preview_json(preview: RollbackPreview) -> dict[str, object]:
    """Returns the shape promised to scripts for what would be done."""
    return {"schema": SCHEMA, "applied": False, **preview.model_dump(mode="json")}


def build_rollback_json(records: tuple[Rollback, ...]) -> dict[str, object]:
    """Returns the same for what was done."""
    return {"schema": SCHEMA, "applied": True, "rollbacks": [record.model_dump(mode="json") for record in records]}


def build_preview_page(preview: RollbackPreview, *, everything: bool = False) -> Page:
    """Shows where it leads and why, what would change, and what stands in the way."""
    page = Page()
    page.line(Cell("dry run  ", "muted"), Cell(f"back to {preview.target[:SHORT_DIGEST]}", "heading"))
    page.fact("why", preview.reason)
    page.fact("from", f"{preview.head[:SHORT_DIGEST]} on {preview.branch or 'no branch'}")
    most = None if everything else _MOST
    add_list(page, "Files", [f"{file.change}  {file.path}" for file in preview.files], most)
    commits = [f"{one.id[:SHORT_DIGEST]} {one.subject}" for one in preview.commits]
    add_list(page, "Commits that are undone; they stay in the history", commits, most)
    add_list(page, "Uncommitted, saved first", preview.uncommitted, most)
    add_list(page, "In the way: can't be saved", preview.unsavable, most)
    add_list(page, "In the way: agents at work", preview.held, most)
    add_list(page, "In the way: not the work of an agent", preview.unexplained, most)
    page.blank()
    page.line(Cell("handoff-tui rollback --apply does it; --undo brings everything back", "muted"))
    return page


def build_done_page(record: Rollback) -> Page:
    """Shows where HEAD is now, and where the earlier work is saved."""
    page = Page()
    if record.state is RollbackState.UNDONE:
        head = f"everything is back; HEAD is {record.saved.head[:SHORT_DIGEST]}"
        page.line(Cell(f"{record.state.value}  "), Cell(head, "heading"))
        page.fact("rollback", f"of {record.time}, to {record.target[:SHORT_DIGEST]}")
        if record.commit != record.saved.head:
            page.fact("left", f"{record.commit[:SHORT_DIGEST]}, the commit it had made")
        page.fact("saved", record.saved.ref)
        return page
    page.line(Cell(f"{record.state.value}  "), Cell(f"back to {record.target[:SHORT_DIGEST]}", "heading"))
    page.fact("commit", record.commit)
    page.fact("saved", record.saved.ref)
    return page


def build_rollbacks_page(records: tuple[Rollback, ...]) -> Page:
    """Lists every rollback, oldest first."""
    page = Page()
    if not records:
        page.line(Cell("No rollbacks yet", "muted"))
    for record in records:
        words = f"to {record.target[:SHORT_DIGEST]} by {record.owner}; saved in {record.saved.ref}"
        page.line(
            Cell(f"{record.time}  ", "muted"), Cell(f"{record.state.value}  "), Cell(render_safe(words)), indent=4
        )
    return page
