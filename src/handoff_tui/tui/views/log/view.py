"""The signed log: entries as a graph, each with what verification says of it, and one of them whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from handoff_tui.core.text.ages import describe_ago
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.desk import DeskState, Part
from handoff_tui.log.show.page import build_report_page
from handoff_tui.log.show.view import EntryState, LogRow
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.clock import read_now
from handoff_tui.tui.messages import (
    CopyWanted,
    EntryWanted,
    HandoffChosen,
    Said,
    TravelWanted,
    VerifyWanted,
    ViewWanted,
)
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.log.detail import build_entry_detail, build_row_detail
from handoff_tui.tui.views.log.rows import LogRows
from handoff_tui.tui.widgets.freshness import describe_freshness
from handoff_tui.tui.widgets.row_list import EmptyRows

_SHOWN = ("log", "entry", "report", "gate", "chosen", "repositories")


class LogView(ListedView):
    """Entries newest first; below them the entry under the cursor, or the report of a verification."""

    scope = "log"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.LOG, Part.GATE})
    hints: ClassVar[tuple[str, ...]] = (
        *("app.open", "log.verify", "log.open-file", "log.time-travel", "log.follow", "app.copy"),
    )

    def __init__(self) -> None:
        super().__init__(id="log")
        self._state = DeskState()
        self._rows: LogRows | None = None
        self._following = False
        self._reporting = False
        self._asked = ""
        self._expected = ""
        """The entry to go to as soon as it is listed."""

    def show(self, state: DeskState) -> None:
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
        """An entry by its id."""
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
            page.line(Cell("verifying every byte of the log…", "muted"))
        return page

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell("Verification of the whole log" if self._reporting else "Entry", "muted"),)

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
            return "no entry is chosen"
        return ""

    def _refuse_handoff(self) -> str:
        row = self._row
        if row is None or row.handoff is None:
            return "this entry is about no handoff"
        return "" if self._find_key(row) else f"{render_safe(row.handoff)} is not in this repository any more"

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
        return f"{plural(found, 'entry').replace('entrys', 'entries')} · who: handoff: verb: phase: state:"

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
        found = report.value is not None and report.value.fatal  # it looks at every byte, the list at what is new
        verdict = Cell(" ✗ not sound", "fail") if view.fatal or found else Cell(" ✓ sound", "pass")
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
        """To the entry under the cursor; one that does not count leads to the newest stop."""
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
        self.post_message(Said("the cursor stays on the newest entry" if self._following else "not following"))

    def _copy(self) -> None:
        if self._row is not None:
            self.post_message(CopyWanted(self._row.id, "the entry's id"))

    def _explain_empty(self) -> Cell:
        part, repository = self._state.log, self._state.repository
        trouble = part.trouble or (repository.state.trouble if repository is not None else None)
        if trouble is not None:
            return Cell(f"✗ {render_safe(trouble.message)}. {render_safe(trouble.hint)}", "fail")
        if part.value is None:
            return Cell("reading the log…", "muted")
        if not part.value.total:
            return Cell("there is no signed log here yet: `handoff-tui init` begins one", "muted")
        return Cell("no entry fits", "muted")
