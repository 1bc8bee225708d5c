"""The checks of the current handoff: live results, each with its finding, its evidence and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult

from handoff_tui.checks.output.detail import build_check_detail, build_group_detail, list_places
from handoff_tui.checks.output.words import describe_numbers
from handoff_tui.checks.report import CheckReport, CheckResult, is_open
from handoff_tui.core.place import Place
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import ProposalKind
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.tui.messages import (
    BisectProposed,
    ChecksCancelled,
    ChecksWanted,
    CopyWanted,
    EditorWanted,
    PlaceWanted,
    ProposalWanted,
    StatusTextWanted,
)
from handoff_tui.tui.views.checks.rows import CheckRows, build_progress
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.view import Act
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.freshness import read_now

_RUNS = frozenset({"checks.run", "checks.run-all"})
_NEEDS_PLACE = frozenset({"checks.open-file", "app.edit", "app.copy-all"})


class ChecksView(ListedView[CheckRows]):
    """Results under headings; an action on a heading applies to every check below it."""

    scope = "checks"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.CHECKS})
    hints: ClassVar[tuple[str, ...]] = (
        *("checks.run", "checks.cancel", "checks.only-failing", "checks.open-file", "checks.bisect", "app.copy"),
        "checks.run-all",
    )
    listed = "checks"
    shown = ("checks", "chosen", "running")
    _only_failing = False
    _next_place = 0

    def compose(self) -> ComposeResult:
        yield Bar(id="progress")
        yield from super().compose()

    def update_from(self, before: AppState) -> None:
        state = self._state
        if state.checks is before.checks and state.chosen == before.chosen:
            self._show_progress()
            return
        self.redraw()
        if before.checks.value is None or state.chosen != before.chosen:
            self._choose_first()
        self.show_page()

    def redraw(self) -> None:
        self._show_progress()
        super().redraw()

    def build_rows(self, value: CheckReport) -> CheckRows:
        part = self.part
        return CheckRows(
            value,
            only_failing=self._only_failing,
            text=self._text,
            stale=part.stale,
            at=part.at,
            now=read_now(),
        )

    def build_page(self) -> Page:
        report, row = self._report, self.table.find(self.rows.key) if self.table is not None else None
        if report is None or row is None:
            return Page()
        if isinstance(row, CheckResult):
            return build_check_detail(row, report, read_now())
        return build_group_detail(row, report)

    def describe_page(self) -> str:
        return render_safe(self._result.id) if self._result else "Checks"

    def highlight(self, key: str) -> None:  # noqa: ARG002 - the page follows by itself
        self._next_place = 0

    def refuse(self, action: str) -> str:
        running = self._state.running is not None
        if action in _RUNS:
            return self._refuse_run(running=running)
        if action in _NEEDS_PLACE:
            return "" if self._places else "it names no place in a file"
        reasons = {
            "checks.cancel": "" if running else "no checks are running",
            "app.copy": "" if self._result else "no check selected",
            "checks.trust": "" if self._waits_for_trust else "no command needs your consent",
            "checks.bisect": self._refuse_bisect(),
        }
        return reasons.get(action, "")

    def _refuse_run(self, *, running: bool) -> str:
        if self._state.item is None:
            return "no handoff selected"
        return "checks are running" if running else ""

    def _refuse_bisect(self) -> str:
        if self._result is None:
            return "no check selected"
        return "" if is_open(self._result) else "this one doesn't fail"

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {
            "checks.run": self._run,
            "checks.run-all": ChecksWanted(),
            "checks.cancel": ChecksCancelled(),
            "checks.only-failing": self._toggle_failing,
            "checks.trust": ProposalWanted(ProposalKind.TRUST),
            "checks.bisect": self._bisect,
        }
        if self._result is not None:
            commands = self._result.remedy.commands if self._result.remedy else ()
            command, summary = CopyWanted("".join(commands[:1]), "the command"), self._result.summary
            acts["app.copy"] = command if commands else CopyWanted(summary, "the summary")
        if not self._places:
            return acts
        return acts | {
            "checks.open-file": self._open_place,
            "app.copy-all": CopyWanted(str(self._place), "the place"),
            "app.edit": EditorWanted(self._place.path, self._place.line),
        }

    def describe_found(self) -> str:
        matching = sum(len(group.results) for group in self.table.groups) if self.table else 0
        return f"{matching} checks match"

    def describe(self) -> tuple[Cell, ...]:
        report = self._report
        if report is None:
            return ()
        blocked = len(report.blocking_failures)
        verdict = Cell(f" ■ {blocked} block" if blocked else " ✓ Nothing blocks", "fail" if blocked else "pass")
        cached = sum(result.from_cache for result in report.results)
        notes = f" · {cached} of {len(report.results)} cached" if cached else ""
        narrowed = " · only failing" if self._only_failing else ""
        numbers = Cell(f" · {describe_numbers(report)} · ", "muted")
        return (verdict, numbers, self.describe_freshness(), Cell(notes + narrowed, "muted"))

    @property
    def _report(self) -> CheckReport | None:
        return self._state.checks.value

    @property
    def _waits_for_trust(self) -> bool:
        return self._report is not None and self._report.trust is not None and not self._report.trust.trusted

    @property
    def _result(self) -> CheckResult | None:
        return self.table.find_result(self.rows.key) if self.table is not None else None

    @property
    def _places(self) -> tuple[Place, ...]:
        return list_places(self._result) if self._result is not None else ()

    @property
    def _place(self) -> Place:
        return self._places[self._next_place % len(self._places)]

    def _run(self) -> None:
        """Runs the selected check, or all checks under the selected heading."""
        group = self.table.find_group(self.rows.key) if self.table is not None else None
        results = group.results if group is not None else filter(None, [self._result])
        self.post_message(ChecksWanted(tuple(result.id for result in results)))

    def _bisect(self) -> None:
        rules = self._report.rules if self._report is not None else ()
        info = next((rule for rule in rules if rule.id == self.rows.key and rule.system == "command"), None)
        self.post_message(BisectProposed(self.rows.key, info.holds if info is not None else ""))

    def _choose_first(self) -> None:
        """Selects the worst result, not its heading."""
        if self.table is not None and self.table.groups:
            self.rows.choose(self.table.groups[0].results[0].id)

    def _toggle_failing(self) -> None:
        self._only_failing = not self._only_failing
        self.redraw()

    def _open_place(self) -> None:
        """Opens the check's places one after another."""
        place, number = self._place, len(self._places)
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

    def describe_waiting(self) -> str:
        return "Checks are running…" if self.part.loading or self._state.running else "reading…"

    def describe_nothing(self) -> Cell:
        return Cell("✓ Nothing fails", "pass")
