"""A transcript for people: events → lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.agents.transcript.event import Event, Kind
from handoff_tui.core.classes import NamedTuple

_MOST_RESULT_LINES = 12
_INDENT = "  "


class TranscriptLine(NamedTuple):
    """A line of a transcript; the text is not yet safe to show."""

    text: str
    role: str = ""
    """The role of its colour: text, key, add, remove, fail, warning, muted or heading."""


def render_event(event: Event) -> Iterator[TranscriptLine]:
    """Returns the lines of one event; none for mere counts."""
    match event.kind:
        case Kind.BEGAN:
            named = [word for word in (event.model, f"session {event.session}" if event.session else "") if word]
            if event.model:
                yield TranscriptLine(" · ".join(named), "muted")
        case Kind.SAID:
            yield from (TranscriptLine(line) for line in event.text.splitlines())
        case Kind.THOUGHT:
            yield from (TranscriptLine(f"{_INDENT}{line}", "muted") for line in event.text.splitlines())
        case Kind.TOLD:
            yield from (TranscriptLine(f"> {line}", "heading") for line in _shorten(event.text.splitlines()))
        case Kind.CALLED:
            yield from _render_call(event)
        case Kind.RESULT:
            yield from _render_result(event)
        case Kind.TROUBLE:
            yield TranscriptLine(f"! {_first_line(event.text)}", "warning")
        case Kind.ENDED:
            yield from _render_end(event)
        case Kind.PLAIN:
            yield TranscriptLine(event.text, "muted")


def _render_call(event: Event) -> Iterator[TranscriptLine]:
    first, *rest = event.text.splitlines() or [""]
    yield TranscriptLine(f"● {event.tool or 'tool'}  {first}".rstrip(), "key")
    yield from (TranscriptLine(f"{_INDENT}{line}", "key") for line in _shorten(rest))
    colours = {"+": "add", "-": "remove"}
    yield from (TranscriptLine(f"{_INDENT}{line}", colours.get(line[:1], "muted")) for line in event.edit)


def _render_result(event: Event) -> Iterator[TranscriptLine]:
    lines = event.text.splitlines()
    if event.denied:
        yield TranscriptLine(f"{_INDENT}⊘ denied: {_first_line(event.text)}", "fail")
        return
    role = "fail" if event.failed else "muted"
    if event.failed and not lines:
        yield TranscriptLine(f"{_INDENT}✗ failed", role)
    yield from (TranscriptLine(f"{_INDENT}{line}", role) for line in _shorten(lines))


def _render_end(event: Event) -> Iterator[TranscriptLine]:
    usage = event.usage
    counts: list[str] = []
    if usage is not None:
        tokens = usage.tokens_in + usage.tokens_out
        counts += [f"{usage.turns:,} turns"] if usage.turns else []
        counts += [f"{tokens:,} tokens"] if tokens else []
        counts += [f"${usage.cost:.2f}"] if usage.cost is not None else []
    mark, role = ("✗ failed", "fail") if event.failed else ("✓ done", "pass")
    yield TranscriptLine(" · ".join([mark, *counts]), role)
    if event.failed:
        yield from (TranscriptLine(f"{_INDENT}{line}", "fail") for line in _shorten(event.text.splitlines()))


def _shorten(lines: list[str]) -> list[str]:
    if len(lines) <= _MOST_RESULT_LINES:
        return lines
    half = _MOST_RESULT_LINES // 2
    return [*lines[:half], f"… {len(lines) - 2 * half:,} more lines", *lines[-half:]]


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "no reason given")
