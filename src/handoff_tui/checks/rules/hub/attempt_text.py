"""The newest attempts of a handoff, and their text in the documents."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff

_FENCE = compile_later(r"^ {0,3}(```+|~~~+)")
_HEADING = compile_later(r"^#{1,3}\s")


def find_standing_attempts(handoff: Handoff) -> list[Attempt]:
    """Returns the newest attempt at each stage."""
    newest = {attempt.phase or attempt.agent: attempt for attempt in handoff.attempts}
    return sorted(newest.values(), key=lambda attempt: attempt.number)


def read_attempt_lines(context: Context, attempt: Attempt) -> Iterator[tuple[int, str]]:
    """Yields the lines of an attempt's section in a Markdown document, including raw output."""
    place = attempt.where
    if place is None or place.line is None or place.path.lower().endswith(".json"):
        return
    lines = (context.read_text(place.path) or "").split("\n")
    fence: str | None = None
    for number, line in enumerate(lines[place.line :], start=place.line + 1):
        mark = _FENCE.match(line)
        if fence is None and _HEADING.match(line):
            return
        if mark is not None:
            fence = None if fence is not None and mark[1].startswith(fence) else fence or mark[1]
        yield number, line
