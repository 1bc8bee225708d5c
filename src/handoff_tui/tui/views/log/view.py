"""The signed log: entries as a graph, each with the result of verification, and the selected one in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.ages import describe_ago
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Line, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.views import GateView
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.log.entry import NO_BASELINE
from handoff_tui.log.show.page import build_entry_page, build_report_page
from handoff_tui.log.show.view import EntryState, EntryView, LogRow
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.messages import (
    CopyWanted,
    EntryWanted,
    HandoffChosen,
    StatusTextWanted,
    TravelWanted,
    VerifyWanted,
    ViewWanted,
)
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.log.rows import ENTRY_STATES, LogRows
from handoff_tui.tui.widgets.freshness import describe_freshness, read_now
from handoff_tui.tui.widgets.row_list import EmptyRows

_DECISION = "decision"


def build_entry_detail(view: EntryView, gate: GateView | None, rows: Sequence[LogRow]) -> Page:
    """Shows what matters first: its state, whether it still holds, whether a person decided; then every field."""
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
    """Shows what the list knows of an entry, until it has been read in full."""
    page = Page()
    label = ENTRY_STATES[row.state]
    page.line(Cell(f"{label}  ", label.role), Cell(row.id, "key"))
    if row.why:
        page.line(Cell(render_safe(row.why), label.role), indent=2)
    if has_no_human(row, rows):
        add_no_human(page, row)
    return page


def has_no_human(row: LogRow, rows: Sequence[LogRow]) -> bool:
    """Tells whether no person has validly decided on the work of an entry."""
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
        Cell("Text that claims an approval doesn't count: only decisions signed with a reviewer's key do.", "muted"),
        indent=2,
    )


def find_changes(view: EntryView, gate: GateView | None) -> tuple[str, ...] | None:
    """Lists what has changed since the entry was signed; None if that can't be told."""
    if gate is None or view.entry is None or view.entry.work is None:
        return None
    work = view.entry.work
    if (gate.report.handoff, gate.report.phase) != (work.handoff, work.phase):
        return None
    then, now = work.subject.model_dump(), gate.subject.model_dump()
    changed = [name for name, value in then.items() if now[name] != value]
    return (*changed, *(["policy"] if gate.report.policy not in {None, work.policy} else []))


def _split_head(page: Page) -> tuple[list[Line], list[Line]]:
    """Returns the lines before the first blank one: the state, and why."""
    parts = [part for part in page.parts if isinstance(part, Line)]
    place = next((number for number, part in enumerate(parts) if not part.cells), len(parts))
    return parts[:place], parts[place:]


def _add_standing(page: Page, view: EntryView, gate: GateView | None) -> None:
    if view.entry is None or view.entry.work is None:
        return
    changed = find_changes(view, gate)
    if changed is None:
        page.line(Cell("? Open its handoff (o) to see whether it still holds.", "muted"), indent=2)
    elif changed:
        page.line(Cell(f"≠ Changed since it was signed: {', '.join(changed)}.", "warning"), indent=2)
    else:
        page.line(Cell("✓ Everything it was bound to is unchanged.", "pass"), indent=2)


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


_SHOWN = ("log", "entry", "report", "gate", "chosen", "repositories")


