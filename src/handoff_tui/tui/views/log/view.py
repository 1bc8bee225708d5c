"""The signed log: entries as a graph, each with the result of verification, and the selected one in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.labels import describe_ago, plural
from handoff_tui.core.text.page import Cell, Line, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.views import GateView
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.log.entry import NO_BASELINE
from handoff_tui.log.show.page import build_entry_page, build_report_page
from handoff_tui.log.show.view import ENTRY_STATES, EntryState, EntryView, LogRow, ShownLog
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.messages import (
    CopyWanted,
    EntryWanted,
    HandoffOpened,
    StatusTextWanted,
    TravelWanted,
    VerifyWanted,
)
from handoff_tui.tui.views.listed_view import ListedView, build_answer
from handoff_tui.tui.views.log.rows import LogRows
from handoff_tui.tui.views.view import Act, read_now

_DECISION = "decision"


def build_entry_detail(view: EntryView, gate: GateView | None, rows: Sequence[LogRow]) -> Page:
    """Shows what matters first: its state, whether it still holds, whether a person decided; then every field."""
    head, rest = _split_head(build_entry_page(view))
    page = Page([_name_entry(view.row), *head[1:]])
    _add_standing(page, view, gate)
    if has_no_human(view.row, rows):
        add_no_human(page, view.row)
    page.parts += rest
    page.line(Cell("entry     ", "muted"), Cell(view.row.id, "key"), indent=10)
    _add_comparison(page, view, gate)
    return page


def _name_entry(row: LogRow) -> Line:
    """`✓ valid  approve of H-2 in build, by marit.holm@example.com`: an id tells a reader nothing."""
    label = ENTRY_STATES[row.state]
    about = f" of {row.handoff}" + (f" in {row.phase}" if row.phase else "") if row.handoff else ""
    by = f", by {row.actor}" if row.actor else ""
    return Line((Cell(f"{label}  ", label.role), Cell(render_safe(f"{row.what or row.id}{about}{by}"), "heading")))


def build_row_detail(row: LogRow, rows: Sequence[LogRow]) -> Page:
    """Shows what the list knows of an entry, until it has been read in full."""
    page = Page([_name_entry(row)])
    if row.why:
        page.line(Cell(render_safe(row.why), ENTRY_STATES[row.state].role), indent=2)
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
        page.line(Cell("? Enter opens its handoff and says whether it still holds.", "muted"), indent=2)
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


class LogView(ListedView[LogRows]):
    """Entries newest first; below them the selected entry, or the report of a verification."""

    parts: ClassVar[frozenset[Part]] = frozenset({Part.LOG, Part.GATE})
    hints: ClassVar[tuple[str, ...]] = (*("app.open", "review.run", "travel.begin", "app.follow", "app.copy"),)
    listed = "log"
    shown = ("log", "entry", "report", "gate", "chosen", "repositories")
    waiting = "Reading the log…"
    of_handoff = False
    _following = False
    _reporting = False
    _asked = ""
    _expected = ""
    """The entry to go to once it is listed."""

    def update_from(self, before: AppState) -> None:
        log = self._state.log
        if log.value is not before.log.value or (log is not before.log and log.value is None):
            self._asked = ""
            self.redraw()
        self._ask_for_entry(self.rows.key)
        self.show_page()

    def redraw(self) -> None:
        super().redraw()
        if self._following and self.table is not None and self.table.keys:
            self.rows.choose(self.table.keys[0])
        self._go_to_expected()

    def build_rows(self, value: ShownLog) -> LogRows:
        return LogRows(value, self._text)

    def go_to(self, path: str, line: int | None) -> None:  # noqa: ARG002 - an entry has no lines
        """Goes to an entry by id."""
        self._expected = path
        if self._text:
            self._text = ""
            self.redraw()
        self._go_to_expected()

    def _go_to_expected(self) -> None:
        if self._expected and self.table is not None and self._expected in self.table.keys:
            self.rows.choose(self._expected)
            self._expected = ""

    def build_page(self) -> Page:
        state, row = self._state, self._row
        if self._reporting:
            build = partial(build_report_page, everything=True)
            return build_answer(state.report, build, "Verifying every byte of the log…")
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

    def describe_page(self) -> str:
        return "Verification of the log" if self._reporting else "Entry"

    def highlight(self, key: str) -> None:
        self._reporting = False
        self._ask_for_entry(key)

    def _ask_for_entry(self, key: str) -> None:
        if key and key != self._asked:
            self._asked = key
            self.post_message(EntryWanted(key))

    def refuse(self, action: str) -> str:
        if action == "app.open":
            return self._refuse_handoff() if self.focused_lines is self.rows else ""
        if action == "app.copy" and self._row is None:
            return "no entry selected"
        return ""

    def _refuse_handoff(self) -> str:
        row = self._row
        if row is None or row.handoff is None:
            return "this entry isn't about a handoff"
        return "" if self._find_key(row) else f"{render_safe(row.handoff)} is no longer in this repository"

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {
            "review.run": self._verify,
            "app.follow": self._toggle_following,
            "travel.begin": self._travel,
        }
        if self.focused_lines is self.rows:
            acts["app.open"] = self._open_handoff
        return acts if self._row is None else acts | {"app.copy": CopyWanted(self._row.id, "the entry's id")}

    def describe_found(self) -> str:
        return f"{plural(len(self.table.keys) if self.table else 0, 'entry')} · who: handoff: verb: phase: state:"

    def describe(self) -> tuple[Cell, ...]:
        view = self._state.log.value
        if view is None:
            return ()
        if not view.total:
            return (Cell(" Nothing is signed here yet", "muted"),)
        odd = [
            f"{count} {state.value}"
            for state in (EntryState.REFUSED, EntryState.VOID)
            if (count := sum(row.state is state for row in view.rows))
        ]
        signed = sum(row.state is EntryState.VALID for row in view.rows)
        words = ", ".join([plural(signed, "signed entry"), *odd])
        heads = f" · {len(view.heads)} heads: it forks" if len(view.heads) > 1 else ""
        report = self._state.report
        found = report.value is not None and report.value.fatal  # it reads every byte; the list reads only what is new
        broken = view.fatal or bool(found)
        sound = Cell(" ! intact", "warning") if odd else Cell(" ✓ intact", "pass")
        verdict = Cell(" ✗ not intact", "fail") if broken else sound
        ago = describe_ago(report.at, read_now()) if report.value is not None else ""
        verified = f" · verified {ago}" if ago else ""
        following = " · following" if self._following else ""
        counted = Cell(f" · {words}{heads}{verified}{following} · ", "muted")
        return (verdict, counted, self.describe_freshness())

    @property
    def _row(self) -> LogRow | None:
        return self.table.find(self.rows.key) if self.table is not None else None

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
            self.post_message(HandoffOpened(key, "history"))

    def _toggle_following(self) -> None:
        self._following = not self._following
        self.redraw()
        self.post_message(
            StatusTextWanted("The cursor stays on the newest entry" if self._following else "not following")
        )

    def describe_nothing(self) -> Cell:
        return Cell(f"No signed log here yet; {self.show_key('app.setup')} sets it up", "muted")
