"""The checks of the current handoff: live results, each with its finding, its evidence and what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual.app import ComposeResult

from handoff_tui.checks.output.detail import build_check_detail, build_group_detail, list_places
from handoff_tui.checks.output.words import describe_numbers
from handoff_tui.checks.report import CheckReport, is_open
from handoff_tui.checks.result import CheckResult
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
from handoff_tui.tui.views.checks.rows import GROUP, CheckRows, build_progress
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.freshness import describe_freshness, read_now
from handoff_tui.tui.widgets.row_list import EmptyRows

_RUNS = frozenset({"checks.run", "checks.run-all"})
_NEEDS_PLACE = frozenset({"checks.open-file", "app.edit", "app.copy-all"})


class ChecksView(ListedView):
    """Results under headings; an action on a heading applies to every check below it."""

    scope = "checks"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.CHECKS})
    hints: ClassVar[tuple[str, ...]] = (
        *(
            "checks.run",
            "checks.cancel",
            "checks.only-failing",
            "checks.open-file",
            "checks.bisect",
            "app.copy",
            "checks.run-all",
        ),
    )

    def __init__(self) -> None:
        super().__init__(id="checks")
        self._state = AppState()
        self._only_failing = False
        self._rows: CheckRows | None = None
        self._next_place = 0

    def compose(self) -> ComposeResult:
        yield Bar(id="progress")
        yield from super().compose()

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if state.running is not before.running:
            self._show_progress()
        if state.checks is not before.checks or state.chosen != before.chosen:
            self.redraw()
            if before.checks.value is None or state.chosen != before.chosen:
                self._choose_first()
            self.show_page()

    def redraw(self) -> None:
        part = self._state.checks
        self._show_progress()
        if part.value is None:
            self._rows = None
            self.show_rows(EmptyRows(self._explain_empty()))
            return
        self._rows = CheckRows(
            part.value,
            only_failing=self._only_failing,
            text=self._text,
            stale=part.stale,
            at=part.at,
            now=read_now(),
        )
        if self._rows.keys:
            self.show_rows(self._rows, self._rows.build_heading(self.room))
        else:
            self.show_rows(EmptyRows(self._explain_empty()))

    def build_page(self) -> Page:
        report, result = self._report, self._result
        if report is None or self._rows is None:
            return Page()
        if result is not None:
            return build_check_detail(result, report, read_now())
        group = self._rows.find_group(self.rows.key)
        return Page() if group is None else build_group_detail(group, report)

    def describe_page(self) -> tuple[Cell, ...]:
        result = self._result
        return (Cell(render_safe(result.id) if result else "Checks", "muted"),)

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

    def list_acts(self) -> Mapping[str, Callable[[], object]]:
        return {
            "checks.run": self._run,
            "checks.run-all": lambda: self.post_message(ChecksWanted()),
            "checks.cancel": lambda: self.post_message(ChecksCancelled()),
            "checks.only-failing": self._toggle_failing,
            "checks.open-file": self._open_place,
            "checks.trust": lambda: self.post_message(ProposalWanted(ProposalKind.TRUST)),
            "checks.bisect": self._bisect,
            "app.copy": self._copy_command,
            "app.copy-all": lambda: self.post_message(CopyWanted(str(self._place), "the place")),
            "app.edit": lambda: self.post_message(EditorWanted(self._place.path, self._place.line)),
        }

    def describe_found(self) -> str:
        found = sum(len(group.results) for group in self._rows.groups) if self._rows else 0
        return f"{found} checks match"

    def describe(self) -> tuple[Cell, ...]:
        report, repository = self._report, self._state.repository
        if report is None or repository is None:
            return ()
        blocked = len(report.blocking_failures)
        verdict = Cell(f" ■ {blocked} block" if blocked else " ✓ Nothing blocks", "fail" if blocked else "pass")
        fresh = describe_freshness(self._state.checks, repository.watching, read_now())
        cached = sum(result.from_cache for result in report.results)
        notes = f" · {cached} of {len(report.results)} cached" if cached else ""
        narrowed = " · only failing" if self._only_failing else ""
        return (verdict, Cell(f" · {describe_numbers(report)} · ", "muted"), fresh, Cell(notes + narrowed, "muted"))

    @property
    def _report(self) -> CheckReport | None:
        return self._state.checks.value

    @property
    def _waits_for_trust(self) -> bool:
        return self._report is not None and self._report.trust is not None and not self._report.trust.trusted

    @property
    def _result(self) -> CheckResult | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    @property
    def _places(self) -> tuple[Place, ...]:
        return list_places(self._result) if self._result is not None else ()

    @property
    def _place(self) -> Place:
        return self._places[self._next_place % len(self._places)]

    def _run(self) -> None:
        """Runs the selected check, or all checks under the selected heading."""
        key = self.rows.key
        group = self._rows.find_group(key) if self._rows is not None else None
        only = tuple(result.id for result in group.results) if group else (key,) if key and not _is_group(key) else ()
        self.post_message(ChecksWanted(only))

    def _bisect(self) -> None:
        rules = self._report.rules if self._report is not None else ()
        info = next((rule for rule in rules if rule.id == self.rows.key and rule.system == "command"), None)
        self.post_message(BisectProposed(self.rows.key, info.holds if info is not None else ""))

    def _choose_first(self) -> None:
        """Selects the worst result, not its heading."""
        if self._rows is not None and self._rows.groups:
            self.rows.choose(self._rows.groups[0].results[0].id)

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

    def _copy_command(self) -> None:
        result = self._result
        if result is None:
            return
        commands = result.remedy.commands if result.remedy else ()
        self.post_message(
            CopyWanted(commands[0], "the command") if commands else CopyWanted(result.summary, "the summary")
        )

    def _show_progress(self) -> None:
        running = self._state.running
        bar = self.query_one("#progress", Bar)
        bar.display = running is not None
        if running is not None:
            bar.show(Cell("  "), *build_progress(running, self.room, read_now()))

    def _explain_empty(self) -> Cell:
        part = self._state.checks
        if part.trouble is not None:
            return Cell(f"✗ {render_safe(part.trouble.message)}. {render_safe(part.trouble.hint)}", "fail")
        if self._state.item is None:
            return Cell("No handoff selected. 1 shows the inbox.", "muted")
        if part.value is None:
            return Cell("Checks are running…" if part.loading or self._state.running else "reading…", "muted")
        return Cell("No matches" if self._text else "✓ Nothing fails", "muted" if self._text else "pass")


def _is_group(key: str) -> bool:
    return key.startswith(GROUP)
