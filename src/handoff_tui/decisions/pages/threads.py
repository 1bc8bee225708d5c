"""The comments on a handoff as threads: as the public JSON shape, and as a page with open ones first. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.decisions.threads import Thread
from handoff_tui.log.entry import PhaseKey

SCHEMA = "handoff-tui/comments/v1"
_STATES = {True: ("~ changed since", "warning"), False: ("✗ not changed since", "contradicted"), None: ("? ", "muted")}


def build_threads_json(place: PhaseKey, threads: Sequence[Thread]) -> dict[str, object]:
    """The shape promised to scripts."""
    return {
        "schema": SCHEMA,
        **place._asdict(),
        "open": sum(not thread.resolved_by for thread in threads),
        "threads": [{**thread.model_dump(mode="json"), "place": thread.place} for thread in threads],
    }


def build_threads_page(place: PhaseKey, threads: Sequence[Thread], *, everything: bool = False) -> Page:
    """Open threads first, each with its replies; settled ones are counted, or listed with --all."""
    page = Page()
    waiting = [thread for thread in threads if not thread.resolved_by]
    settled = [thread for thread in threads if thread.resolved_by]
    counts = f"{len(waiting)} open, {len(settled)} resolved" if threads else "no comments"
    page.line(Cell(f"{render_safe(place.handoff)} · {render_safe(place.phase)}: {counts}", "heading"))
    for thread in (*waiting, *(settled if everything else ())):
        _add_thread(page, thread)
    if settled and not everything:
        page.line(Cell(f"{plural(len(settled), 'resolved thread')}; --all lists them", "muted"))
    return page


def _add_thread(page: Page, thread: Thread) -> None:
    page.line()
    word, role = (
        ("✓ resolved by " + render_safe(thread.resolved_by), "holds") if thread.resolved_by else _describe(thread)
    )
    page.line(
        Cell(f"{render_safe(thread.id)}  ", "muted"),
        Cell(render_safe(thread.place) or "in general", "path"),
        Cell(f"  {word}", role),
    )
    _add_words(page, f"{thread.author}, attempt {thread.attempt}", thread.comment.text)
    for reply in thread.replies:
        who = reply.author if reply.attempt is None else f"{reply.author}, attempt {reply.attempt}"
        _add_words(page, f"{who} (an agent, not signed)" if reply.attempt is None else who, reply.text)


def _describe(thread: Thread) -> tuple[str, str]:
    word, role = _STATES[thread.changed]
    return (word if thread.changed is not None else f"{word}{thread.evidence}"), role


def _add_words(page: Page, who: str, text: str) -> None:
    first, *rest = render_safe_lines(text) or [""]
    page.line(Cell(f"{render_safe(who)}: ", "muted"), Cell(first), indent=2)
    for line in rest:
        page.line(Cell(line), indent=4)
