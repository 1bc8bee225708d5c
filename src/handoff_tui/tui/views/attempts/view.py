"""The attempts of the current handoff: as rows, one in full, two compared, and why it fails now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import ClassVar, Final, NamedTuple

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.text.columns import Field, Row, build_cells, build_headings
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.attempts.compare_page import build_compare_page
from handoff_tui.history.attempts.page import build_attempt_page
from handoff_tui.history.attempts.report import AttemptHistory, PastAttempt
from handoff_tui.history.attempts.words import (
    describe_asked,
    describe_changes,
    describe_checks,
    describe_tests,
    describe_time,
    describe_when,
    describe_who,
    label_attempt,
    name_number,
)
from handoff_tui.history.failure.page import build_failure_page
from handoff_tui.live.state.app import AppState, Loaded, Part, Scope, Value
from handoff_tui.tui.messages import (
    ComparisonWanted,
    CopyWanted,
    FailureWanted,
    ScopeWanted,
    StatusTextWanted,
    ViewWanted,
)
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.widgets.freshness import describe_freshness, read_now
from handoff_tui.tui.widgets.row_list import EmptyRows

_FIELDS: Final = (
    Field("number", "NO.", 4, right=True),
    Field("outcome", "OUTCOME", 14),
    Field("who", "WHO", 12, grows=14),
    Field("ran", "RAN", 7, rank=4, right=True),
    Field("worked", "WORKED", 7, rank=2, right=True),
    Field("waited", "WAITED", 7, rank=1, right=True),
    Field("checks", "CHECKS", 7, rank=7),
    Field("flipped", "FLIPPED", 12, rank=6, grows=24),
    Field("tests", "TESTS", 10, rank=5, grows=20),
    Field("asked", "ASKED FOR", 18, rank=8),
    Field("when", "WHEN (UTC)", 16, rank=3),
)


class AttemptRows:
    """The rows of a history; the key is the attempt's name."""

    def __init__(self, history: AttemptHistory) -> None:
        self.records = history.attempts
        self.keys: Sequence[str] = tuple(record.name for record in self.records)

    def find(self, key: str) -> PastAttempt | None:
        return next((record for record in self.records if record.name == key), None)

    def build_heading(self, width: int) -> Row:
        return build_headings(_FIELDS, width)

    def build_row(self, index: int, width: int) -> Row:
        record = self.records[index]
        label = label_attempt(record.outcome)
        values: dict[str, Row] = {
            "number": (Cell(name_number(record), "key"),),
            "outcome": (Cell(str(label), label.role),),
            "who": (Cell(describe_who(record), "agent"),),
            "ran": (Cell(describe_time(record.ran_seconds), "muted"),),
            "worked": (Cell(describe_time(record.worked_seconds), "muted"),),
            "waited": (Cell(describe_time(record.waited_seconds), "muted"),),
            "checks": (Cell(describe_checks(record)),),
            "flipped": (Cell(describe_changes(record.check_changes)),),
            "tests": (Cell(describe_tests(record)),),
            "asked": (Cell(describe_asked(record)),),
            "when": (Cell(describe_when(record), "muted"),),
        }
        return build_cells(_FIELDS, values, width)


_MARK = 2
"""Columns for the mark on the attempt to compare with."""


class _Place(NamedTuple):
    """A row: an attempt, or the heading of its phase."""

    rows: AttemptRows
    number: int | None
    heading: str = ""


class AttemptList:
    """Attempts of one or more phases; the key is the attempt's name."""

    def __init__(self, histories: Sequence[AttemptHistory], *, marked: str = "", text: str = "") -> None:
        self._marked = marked
        wanted = text.casefold().split()
        self._places: list[_Place] = []
        self._heading = AttemptRows(histories[0]) if histories else None
        for history in histories:
            rows = AttemptRows(history)
            fitting = [index for index, record in enumerate(rows.records) if _fits(history, record, wanted)]
            if fitting and len(histories) > 1:
                title = f"{render_safe(history.phase)}  {plural(len(fitting), 'attempt')}"
                self._places.append(_Place(rows, None, title))
            self._places += [_Place(rows, index) for index in reversed(fitting)]
        self._keys = tuple("" if one.number is None else one.rows.keys[one.number] for one in self._places)

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    def find(self, key: str) -> PastAttempt | None:
        """Returns the attempt of a row; None for a heading."""
        place = self._find_place(key)
        return None if place is None or place.number is None else place.rows.records[place.number]

    def find_earlier(self, key: str) -> PastAttempt | None:
        """Returns the previous attempt at the same phase; None if there is none."""
        place = self._find_place(key)
        return place.rows.records[place.number - 1] if place is not None and place.number else None

    def build_heading(self, width: int) -> Row:
        heading = () if self._heading is None else self._heading.build_heading(max(1, width - _MARK))
        return (Cell(" " * _MARK), *heading)

    def build_row(self, index: int, width: int) -> Row:
        place = self._places[index]
        if place.number is None:
            return (Cell(place.heading, "heading"),)
        mark = Cell("◆ ", "waiting") if place.rows.keys[place.number] == self._marked else Cell("  ")
        return (mark, *place.rows.build_row(place.number, max(1, width - _MARK)))

    def _find_place(self, key: str) -> _Place | None:
        return self._places[self._keys.index(key)] if key and key in self._keys else None


