"""The box that follows the search for the commit that broke a check, and shows the result."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.bisect.page import build_bisect_page
from handoff_tui.history.bisect.report import BisectProgress, BisectReport, TrialVerdict
from handoff_tui.live.state.app import AppState, BisectPart, DiffRange
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import LEAVING, ArmedBox, keep_key, read_time
from handoff_tui.tui.messages import BisectCancelled, BisectWanted, ScopeWanted
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView

Row = tuple[Cell, ...]
_STANDINGS = {
    TrialVerdict.GOOD: Cell("✓ passes  ", "pass"),
    TrialVerdict.BAD: Cell("✗ fails   ", "fail"),
    TrialVerdict.UNTESTABLE: Cell("? can't tell  ", "warning"),
}


def build_bisect_box(part: BisectPart | None) -> Page:
    """Shows the result, or the commits tried so far, newest first."""
    if part is not None and part.report is not None:
        return build_bisect_page(part.report, everything=True)
    page = Page()
    if part is not None and part.trouble is not None:
        page.line(Cell(f"✗ {render_safe(part.trouble.message)}", "fail"), indent=2)
        page.line(Cell(render_safe(part.trouble.hint), "muted"), indent=2)
        return page
    page.line(Cell("The current check runs on old commits. Your work tree isn't touched.", "muted"))
    trials = part.trials if part is not None else ()
    page.line(*_describe_range(trials))
    if trials:
        page.heading("Tried", "newest first")
    for number, trial in reversed([*enumerate(trials, start=1)]):
        page.line(Cell(f"{number:>4}  ", "muted"), _STANDINGS[trial.standing], Cell(trial.commit[:SHORT_COMMIT], "key"))
    return page


def build_bisect_wish(holds: str) -> Page:
    """Shows the command that would run, for a check that is a command; `holds` names the check."""
    page = Page()
    page.line(Cell("To find the commit, a command runs on old commits, once for each commit tried."))
    page.line(Cell("  a commit is good if ", "muted"), Cell(render_safe(holds), "key"), indent=4)
    page.blank()
    page.line(Cell("It runs in a temporary work tree; yours isn't touched.", "muted"))
    page.line(Cell("It tries about log2(n) of n commits.", "muted"))
    return page


def describe_search(part: BisectPart | None) -> Row:
    """Describes the progress in one line."""
    if part is not None and part.trouble is not None:
        return (Cell(" The search failed", "fail"),)
    if part is not None and part.report is not None:
        return (Cell(f" {_describe_effort(part.report)}", "muted"),)
    if part is not None and part.cancelling:
        return (Cell(" stopping…", "warning"),)
    if part is None or not part.trials:
        return (Cell(" Checking the newest commit…", "muted"),)
    last = part.trials[-1]
    if not last.left:
        return (Cell(f" step {last.tried} · looking for a commit that passes…", "muted"),)
    words = f" step {last.tried} of about {last.tried + last.steps} · {plural(last.left, 'commit')} left"
    return (Cell(words, "accent"),)


def _describe_effort(report: BisectReport) -> str:
    """Says how many commits were tried, and how many couldn't be tested."""
    untold = sum(trial.standing is TrialVerdict.UNTESTABLE for trial in report.trials)
    odd = f", {untold:,} of them inconclusive" if untold else ""
    return f"{plural(len(report.trials), 'commit')} tried{odd}"


def _describe_range(trials: tuple[BisectProgress, ...]) -> Row:
    """Names the last known good and the first known bad commit."""
    good = next((one.commit[:SHORT_COMMIT] for one in reversed(trials) if one.standing is TrialVerdict.GOOD), "?")
    bad = next((one.commit[:SHORT_COMMIT] for one in reversed(trials) if one.standing is TrialVerdict.BAD), "HEAD")
    return (Cell("good ", "muted"), Cell(good, "pass"), Cell(" … bad ", "muted"), Cell(bad, "fail"))


_OPENING = frozenset({"app.open"})


