"""A search for the commit where a check began to fail, as the app's box shows it while it goes on and afterwards."""

from __future__ import annotations

from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.bisect.page import build_bisect_page
from handoff_tui.history.bisect.report import BisectProgress, BisectReport, Standing
from handoff_tui.live.state.debugging import BisectPart

Row = tuple[Cell, ...]
_STANDINGS = {
    Standing.GOOD: Cell("✓ passes  ", "pass"),
    Standing.BAD: Cell("✗ fails   ", "fail"),
    Standing.UNTESTABLE: Cell("? cannot tell  ", "warning"),
}


def build_bisect_box(part: BisectPart | None) -> Page:
    """What it came to, or what was tried so far, newest first."""
    if part is not None and part.report is not None:
        return build_bisect_page(part.report, everything=True)
    page = Page()
    if part is not None and part.trouble is not None:
        page.line(Cell(f"✗ {render_safe(part.trouble.message)}", "fail"), indent=2)
        page.line(Cell(render_safe(part.trouble.hint), "muted"), indent=2)
        return page
    page.line(Cell("The check of now runs on old commits; the work tree is not touched.", "muted"))
    trials = part.trials if part is not None else ()
    page.line(*_describe_range(trials))
    if trials:
        page.heading("Tried", "newest first")
    for number, trial in reversed([*enumerate(trials, start=1)]):
        page.line(Cell(f"{number:>4}  ", "muted"), _STANDINGS[trial.standing], Cell(trial.commit[:SHORT_COMMIT], "key"))
    return page


def build_bisect_wish(holds: str) -> Page:
    """What would run, for a check that is a command: `holds` names it."""
    page = Page()
    page.line(Cell("To find the commit, a command runs on old commits, once for each that is tried."))
    page.line(Cell("  a commit is good where ", "muted"), Cell(render_safe(holds), "key"), indent=4)
    page.blank()
    page.line(Cell("It runs in a work tree of its own, which is gone afterwards; yours is not touched.", "muted"))
    page.line(Cell("Of about n commits it tries as many as n can be halved.", "muted"))
    return page


def describe_search(part: BisectPart | None) -> Row:
    """How far it has come, in one line."""
    if part is not None and part.trouble is not None:
        return (Cell(" it could not be searched", "fail"),)
    if part is not None and part.report is not None:
        return (Cell(f" {_describe_effort(part.report)}", "muted"),)
    if part is not None and part.cancelling:
        return (Cell(" stopping…", "warning"),)
    if part is None or not part.trials:
        return (Cell(" looking at the newest commit…", "muted"),)
    last = part.trials[-1]
    if not last.left:
        return (Cell(f" step {last.tried} · looking for a commit where it passes…", "muted"),)
    words = f" step {last.tried} of about {last.tried + last.steps} · {plural(last.left, 'commit')} may be it"
    return (Cell(words, "accent"),)


def _describe_effort(report: BisectReport) -> str:
    """How many commits were tried, and how many of them could not be."""
    untold = sum(trial.standing is Standing.UNTESTABLE for trial in report.trials)
    odd = f", of which {untold:,} could not be told" if untold else ""
    return f"{plural(len(report.trials), 'commit')} tried{odd}"


def _describe_range(trials: tuple[BisectProgress, ...]) -> Row:
    """From the last commit that is known to be good to the first that is known to be bad."""
    good = next((one.commit[:SHORT_COMMIT] for one in reversed(trials) if one.standing is Standing.GOOD), "?")
    bad = next((one.commit[:SHORT_COMMIT] for one in reversed(trials) if one.standing is Standing.BAD), "HEAD")
    return (Cell("good ", "muted"), Cell(good, "pass"), Cell(" … bad ", "muted"), Cell(bad, "fail"))