def _fits(history: AttemptHistory, record: PastAttempt, wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    reasons = " ".join(decision.reason for decision in record.decisions)
    told = f"{record.name} {history.phase} {label_attempt(record.outcome).word} {describe_who(record)} {reasons}"
    search = f"{told} {' '.join(record.failing or ())}".casefold()
    return all(word in search for word in wanted)


_SHOWN = ("attempts", "comparison", "failure", "chosen", "inbox")


class _Below(Enum):
    """What the page below the list shows."""

    ATTEMPT = "Details"
    COMPARISON = "Two attempts compared"
    FAILURE = "Why it fails now"


class AttemptsView(ListedView):
    """Attempts, newest first."""

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
        self._state = AppState()
        self._rows: AttemptList | None = None
        self._marked = ""
        self._below = _Below.ATTEMPT

    def show(self, state: AppState) -> None:
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
            return _explain(failure, "Examining every failing check…")
        record = self._record
        return Page() if record is None else build_attempt_page(record)

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell(self._below.value, "muted"),)

    def highlight(self, key: str) -> None:  # noqa: ARG002 - the page follows by itself
        self._below = _Below.ATTEMPT

    def refuse(self, action: str) -> str:
        if action == "attempts.failure":
            return "no handoff selected" if self._state.item is None else ""
        if not (action.startswith("attempts.") or action == "app.copy"):
            return ""
        record = self._record
        if record is None:
            return "no attempt selected"
        if action == "attempts.compare" and self._other is None:
            return "no earlier attempt; mark another one first"
        return self._refuse_diff() if action == "attempts.diff" else ""

    def _refuse_diff(self) -> str:
        record, other = self._record, self._other
        if other is None or record is None:
            return "no earlier attempt; mark another one first"
        missing = next((one for one in (other, record) if one.commit is None), None)
        return "" if missing is None else f"the commit of {render_safe(missing.name)} isn't known"

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
        return f"{plural(found, 'attempt')} {'matches' if found == 1 else 'match'}"

    def describe(self) -> tuple[Cell, ...]:
        view, repository = self._state.attempts.value, self._state.repository
        if view is None or repository is None:
            return ()
        fatal = any(history.fatal for history in view.histories)
        total = sum(len(history.attempts) for history in view.histories)
        marked = f" · {render_safe(self._marked)} marked" if self._marked else ""
        fresh = describe_freshness(self._state.attempts, repository.watching, read_now())
        sound = (Cell(" ✗ The log isn't intact ·", "fail"),) if fatal else ()
        return (*sound, Cell(f" {plural(total, 'attempt')}{marked} · ", "muted"), fresh)

    @property
    def _record(self) -> PastAttempt | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    @property
    def _other(self) -> PastAttempt | None:
        """The attempt to compare the selected one with: the marked one, or the previous one."""
        if self._rows is None:
            return None
        if self._marked and self._marked != self.rows.key:
            return self._rows.find(self._marked)
        return self._rows.find_earlier(self.rows.key)

    @property
    def _pair(self) -> tuple[PastAttempt, PastAttempt] | None:
        """The two attempts to compare; within a phase the older one first."""
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
        words = (
            f"{self._marked} marked; press D on another one to compare both" if self._marked else "nothing is marked"
        )
        self.post_message(StatusTextWanted(words))

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
            return Cell("No handoff selected. 1 shows the inbox.", "muted")
        if part.value is None:
            return Cell("Reading log, commits and runs…", "muted")
        if self._text:
            return Cell(f'No matches for "{render_safe(self._text)}"', "muted")
        return Cell("No attempts yet: no log entry, document, agent run or change", "muted")


def _explain(part: Loaded[Value], waits: str) -> Page:
    """Says that something hasn't been read yet, or why it couldn't be."""
    page = Page()
    if part.trouble is not None:
        page.line(Cell(f"✗ {render_safe(part.trouble.message)}", "fail"), indent=2)
        page.line(Cell(render_safe(part.trouble.hint), "muted"), indent=2)
    else:
        page.line(Cell(waits, "muted"))
    return page


def _is_before(record: PastAttempt, other: PastAttempt) -> bool:
    """Tells whether an attempt is older; the present work comes after every number."""
    return not record.name.endswith(":now") and (other.name.endswith(":now") or record.number < other.number)
