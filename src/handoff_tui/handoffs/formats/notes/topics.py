"""What a heading is about, and which part of a document is about the current session."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.reading.markdown import Outline, Section, TextLine


class Topic(Enum):
    """What handoff notes are about."""

    STATUS = "status"
    NEXT = "next"
    DONE = "done"
    BLOCKERS = "blockers"
    FILES = "files"
    CONTEXT = "context"
    SESSION = "session"
    HANDOFF = "handoff"


_TOPICS: Final = {
    Topic.STATUS: (
        r"^(?:current |git |project |immediate )?(?:status|state)\b|\bstatus$"
        r"|where (?:we|i|it) (?:are|am|is|left)"
    ),
    Topic.NEXT: (
        r"\bnext (?:steps?|actions?|up|session|tasks?|agent)\b|^next$|^to-?\s?dos?\b|\(todos?\)|^todo /"
        r"|^remaining\b|what'?s (?:left|next|not)|follow[- ]?ups?|action items|\bstill open\b"
        r"|^open (?:items|questions|tasks)|^pending\b"
    ),
    Topic.DONE: (
        r"^(?:done|completed|accomplish\w+|progress)\b|^what (?:was|i|we|has been|got)\b"
        r"|^work (?:done|completed)|\bachievements\b|^(?:changes|summary of changes)\b"
    ),
    Topic.BLOCKERS: r"\bblock(?:ers?|ed)\b",
    Topic.FILES: (
        r"\bfiles?\s+(?:created|modified|changed|touched|updated|added|deleted|removed|summary)"
        r"|\b(?:created|modified|changed|updated|new|deleted|key|relevant|touched)\s+files?\b"
    ),
    Topic.CONTEXT: r"^(?:key |important )?(?:context|background)\b|\bcontext$",
    Topic.SESSION: r"\bsessions?\b",
    Topic.HANDOFF: r"\bhand-?\s?(?:off|over)\b",
}
_PATTERNS: Final = {topic: compile_later(pattern, re.IGNORECASE) for topic, pattern in _TOPICS.items()}
_PREVIOUS: Final = compile_later(
    r"\b(?:previous|prior|earlier|past|older)\b.{0,40}\b(?:sessions?|handoffs?|work)\b|^\W*\(?historical\)?",
    re.IGNORECASE,
)
_ONE_SESSION: Final = compile_later(
    r"^\W*(?:session|handoff|handover)\b.*?(?P<number>\d+)|^\W*\d{4}-\d{2}-\d{2}\b", re.IGNORECASE
)
_DATE: Final = compile_later(r"\b\d{4}-\d{2}-\d{2}\b")
_LEADING_MARKS: Final = compile_later(r"^[^\w(]+")


@dataclass(slots=True)
class Notes:
    """A document split by session: what is of now, and the headings of what was before."""

    current: list[Section] = field(default_factory=list)
    previous: list[Section] = field(default_factory=list)

    def lines(self) -> list[TextLine]:
        """The lines of now, code left out."""
        return [line for section in self.current for line in section.lines() if not line.code]

    def about(self, topic: Topic) -> list[Section]:
        return [section for section in self.current if topic in topics_of(section.name)]


@lru_cache(maxsize=1024)
def topics_of(heading: str) -> frozenset[Topic]:
    words = _LEADING_MARKS.sub("", heading)
    return frozenset(topic for topic, pattern in _PATTERNS.items() if pattern.search(words))


def split_sessions(outline: Outline) -> Notes:
    """Everything below a heading such as `Previous Session`, or of a session before the newest, is past."""
    older = _find_older_sessions(outline)
    lines = {section.line for section in older}
    notes = Notes(previous=older)
    past_level: int | None = None
    for section in outline.sections:
        if past_level is not None and section.level > past_level:
            continue
        if section.level and section.line in lines:
            past_level = section.level
        elif section.level and _PREVIOUS.search(section.name):
            past_level = section.level
            notes.previous.append(section)
        else:
            past_level = None
            notes.current.append(section)
    return notes


def _find_older_sessions(outline: Outline) -> list[Section]:
    """All but the newest of several sessions in one file, newest first.

    Dates tell which is the newest, then numbers; without either the one on top is.
    """
    found = [section for section in outline.sections if section.level and _ONE_SESSION.match(section.name)]
    level = min((section.level for section in found if section.level > 1), default=None)
    sessions = [section for section in found if section.level == level]
    if len(sessions) < 2:  # noqa: PLR2004 - one session is the present one
        return []
    dates = [date.group() if (date := _DATE.search(section.name)) else "" for section in sessions]
    numbers = [
        int(match.group("number") or 0) if (match := _ONE_SESSION.match(section.name)) else 0 for section in sessions
    ]
    undated = not all(dates)
    keys = [("" if undated else date, number) for date, number in zip(dates, numbers, strict=True)]
    ordered = sorted(range(len(sessions)), key=lambda position: (keys[position], -position), reverse=True)
    return [sessions[position] for position in ordered[1:]]
