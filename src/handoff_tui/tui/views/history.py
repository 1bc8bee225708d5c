"""The attempts of the current handoff: as rows, one in full, two compared, and why it fails now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.text.columns import Field, Row
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.attempts.page import (
    build_attempt_page,
    build_compare_page,
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
from handoff_tui.history.attempts.report import AttemptHistory, PastAttempt
from handoff_tui.history.failure.page import build_failure_page
from handoff_tui.live.state.app import AppState, AttemptHistories, DiffRange, Part
from handoff_tui.tui.messages import (
    ComparisonWanted,
    CopyWanted,
    FailureWanted,
    ScopeWanted,
    StatusTextWanted,
    ViewWanted,
)
from handoff_tui.tui.views.listed_view import ListedView, build_answer
from handoff_tui.tui.views.view import Act
from handoff_tui.tui.widgets.row_list import TableRows, has_words

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


_MARK = 2
"""Columns for the mark on the attempt to compare with."""


class AttemptRows(TableRows[PastAttempt | str]):
    """Attempts of one or more phases, newest first; of several, each under the heading of its phase."""

    fields = _FIELDS

    def __init__(self, histories: Sequence[AttemptHistory], *, marked: str = "", text: str = "") -> None:
        self._marked = marked
        self._earlier = {now.name: before for history in histories for before, now in pairwise(history.attempts)}
        rows: list[tuple[str, PastAttempt | str]] = []
        for history in histories:
            matching = [one for one in history.attempts if has_words(_build_search(history, one), text)]
            if matching and len(histories) > 1:
                rows.append(("", f"{render_safe(history.phase)}  {plural(len(matching), 'attempt')}"))
            rows += [(attempt.name, attempt) for attempt in reversed(matching)]
        super().__init__(rows)

    def find_attempt(self, key: str) -> PastAttempt | None:
        attempt = self.find(key)
        return None if isinstance(attempt, str) else attempt

    def find_earlier(self, key: str) -> PastAttempt | None:
        """Returns the previous attempt at the same phase; None if there is none."""
        return self._earlier.get(key)

    def build_heading(self, width: int) -> Row:
        return (Cell(" " * _MARK), *super().build_heading(max(1, width - _MARK)))

    def build_row(self, index: int, width: int) -> Row:
        attempt = self.items[index]
        if isinstance(attempt, str):
            return (Cell(attempt, "heading"),)
        mark = Cell("◆ ", "waiting") if attempt.name == self._marked else Cell("  ")
        return (mark, *super().build_row(index, max(1, width - _MARK)))

    def describe(self, item: PastAttempt | str) -> dict[str, Row]:
        if isinstance(item, str):
            return {}
        label = label_attempt(item.outcome)
        return {
            "number": (Cell(name_number(item), "key"),),
            "outcome": (Cell(str(label), label.role),),
            "who": (Cell(describe_who(item), "agent"),),
            "ran": (Cell(describe_time(item.ran_seconds), "muted"),),
            "worked": (Cell(describe_time(item.worked_seconds), "muted"),),
            "waited": (Cell(describe_time(item.waited_seconds), "muted"),),
            "checks": (Cell(describe_checks(item)),),
            "flipped": (Cell(describe_changes(item.check_changes)),),
            "tests": (Cell(describe_tests(item)),),
            "asked": (Cell(describe_asked(item)),),
            "when": (Cell(describe_when(item), "muted"),),
        }


def _build_search(history: AttemptHistory, attempt: PastAttempt) -> str:
    reasons = " ".join(decision.reason for decision in attempt.decisions)
    told = f"{attempt.name} {history.phase} {label_attempt(attempt.outcome).word} {describe_who(attempt)} {reasons}"
    return f"{told} {' '.join(attempt.failing or ())}"


class _Below(Enum):
    """What the page below the list shows."""

    ATTEMPT = "Details"
    COMPARISON = "Two attempts compared"
    FAILURE = "Why it fails now"


class HistoryView(ListedView[AttemptRows]):
    """Attempts, newest first."""

    DEFAULT_CSS = """
    HistoryView RowList { max-height: 45%; }
    """
    parts: ClassVar[frozenset[Part]] = frozenset({Part.ATTEMPTS})
    hints: ClassVar[tuple[str, ...]] = (
        *(
            "review.next",
            "app.open",
            "review.compare",
            "review.explain",
            "review.select",
            "travel.begin",
            "decide.choose",
        ),
        "nav.next-handoff",
    )
    listed = "attempts"
    shown = ("attempts", "comparison", "failure", "chosen", "inbox")
    waiting = "Reading log, commits and runs…"
    _marked = ""
    _below = _Below.ATTEMPT

    def update_from(self, before: AppState) -> None:
        if self._state.chosen != before.chosen:
            self._marked, self._below = "", _Below.ATTEMPT
        super().update_from(before)

    def build_rows(self, value: AttemptHistories) -> AttemptRows:
        return AttemptRows(value.histories, marked=self._marked, text=self._text)

    def build_page(self) -> Page:
        if self._below is _Below.COMPARISON:
            build = partial(build_compare_page, everything=True)
            return build_answer(self._state.comparison, build, "comparing…")
        if self._below is _Below.FAILURE:
            return build_answer(self._state.failure, build_failure_page, "Examining every failing check…")
        return Page() if self._record is None else build_attempt_page(self._record)

    def describe_page(self) -> str:
        return self._below.value

    def highlight(self, key: str) -> None:  # noqa: ARG002 - the page follows by itself
        self._below = _Below.ATTEMPT

    def refuse(self, action: str) -> str:
        if action == "review.explain":
            return "no handoff selected" if self._state.item is None else ""
        if action not in {"review.compare", "review.select", "app.open", "app.copy"} or (
            action == "app.open" and self.focused_lines is not self.rows
        ):
            return ""
        record = self._record
        if record is None:
            return "no attempt selected"
        if action == "review.compare" and self._other is None:
            return "no earlier attempt; select another one with v first"
        return self._refuse_diff() if action == "app.open" else ""

    def _refuse_diff(self) -> str:
        record, other = self._record, self._other
        if other is None or record is None:
            return "no earlier attempt; select another one with v first"
        missing = next((one for one in (other, record) if one.commit is None), None)
        return "" if missing is None else f"the commit of {render_safe(missing.name)} isn't known"

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {
            "review.compare": self._compare,
            "review.select": self._mark,
            "review.explain": self._explain_failure,
        }
        if self.focused_lines is self.rows:
            acts["app.open"] = self._open_diff
        if self._below is not _Below.ATTEMPT:
            acts["app.back"] = self._close_below
        attempt = self._record
        return acts if attempt is None else acts | {"app.copy": CopyWanted(attempt.name, "the attempt's name")}

    def describe_found(self) -> str:
        matching = sum(map(bool, self.table.keys)) if self.table else 0
        return f"{plural(matching, 'attempt')} {'matches' if matching == 1 else 'match'}"

    def describe(self) -> tuple[Cell, ...]:
        view = self._state.attempts.value
        if view is None:
            return ()
        fatal = any(history.fatal for history in view.histories)
        total = sum(len(history.attempts) for history in view.histories)
        marked = f" · {render_safe(self._marked)} selected" if self._marked else ""
        sound = (Cell(" ✗ The log isn't intact ·", "fail"),) if fatal else ()
        return (*sound, Cell(f" {plural(total, 'attempt')}{marked} · ", "muted"), self.describe_freshness())

    @property
    def _record(self) -> PastAttempt | None:
        return self.table.find_attempt(self.rows.key) if self.table is not None else None

    @property
    def _other(self) -> PastAttempt | None:
        """The attempt to compare the selected one with: the marked one, or the previous one."""
        if self.table is None:
            return None
        if self._marked and self._marked != self.rows.key:
            return self.table.find_attempt(self._marked)
        return self.table.find_earlier(self.rows.key)

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
            f"{self._marked} selected; press D on another one to compare both"
            if self._marked
            else "nothing is selected"
        )
        self.post_message(StatusTextWanted(words))

    def _explain_failure(self) -> None:
        self._below = _Below.FAILURE
        self.post_message(FailureWanted())
        self.show_page(from_top=True)
        self.page.focus(scroll_visible=False)

    def _close_below(self) -> None:
        self._below = _Below.ATTEMPT
        self.rows.focus()
        self.show_page(from_top=True)

    def _open_diff(self) -> None:
        """What differs in the handoff's own files between two attempts."""
        pair, table = self._pair, self.table
        if pair is None or table is None or pair[0].commit is None or pair[1].commit is None:
            return
        if pair[1].name.endswith(":now") and pair[0] is table.find_earlier(pair[1].name):
            self.post_message(ScopeWanted(DiffRange(DiffScope.SINCE_PREVIOUS_ATTEMPT)))
        else:
            self.post_message(ScopeWanted(DiffRange(DiffScope.BETWEEN_ATTEMPTS, pair[0].name, pair[1].name)))
        self.post_message(ViewWanted("changes"))

    def describe_nothing(self) -> Cell:
        return Cell("No attempts yet: no log entry, document, agent run or change", "muted")


def _is_before(record: PastAttempt, other: PastAttempt) -> bool:
    """Tells whether an attempt is older; the present work comes after every number."""
    return not record.name.endswith(":now") and (other.name.endswith(":now") or record.number < other.number)
