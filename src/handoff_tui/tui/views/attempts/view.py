"""The attempts of the handoff in view: side by side as rows, one of them whole, two compared, and why it fails now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import ClassVar

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.attempts.compare_page import build_compare_page
from handoff_tui.history.attempts.page import build_attempt_page
from handoff_tui.history.attempts.report import AttemptRecord
from handoff_tui.history.failure.page import build_failure_page
from handoff_tui.live.state.desk import DeskState, Loaded, Part, Scope, Value
from handoff_tui.tui.clock import read_now
from handoff_tui.tui.messages import ComparisonWanted, CopyWanted, FailureWanted, Said, ScopeWanted, ViewWanted
from handoff_tui.tui.views.attempts.list import AttemptList
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.widgets.freshness import describe_freshness
from handoff_tui.tui.widgets.row_list import EmptyRows

_SHOWN = ("attempts", "comparison", "failure", "chosen", "inbox")


class _Below(Enum):
    """What the page under the list is about."""

    ATTEMPT = "The attempt, whole"
    COMPARISON = "Two attempts compared"
    FAILURE = "Why it fails now"


class AttemptsView(ListedView):
    """Attempts newest first."""

    DEFAULT_CSS = """
    AttemptsView RowList { height: auto; max-height: 45%; min-height: 3; }
    AttemptsView PageView { height: 1fr; }
    """
    scope = "attempts"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.ATTEMPTS})
    hints: ClassVar[tuple[str, ...]] = (
        *("app.open", "attempts.failure", "attempts.compare", "attempts.mark", "attempts.diff"),
    )

    def __init__(self) -> None:
        super().__init__(id="attempts")
        self._state = DeskState()
        self._rows: AttemptList | None = None
        self._marked = ""
        self._below = _Below.ATTEMPT

    def show(self, state: DeskState) -> None:
        before, self._state = self._state, state
        if all(getattr(state, name) is getattr(before, name) for name in _SHOWN):
            return
        if state.chosen != before.chosen:
            self._marked, self._below = "", _Below.ATTEMPT
        if state.attempts is not before.attempts or state.chosen != before.chosen or state.inbox is not before.inbox:
            self.redraw()
        self.show_page()

    def redraw(self) -> None:
        view = self._state.attempts.value
        self._rows = None if view is None else AttemptList(view.histories, marked=self._marked, text=self._text)
        if self._rows is None or not self._rows.keys:
            self.show_rows(EmptyRows(self._explain_empty()))
        else:
            self.show_rows(self._rows, self._rows.build_heading(self.room))

    def build_page(self) -> Page:
        if self._below is _Below.COMPARISON:
            compared = self._state.comparison
            if compared.value is not None and not compared.loading:
                return build_compare_page(compared.value, everything=True)
            return _explain(compared, "comparing…")
        if self._below is _Below.FAILURE:
            failure = self._state.failure
            if failure.value is not None and not failure.loading:
                return build_failure_page(failure.value)
            return _explain(failure, "looking at every check that does not pass…")
        record = self._record
        return Page() if record is None else build_attempt_page(record)

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell(self._below.value, "muted"),)

    def highlight(self, key: str) -> None:  # noqa: ARG002 - the page follows by itself
        self._below = _Below.ATTEMPT

    def refuse(self, action: str) -> str:
        if action == "attempts.failure":
            return "no handoff is chosen" if self._state.item is None else ""
        if not (action.startswith("attempts.") or action == "app.copy"):
            return ""
        record = self._record
        if record is None:
            return "no attempt is chosen"
        if action == "attempts.compare" and self._other is None:
            return "there is none before it; mark another one first"
        return self._refuse_diff() if action == "attempts.diff" else ""

    def _refuse_diff(self) -> str:
        record, other = self._record, self._other
        if other is None or record is None:
            return "there is none before it; mark another one first"
        missing = next((one for one in (other, record) if one.commit is None), None)
        return "" if missing is None else f"which commit {render_safe(missing.name)} is about is not known"

    def list_acts(self) -> Mapping[str, Callable[[], object]]:
        return {
            "attempts.compare": self._compare,
            "attempts.mark": self._mark,
            "attempts.failure": self._explain_failure,
            "attempts.diff": self._open_diff,
            "app.copy": self._copy,
        }

    def describe_found(self) -> str:
        found = sum(bool(key) for key in self._rows.keys) if self._rows else 0
        return f"{plural(found, 'attempt')} {'fits' if found == 1 else 'fit'}"

    def describe(self) -> tuple[Cell, ...]:
        view, repository = self._state.attempts.value, self._state.repository
        if view is None or repository is None:
            return ()
        fatal = any(history.fatal for history in view.histories)
        total = sum(len(history.attempts) for history in view.histories)
        marked = f" · {render_safe(self._marked)} is marked" if self._marked else ""
        fresh = describe_freshness(self._state.attempts, repository.watching, read_now())
        sound = (Cell(" ✗ the log is not sound ·", "fail"),) if fatal else ()
        return (*sound, Cell(f" {plural(total, 'attempt')}{marked} · ", "muted"), fresh)

    @property
    def _record(self) -> AttemptRecord | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    @property
    def _other(self) -> AttemptRecord | None:
        """What the attempt under the cursor is compared with: the marked one, or the one before."""
        if self._rows is None:
            return None
        if self._marked and self._marked != self.rows.key:
            return self._rows.find(self._marked)
        return self._rows.find_earlier(self.rows.key)

    @property
    def _pair(self) -> tuple[AttemptRecord, AttemptRecord] | None:
        """The older one first, where both are of one phase."""
        record, other = self._record, self._other
        if record is None or other is None:
            return None
        same = record.name.rpartition(":")[0] == other.name.rpartition(":")[0]
        return (record, other) if same and _is_before(record, other) else (other, record)

    def _compare(self) -> None:
        if (pair := self._pair) is not None:
            self._below = _Below.COMPARISON
            self.post_message(ComparisonWanted(pair[0].name, pair[1].name))
            self.show_page(from_top=True)

    def _mark(self) -> None:
        self._marked = "" if self._marked == self.rows.key else self.rows.key
        self.redraw()
        words = f"{self._marked} is marked: D on another one compares both" if self._marked else "nothing is marked"
        self.post_message(Said(words))

    def _explain_failure(self) -> None:
        self._below = _Below.FAILURE
        self.post_message(FailureWanted())
        self.show_page(from_top=True)
        self.page.focus(scroll_visible=False)

    def _open_diff(self) -> None:
        if (pair := self._pair) is not None and pair[0].commit is not None and pair[1].commit is not None:
            self.post_message(ScopeWanted(Scope(DiffScope.BETWEEN, pair[0].commit, pair[1].commit)))
            self.post_message(ViewWanted("diff"))

    def _copy(self) -> None:
        if (record := self._record) is not None:
            self.post_message(CopyWanted(record.name, "the attempt's name"))

    def _explain_empty(self) -> Cell:
        part = self._state.attempts
        if part.trouble is not None:
            return Cell(f"✗ {render_safe(part.trouble.message)}. {render_safe(part.trouble.hint)}", "fail")
        if self._state.item is None:
            return Cell("no handoff is chosen: 1 shows the inbox", "muted")
        if part.value is None:
            return Cell("reading log, commits and runs…", "muted")
        if self._text:
            return Cell(f"nothing fits «{render_safe(self._text)}»", "muted")
        return Cell("nobody has tried this yet: no entry, no document, no run of an agent, no work", "muted")


def _explain(part: Loaded[Value], waits: str) -> Page:
    """A page for what is not read yet, or could not be."""
    page = Page()
    if part.trouble is not None:
        page.line(Cell(f"✗ {render_safe(part.trouble.message)}", "fail"), indent=2)
        page.line(Cell(render_safe(part.trouble.hint), "muted"), indent=2)
    else:
        page.line(Cell(waits, "muted"))
    return page


def _is_before(record: AttemptRecord, other: AttemptRecord) -> bool:
    """What is here now comes after every number."""
    return not record.name.endswith(":now") and (other.name.endswith(":now") or record.number < other.number)
