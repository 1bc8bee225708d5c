"""The banner that marks everything of another time as past."""

from __future__ import annotations

from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.travel.values import PastState, Stop

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
