"""The evidence about one handoff: problems with everything beneath them, every claim, and every check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Final

from textual.app import ComposeResult

from handoff_tui.checks.output.words import build_check_detail, build_group_detail, list_places
from handoff_tui.checks.report import CheckReport, CheckResult, Outcome, is_open
from handoff_tui.core.place import Place
from handoff_tui.core.text.columns import Field, Row
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.live.state.agents import ProposalKind
from handoff_tui.live.state.app import AppState, Loaded, Part
from handoff_tui.status.inbox_item import HandoffKey, ReviewProblem
from handoff_tui.tui.messages import (
    ActionWanted,
    ChecksCancelled,
    ChecksWanted,
    CopyWanted,
    EditorWanted,
    PlaceWanted,
    ProposalWanted,
    StatusTextWanted,
)
from handoff_tui.tui.views.evidence.rows import CheckRows, ClaimRows, build_claim_page, build_progress
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.overview.cards import build_problem_page, mark_problem
from handoff_tui.tui.views.overview.view import MEASURING, list_problem_acts, propose_bisect, refuse_problem
from handoff_tui.tui.views.view import Act, read_now
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.row_list import RowList, TableRows, has_words

_FIELDS: Final = (
    Field("mark", "", 1),
    Field("title", "PROBLEM", 46, grows=120),
    Field("checks", "CHECKS", 6, rank=2, right=True),
    Field("where", "WHERE", 24, rank=1, grows=40),
)


class Listed(Enum):
    """What is listed; one key goes from one to the next."""

    PROBLEMS = "problems"
    CLAIMS = "claims"
    CHECKS = "checks"


class ProblemRows(TableRows[ReviewProblem]):
    """One row per root cause, worst first."""

    fields = _FIELDS

    def __init__(self, problems: Sequence[ReviewProblem], text: str = "") -> None:
        super().__init__((one.key, one) for one in problems if has_words(_build_search(one), text))

    def describe(self, item: ReviewProblem) -> dict[str, Row]:
        glyph, role = mark_problem(item)
        return {
            "mark": (Cell(glyph, role),),
            "title": (Cell(render_safe(item.title), role),),
            "checks": (Cell(str(len(item.checks)) if item.checks else "", "muted"),),
            "where": (Cell(render_safe(str(item.place or "")), "path"),),
        }


def _build_search(problem: ReviewProblem) -> str:
    return " ".join((problem.title, *problem.facts, *problem.checks, str(problem.place or "")))


class EvidenceView(ListedView[Any]):
    """A list above, everything beneath the selected row below it."""

    parts: ClassVar[frozenset[Part]] = frozenset({Part.CHECKS, Part.PROBLEMS, Part.SHOWN})
    hints: ClassVar[tuple[str, ...]] = (
        *("review.next", "app.open", "review.filter", "review.run", "review.bisect"),
        *("decide.approve", "decide.reject", "app.edit", "review.cancel", "nav.next-handoff"),
    )
    shown = ("checks", "problems", "shown", "chosen", "running")
    waiting = "measuring…"
    _mode = Listed.PROBLEMS
    _switched = False
    """Whether a person chose what is listed; until then it is the first list that says anything."""
    _next_place = 0
    _expected = ""

    @property
    def part(self) -> Loaded[Any]:
        names = {Listed.PROBLEMS: "problems", Listed.CLAIMS: "shown", Listed.CHECKS: "checks"}
        part: Loaded[Any] = getattr(self._state, names[self._mode])
        return part

    def compose(self) -> ComposeResult:
        yield Bar(id="progress")
        yield from super().compose()

    def update_from(self, before: AppState) -> None:
        state = self._state
        if state.running is not before.running:
            self._show_progress()
        if state.chosen != before.chosen:
            self._switched = False
        self.redraw()
        if state.chosen != before.chosen:
            self._choose_first()
        self.show_page()

    def redraw(self) -> None:
        self._show_progress()
        if not self._switched:
            self._mode = self._find_first_list()
        super().redraw()
        if self._expected and self.table is not None and self._expected in self.table.keys:
            self.rows.choose(self._expected)
            self._expected = ""

    def build_rows(self, value: Any) -> TableRows[Any]:  # noqa: ANN401 - of the listed part's own type
        if self._mode is Listed.PROBLEMS:
            return ProblemRows(value.problems, self._text)
        if self._mode is Listed.CLAIMS:
            return ClaimRows(value, text=self._text)
        return CheckRows(value, text=self._text, stale=self.part.stale, at=self.part.at, now=read_now())

    def build_page(self) -> Page:
        row = self._row
        if isinstance(row, ReviewProblem):
            return self._build_problem(row)
        if isinstance(row, Verdict):
            return build_claim_page(row)
        report = self._report
        if report is None or row is None:
            return Page()
        if isinstance(row, CheckResult):
            return build_check_detail(row, report, read_now())
        return build_group_detail(row, report)

    def _build_problem(self, problem: ReviewProblem) -> Page:
        """The card, then everything that each failing check says."""
        page = build_problem_page(problem, is_now=self._state.travel is None)
        report = self._report
        results = {result.id: result for result in report.results} if report is not None else {}
        for check in problem.checks:
            if report is not None and check in results:
                page.blank()
                page.parts += build_check_detail(results[check], report, read_now()).parts
        return page

    def describe_page(self) -> str:
        row = self._row
        if isinstance(row, ReviewProblem):
            return "Everything beneath it"
        return render_safe(row.id) if isinstance(row, CheckResult) else "Claim and measurement"

    def highlight(self, key: str) -> None:  # noqa: ARG002 - the page follows by itself
        self._next_place = 0

    def open(self, event: RowList.Opened) -> None:  # noqa: ARG002 - it is under the cursor
        row = self._row
        if isinstance(row, ReviewProblem) and row.unmeasured in MEASURING:
            self.post_message(ActionWanted(MEASURING[row.unmeasured]))
        elif self._places:
            self._open_place()
        else:
            self.page.focus(scroll_visible=False)

    @property
    def handoff(self) -> HandoffKey | None:
        return self._state.chosen

    def get_stop(self) -> str:
        row = self._row
        return row.key if isinstance(row, ReviewProblem) else ""

    def choose(self, name: str) -> None:
        """Selects a problem, or a check by its id."""
        report = self._report
        is_check = report is not None and any(result.id == name for result in report.results)
        self._mode, self._switched = Listed.CHECKS if is_check else Listed.PROBLEMS, True
        self._expected = name
        self._text = ""
        self.redraw()
        self.show_page(from_top=True)

    def go_to(self, path: str, line: int | None) -> None:
        """Selects the claim that a line makes."""
        self._mode, self._text, self._switched = Listed.CLAIMS, "", True
        self.redraw()
        rows = self.table.items if self.table is not None else ()
        found = (n for n, one in enumerate(rows) if (one.claim.where.path, one.claim.where.line) == (path, line))
        if self.table is not None and (number := next(found, None)) is not None:
            self.rows.choose(self.table.keys[number])
        self.show_page(from_top=True)

    def refuse(self, action: str) -> str:
        running = self._state.running is not None
        if action == "review.run":
            return "checks are running" if running else "no handoff selected" if self._state.item is None else ""
        row = self._row
        if action == "review.cancel":
            return "" if running else "no checks are running"
        if action in {"app.edit", "app.copy-all"} and not self._places:
            return "it names no place in a file"
        if action in {"app.copy", "review.bisect"} and row is None:
            return "nothing selected"
        if action == "review.bisect":
            return self._refuse_bisect()
        return refuse_problem(action, row if isinstance(row, ReviewProblem) else None)

    def _refuse_bisect(self) -> str:
        row = self._row
        if isinstance(row, ReviewProblem):
            return refuse_problem("review.bisect", row)
        if not isinstance(row, CheckResult):
            return "choose a failing check or a problem"
        return "" if is_open(row) else "this one doesn't fail"

    def list_acts(self) -> Mapping[str, Act]:
        row = self._row
        acts: dict[str, Act] = {
            "review.run": self._run,
            "review.cancel": ChecksCancelled(),
            "review.filter": self._switch,
            "review.consent": ProposalWanted(ProposalKind.TRUST),
        }
        if isinstance(row, ReviewProblem):
            acts |= list_problem_acts(row, self._state)
        elif isinstance(row, Verdict):
            acts["app.copy"] = CopyWanted(row.claim.text, "the claim")
        elif isinstance(row, CheckResult):
            acts["review.bisect"] = propose_bisect(row.id, self._state)
            commands = row.remedy.commands if row.remedy else ()
            command, summary = CopyWanted("".join(commands[:1]), "the command"), CopyWanted(row.summary, "the summary")
            acts["app.copy"] = command if commands else summary
        if self._places:
            place = self._places[self._next_place % len(self._places)]
            acts["app.copy-all"] = CopyWanted(str(place), "the place")
            acts["app.edit"] = EditorWanted(place.path, place.line)
        return acts

    def _find_first_list(self) -> Listed:
        """Problems if there are any, else the claims, else the checks."""
        measured, shown = self._state.problems.value, self._state.shown.value
        if measured is None or measured.problems or self._text:
            return Listed.PROBLEMS
        return Listed.CLAIMS if shown is not None and shown.verdicts else Listed.CHECKS

    def _switch(self) -> None:
        self._switched = True
        modes = list(Listed)
        self._mode = modes[(modes.index(self._mode) + 1) % len(modes)]
        self.redraw()
        self._choose_first()
        self.show_page(from_top=True)

    def _run(self) -> None:
        """Runs the selected check, or all; one that waits for consent asks for it first."""
        row = self._row
        only: tuple[str, ...] = ()
        if isinstance(row, ReviewProblem):
            only = row.checks
        elif isinstance(row, CheckResult):
            only = (row.id,)
        elif row is not None and not isinstance(row, Verdict):
            only = tuple(result.id for result in row.results)
        if self._waits_for_consent(only):
            self.post_message(ProposalWanted(ProposalKind.TRUST))
        else:
            self.post_message(ChecksWanted(only))

    def _waits_for_consent(self, only: tuple[str, ...]) -> bool:
        report = self._report
        if report is None or report.trust is None or report.trust.trusted:
            return False
        unrun = {result.id for result in report.command_results if result.outcome is not Outcome.PASS}
        return bool(unrun.intersection(only) if only else unrun)

    def describe_found(self) -> str:
        number = sum(map(bool, self.table.keys)) if self.table else 0
        return f"{plural(number, self._mode.value.removesuffix('s'))} {'matches' if number == 1 else 'match'}"

    def describe(self) -> tuple[Cell, ...]:
        others = " · ".join(one.value if one is not self._mode else one.value.upper() for one in Listed)
        lead = Cell(f" {others} ({self.show_key('review.filter')}) · ", "muted")
        report = self._report
        if report is None:
            return (lead, self.describe_freshness())
        blocked = len(report.blocking_failures)
        verb = "blocks" if blocked == 1 else "block"
        verdict = (
            Cell(f"■ {blocked} of {plural(report.total, 'check')} {verb}", "fail")
            if blocked
            else Cell(f"✓ {report.passed} of {plural(report.total, 'check')} pass", "pass")
        )
        warnings = f" · {plural(report.warnings, 'warning')}" if report.warnings else ""
        return (lead, verdict, Cell(f"{warnings} · ", "muted"), self.describe_freshness())

    @property
    def _report(self) -> CheckReport | None:
        return self._state.checks.value

    @property
    def _row(self) -> Any:  # noqa: ANN401 - a problem, a claim, a check or a heading of checks
        return self.table.find(self.rows.key) if self.table is not None else None

    @property
    def _places(self) -> tuple[Place, ...]:
        row = self._row
        if isinstance(row, ReviewProblem):
            return tuple(place for place in (row.place, *row.places) if place is not None)
        if isinstance(row, Verdict):
            return (row.claim.where,)
        return list_places(row) if isinstance(row, CheckResult) else ()

    def _choose_first(self) -> None:
        """Selects the worst row, not its heading."""
        if self.table is not None:
            keys = [
                key for key, row in zip(self.table.keys, self.table.items, strict=True) if not hasattr(row, "results")
            ]
            if keys:
                self.rows.choose(keys[0])

    def _open_place(self) -> None:
        """Opens the places one after another."""
        number = len(self._places)
        place = self._places[self._next_place % number]
        self._next_place += 1
        if number > 1:
            self.post_message(StatusTextWanted(f"place {(self._next_place - 1) % number + 1} of {number}: {place}"))
        self.post_message(PlaceWanted(place.path, place.line))

    def _show_progress(self) -> None:
        running = self._state.running
        bar = self.query_one("#progress", Bar)
        bar.display = running is not None
        if running is not None:
            bar.show(Cell("  "), *build_progress(running, self.room, read_now()))

    def describe_nothing(self) -> Cell:
        if self._mode is Listed.CLAIMS:
            return Cell("This handoff claims nothing that can be measured", "muted")
        if self._mode is Listed.CHECKS:
            return Cell("No check applies to it", "muted")
        item = self._state.item
        if item is not None and not item.is_measured and item.reviewed.claims.unverified:
            return Cell("? No problem found, and not everything was measured; f lists the claims", "unknown")
        return Cell("✓ No problem found", "pass")