class LogView(ListedView):
    """Entries newest first; below them the selected entry, or the report of a verification."""

    scope = "log"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.LOG, Part.GATE})
    hints: ClassVar[tuple[str, ...]] = (
        *("app.open", "log.verify", "log.open-file", "log.time-travel", "log.follow", "app.copy"),
    )

    def __init__(self) -> None:
        super().__init__(id="log")
        self._state = AppState()
        self._rows: LogRows | None = None
        self._following = False
        self._reporting = False
        self._asked = ""
        self._expected = ""
        """The entry to go to once it is listed."""

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if all(getattr(state, name) is getattr(before, name) for name in _SHOWN):
            return
        if state.log.value is not before.log.value:
            self._asked = ""
            self.redraw()
        elif state.log is not before.log and state.log.value is None:
            self.redraw()
        self._ask_for_entry(self.rows.key)
        self.show_page()

    def redraw(self) -> None:
        view = self._state.log.value
        self._rows = None if view is None or not view.total else LogRows(view, self._text)
        if self._rows is None or not self._rows.keys:
            self.show_rows(EmptyRows(self._explain_empty()))
            return
        self.show_rows(self._rows, self._rows.build_heading(self.room))
        if self._following:
            self.rows.choose(self._rows.keys[0])
        self._go_to_expected()

    def go_to(self, path: str, line: int | None) -> None:  # noqa: ARG002 - an entry has no lines
        """Goes to an entry by id."""
        self._expected = path
        if self._text:
            self._text = ""
            self.redraw()
        self._go_to_expected()

    def _go_to_expected(self) -> None:
        if self._expected and self._rows is not None and self._expected in self._rows.keys:
            self.rows.choose(self._expected)
            self._expected = ""

    def build_page(self) -> Page:
        state, row = self._state, self._row
        if self._reporting:
            return self._build_report()
        if row is None or state.log.value is None:
            return Page()
        entry = state.entry.value
        if entry is not None and entry.row.id == row.id:
            return build_entry_detail(entry, state.gate.value, state.log.value.rows)
        page = build_row_detail(row, state.log.value.rows)
        if state.entry.trouble is not None:
            page.line(Cell(f"✗ {render_safe(state.entry.trouble.message)}", "fail"), indent=2)
        else:
            page.line(Cell("reading…", "muted"), indent=2)
        return page

    def _build_report(self) -> Page:
        report = self._state.report
        if report.value is not None and not report.loading:
            return build_report_page(report.value, everything=True)
        page = Page()
        if report.trouble is not None:
            page.line(Cell(f"✗ {render_safe(report.trouble.message)} {render_safe(report.trouble.hint)}", "fail"))
        else:
            page.line(Cell("Verifying every byte of the log…", "muted"))
        return page

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell("Verification of the log" if self._reporting else "Entry", "muted"),)

    def highlight(self, key: str) -> None:
        self._reporting = False
        self._ask_for_entry(key)

    def _ask_for_entry(self, key: str) -> None:
        if key and key != self._asked:
            self._asked = key
            self.post_message(EntryWanted(key))

    def refuse(self, action: str) -> str:
        if action == "log.open-file":
            return self._refuse_handoff()
        if action == "app.copy" and self._row is None:
            return "no entry selected"
        return ""

    def _refuse_handoff(self) -> str:
        row = self._row
        if row is None or row.handoff is None:
            return "this entry isn't about a handoff"
        return "" if self._find_key(row) else f"{render_safe(row.handoff)} is no longer in this repository"

    def list_acts(self) -> Mapping[str, Callable[[], object]]:
        return {
            "log.verify": self._verify,
            "log.open-file": self._open_handoff,
            "log.follow": self._toggle_following,
            "log.time-travel": self._travel,
            "app.copy": self._copy,
        }

    def describe_found(self) -> str:
        found = len(self._rows.keys) if self._rows else 0
        return f"{plural(found, 'entry')} · who: handoff: verb: phase: state:"

    def describe(self) -> tuple[Cell, ...]:
        view, repository = self._state.log.value, self._state.repository
        if view is None or repository is None:
            return ()
        odd = [
            f"{count} {state.value}"
            for state in (EntryState.REFUSED, EntryState.VOID)
            if (count := sum(row.state is state for row in view.rows))
        ]
        words = ", ".join([f"{view.total:,} entries", *odd])
        heads = f" · {len(view.heads)} heads: it forks" if len(view.heads) > 1 else ""
        report = self._state.report
        found = report.value is not None and report.value.fatal  # it reads every byte; the list reads only what is new
        verdict = Cell(" ✗ not intact", "fail") if view.fatal or found else Cell(" ✓ intact", "pass")
        ago = describe_ago(report.at, read_now()) if report.value is not None else ""
        verified = f" · verified {ago}" if ago else ""
        following = " · following" if self._following else ""
        fresh = describe_freshness(self._state.log, repository.watching, read_now())
        return (verdict, Cell(f" · {words}{heads}{verified}{following} · ", "muted"), fresh)

    @property
    def _row(self) -> LogRow | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    def _find_key(self, row: LogRow) -> HandoffKey | None:
        repository = self._state.repository
        root = repository.root if repository else ""
        keys = (item.key for item in self._state.inbox)
        return next((key for key in keys if (key.root, key.handoff) == (root, row.handoff)), None)

    def _verify(self) -> None:
        self._reporting = True
        self.post_message(VerifyWanted())
        self.show_page(from_top=True)

    def _travel(self) -> None:
        """Travels to the selected entry, or to the newest stop if the entry doesn't count."""
        row = self._row
        self.post_message(TravelWanted(row.id if row is not None and row.state is EntryState.VALID else None))

    def _open_handoff(self) -> None:
        row = self._row
        key = self._find_key(row) if row is not None else None
        if key is not None:
            self.post_message(HandoffChosen(key))
            self.post_message(ViewWanted("pipeline"))

    def _toggle_following(self) -> None:
        self._following = not self._following
        self.redraw()
        self.post_message(
            StatusTextWanted("The cursor stays on the newest entry" if self._following else "not following")
        )

    def _copy(self) -> None:
        if self._row is not None:
            self.post_message(CopyWanted(self._row.id, "the entry's id"))

    def _explain_empty(self) -> Cell:
        part, repository = self._state.log, self._state.repository
        trouble = part.trouble or (repository.state.trouble if repository is not None else None)
        if trouble is not None:
            return Cell(f"✗ {render_safe(trouble.message)}. {render_safe(trouble.hint)}", "fail")
        if part.value is None:
            return Cell("Reading the log…", "muted")
        if not part.value.total:
            return Cell("No signed log here yet. `handoff-tui init` starts one.", "muted")
        return Cell("No matches", "muted")
