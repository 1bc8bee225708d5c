"""A stop in the past, the state there, and the banner that marks everything there as past."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.checks.report import CheckReport
from handoff_tui.core.model import Model
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.show.view import ShownLog
from handoff_tui.status.review_state import ReviewState


class StopKind(StrEnum):
    """What happened at a stop."""

    COMMIT = "commit"
    ENTRY = "entry"


class Stop(Model):
    """A point in time. Its files are those of `commit`; its log is `entry` and everything it follows."""

    key: str
    """The id of the commit or entry; a slider's cursor stays on it."""
    kind: StopKind
    commit: str
    entry: str | None = None
    """The newest entry at that time; None before the first one."""
    time: str
    """ISO 8601, UTC: the committer's, or the entry's."""
    who: str
    title: str
    """The commit's subject; for an entry, the verb and what it is about."""


class TravelLine(Model):
    """Every stop, oldest first: commits in the history of HEAD and entries of the log, interleaved."""

    head: str | None = None
    stops: tuple[Stop, ...] = ()
    notes: tuple[str, ...] = ()
    """What is missing, and why: a shallow clone, a long history, a log that isn't intact."""


class PastState(Model):
    """The state of the repository at one stop, read-only."""

    stop: Stop
    tree: str
    """The tree of the commit."""
    state: ReviewState
    report: CheckReport | None = None
    """Rules (no commands) on that tree, with its settings; None if those settings can't be used."""
    log: ShownLog | None = None
    """The log as of then; None if there was none."""
    notes: tuple[str, ...] = ()
    """What can't be known of that time, because no commit holds it."""
    from_cache: bool = False


_MINUTE = len("2026-03-06T14:10")


def render_moment(time: str) -> str:
    """`2026-03-06 14:10`, UTC."""
    return render_safe(time[:_MINUTE].replace("T", " "))


def describe_stop(stop: Stop) -> str:
    """Which past state is shown, in one line; never to be taken for now."""
    when = f"{render_moment(stop.time)} UTC"
    words = [f"AS IT WAS at {stop.commit[:SHORT_COMMIT]}", when, render_safe(stop.title, 60)]
    words.append(f"log up to {stop.entry[:SHORT_ENTRY]}…" if stop.entry else "no log yet")
    return " · ".join(words)


def add_banner(page: Page, stop: Stop, notes: tuple[str, ...]) -> Page:
    """The page with a banner above, and what can't be known below."""
    marked = Page()
    marked.line(Cell(describe_stop(stop), "warning"))
    marked.parts += page.parts
    marked.heading("Past state, read-only")
    for note in notes:
        marked.line(Cell(render_safe(note), "muted"), indent=2)
    return marked


def build_stop_json(then: PastState) -> dict[str, object]:
    """What JSON output about the past adds: the stop, and what can't be known."""
    return {**then.stop.model_dump(mode="json"), "tree": then.tree, "notes": list(then.notes)}