class BisectScreen(ArmedBox[ScopeWanted | None]):
    """Escape stops the search, then closes the box. Enter opens the diff of the commit that broke it.

    A command is shown first. It starts with a key other than Enter, and never with one that was typed ahead.
    """

    CSS_PATH = "bisect.tcss"

    def __init__(self, check: str, command: str, keys: Keys) -> None:
        """If the check is a command, the search waits for consent: the command would run many times."""
        super().__init__()
        self._check, self._command = check, command
        self._keymap = keys
        self._part: BisectPart | None = None
        self._begun = False

    def compose(self) -> ComposeResult:
        with Vertical(id="bisect"):
            yield Divider(id="bisect-title")
            yield PageView(id="bisect-page")
            yield Bar(id="bisect-state")
            yield Bar(id="bisect-keys", raised=True)

    def on_mount(self) -> None:
        if not self._command:
            self._begin()
        self.call_after_refresh(self._draw)
        self.call_after_refresh(self._note_painted)

    def _begin(self) -> None:
        self._begun = True
        self.post_message(BisectWanted(self._check))

    def show(self, state: AppState) -> None:
        """Shows the progress; ignores a search for another check."""
        part = state.bisect
        is_mine = self._begun and part is not None and part.check == self._check
        if part is None or part is self._part or not is_mine or not self.is_mounted:
            return
        is_new = self._part is None or self._part.is_over != part.is_over
        self._part = part
        self._draw(from_top=is_new)

    @property
    def scope(self) -> DiffRange | None:
        """The scope that shows what the commit changed; None until it is found."""
        culprit = self._part.report.culprit if self._part is not None and self._part.report is not None else None
        if culprit is None or not culprit.parents:
            return None
        return DiffRange(DiffScope.BETWEEN, culprit.parents[0], culprit.commit)

    def on_key(self, event: events.Key) -> None:
        keep_key(event)
        action = self._keymap.find(event, ("decision", "review", "nav", "app"))
        searching = self._begun and (self._part is None or not self._part.is_over)
        if action == "decision.confirm":
            if not self._begun and self._painted.admits(event.time):
                self._begin()
                self._draw()
        elif action == "review.cancel" or (action in LEAVING and searching):
            self.post_message(BisectCancelled())
            if self._part is None or self._part.cancelling:
                self.dismiss(None)
        elif action in LEAVING:
            self.dismiss(None)
        elif action in _OPENING and (scope := self.scope) is not None:
            self.dismiss(ScopeWanted(scope))
        elif action is not None and action.startswith("nav."):
            self.query_one(PageView).navigate(action)

    def _draw(self, *, from_top: bool = False) -> None:
        if not self.is_mounted:
            return
        title = f"Find the commit that broke {render_safe(self._check)}"
        self.query_one("#bisect-title", Divider).show_title(Cell(title, "heading"))
        asks = not self._begun
        page = build_bisect_wish(self._command) if asks else build_bisect_box(self._part)
        self.query_one(PageView).show(page, from_top=from_top)
        words = (Cell(" Nothing started yet", "muted"),) if asks else describe_search(self._part)
        self.query_one("#bisect-state", Bar).show(*words)
        self.query_one("#bisect-keys", Bar).show(*self._list_keys(), Cell("j k", "key"), Cell(" read"))

    def _list_keys(self) -> list[Cell]:
        """Lists what the keys do now."""
        over = not self._begun or (self._part is not None and self._part.is_over)
        cells = [Cell(f" {self._keymap.show('app.back')}", "key"), Cell(" leave  " if over else " stop the search  ")]
        if not self._begun:
            role = "key" if self._painted.admits(read_time()) else "muted"
            return [Cell(f" {self._keymap.show('decision.confirm')}", role), Cell(" run it  "), *cells]
        if self.scope is not None:
            return [Cell(f" {self._keymap.show('app.open')}", "key"), Cell(" the diff that broke it "), *cells]
        return cells
