"""One entry of the log beside how things are now: whether what it was bound to still holds, and who decided."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.page import Cell, Line, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.values.gate_view import GateView
from handoff_tui.log.record import NO_BASELINE
from handoff_tui.log.show.page import build_entry_page
from handoff_tui.log.show.view import EntryState, EntryView, LogRow
from handoff_tui.tui.views.log.rows import ENTRY_STATES

_DECISION = "decision"


def build_entry_detail(view: EntryView, gate: GateView | None, rows: Sequence[LogRow]) -> Page:
    """What matters first: its state, whether it still holds, whether a person decided; then every field."""
    whole = build_entry_page(view)
    head, rest = _split_head(whole)
    page = Page([*head])
    _add_standing(page, view, gate)
    if has_no_human(view.row, rows):
        add_no_human(page, view.row)
    page.parts += rest
    _add_comparison(page, view, gate)
    return page


def build_row_detail(row: LogRow, rows: Sequence[LogRow]) -> Page:
    """What the list knows of an entry, until it was read whole."""
    page = Page()
    label = ENTRY_STATES[row.state]
    page.line(Cell(f"{label}  ", label.role), Cell(row.id, "key"))
    if row.why:
        page.line(Cell(render_safe(row.why), label.role), indent=2)
    if has_no_human(row, rows):
        add_no_human(page, row)
    return page


def has_no_human(row: LogRow, rows: Sequence[LogRow]) -> bool:
    """Whether nobody has validly decided about the work that an entry is about."""
    if row.handoff is None or (row.kind == _DECISION and row.state is EntryState.VALID):
        return False
    work = (row.handoff, row.phase, row.attempt)
    return not any(
        other.kind == _DECISION
        and other.state is EntryState.VALID
        and (other.handoff, other.phase, other.attempt) == work
        for other in rows
    )


def add_no_human(page: Page, row: LogRow) -> None:
    work = render_safe(f"{row.phase} of {row.handoff}, attempt {row.attempt}")
    page.line(Cell(f"No human input is recorded for {work}.", "warning"), indent=2)
    page.line(
        Cell("A text that claims an approval is none: only decisions signed by a reviewer's key count.", "muted"),
        indent=2,
    )


def find_changes(view: EntryView, gate: GateView | None) -> tuple[str, ...] | None:
    """What is not any more as it was when the entry was signed; nothing where it cannot be told."""
    if gate is None or view.entry is None or view.entry.work is None:
        return None
    work = view.entry.work
    if (gate.report.handoff, gate.report.phase) != (work.handoff, work.phase):
        return None
    then, now = work.subject.model_dump(), gate.subject.model_dump()
    changed = [name for name, value in then.items() if now[name] != value]
    return (*changed, *(["policy"] if gate.report.policy not in {None, work.policy} else []))


def _split_head(page: Page) -> tuple[list[Line], list[Line]]:
    """The lines before the first blank one: the state, and why."""
    parts = [part for part in page.parts if isinstance(part, Line)]
    place = next((number for number, part in enumerate(parts) if not part.cells), len(parts))
    return parts[:place], parts[place:]


def _add_standing(page: Page, view: EntryView, gate: GateView | None) -> None:
    if view.entry is None or view.entry.work is None:
        return
    changed = find_changes(view, gate)
    if changed is None:
        page.line(Cell("? Whether it still holds is told when its handoff is in view (o).", "muted"), indent=2)
    elif changed:
        page.line(Cell(f"≠ Changed since it was signed: {', '.join(changed)}.", "warning"), indent=2)
    else:
        page.line(Cell("✓ Everything that it was bound to is still so.", "pass"), indent=2)


def _add_comparison(page: Page, view: EntryView, gate: GateView | None) -> None:
    changed = find_changes(view, gate)
    if changed is None or gate is None or view.entry is None or view.entry.work is None:
        return
    page.heading("Then and now")
    then, now = view.entry.work.subject.model_dump(), gate.subject.model_dump()
    for name, value in (*then.items(), ("policy", view.entry.work.policy)):
        other = gate.report.policy or "" if name == "policy" else now[name]
        if name in changed:
            page.line(
                Cell("≠ ", "warning"),
                Cell(f"{name:<10}", "muted"),
                Cell(f"{_shorten(value)} → {_shorten(other)}", "warning"),
                indent=4,
            )
        else:
            page.line(Cell("✓ ", "pass"), Cell(f"{name:<10}", "muted"), Cell(_shorten(value)), indent=4)


def _shorten(digest: str) -> str:
    return "none" if digest in {"", NO_BASELINE} else render_safe(digest.removeprefix("sha256:")[:SHORT_DIGEST])
