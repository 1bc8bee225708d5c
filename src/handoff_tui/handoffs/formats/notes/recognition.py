"""Whether a file is a note that hands work over: by its name cheaply, then by what it says.

Templates, protocols, and parts of a product that happen to be called so are none.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from itertools import takewhile
from typing import Final

from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.formats.notes.structured import (
    count_key_groups,
    find_key_groups,
    find_root,
    is_session_log,
)
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.reading.candidates import ABOUT_HANDOFFS, FEATURE, NOT_WORK, OFFS, PRODUCT, SETTINGS, TREATISE
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.markdown import Outline, Section, TextLine, find_fields

_DESCRIPTION: Final = compile_later(r"^description:", re.MULTILINE)


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
        r"^(?:current |git |project |immediate )?(?:status|state)\b|\bstatus$|where (?:we|i|it) (?:are|am|is|left)"
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
    Topic.BLOCKERS: r"(?<!\bnot )(?<!\bnon-)\bblock(?:ers?|ed)\b",
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


WEAK: Final = 0.6
"""Less than any format that recognises its own fields."""
_WORD: Final = r"hand[-_ ]?(?:off|over)"
_NAME: Final = compile_later(rf"{_WORD}[^/]*$", re.IGNORECASE)
_FOLDER: Final = compile_later(rf"(?:^|/)[^/]*{_WORD}s?[^/]*/", re.IGNORECASE)
_CANONICAL: Final = compile_later(
    r"(?:^|/)(?:handoff|handover|session_handoff[^/]*|agent_handoff|handoff_notes)\.md$", re.IGNORECASE
)
_AGENTS: Final = r"(?:next[-_ ])?(?:agents?|claude|codex|gemini|cursor|copilot|session)"
_TO_AGENTS: Final = compile_later(
    rf"(?:^|/)(?:[^/]*[-_ ])?(?:(?:notes?|message|briefing|letter)[-_ ])?(?:for|to)[-_ ](?:the[-_ ])?"
    rf"{_AGENTS}(?:[-_ ][^/]*)?\.md$"
    r"|(?:^|/)(?:next[-_ ]session(?:[-_ ][^/]*)?|(?:resume|continue|start)[-_ ]here|agents?[-_ ]notes?)\.md$",
    re.IGNORECASE,
)
_DECISION: Final = compile_later(
    r"(?:^|/)(?:[^/]*[-_ .])?(?:qa|review|reviewer|code[-_ ]review)[-_ .]"
    r"(?:decision|verdict|sign[-_ ]?off|gate)s?(?:[-_ .][^/]*)?\.md$",
    re.IGNORECASE,
)
_SESSION_LOG: Final = compile_later(
    r"(?:^|/)\.?(?:ai[-_])?agents?/(?:.*/)?sessions?/[^/]+\.(?:json|ya?ml)$", re.IGNORECASE
)
_TEXT: Final = (".md", ".markdown")
_DATA: Final = (".json", ".yaml", ".yml")
_ABOUT: Final = compile_later(
    rf"\b{OFFS}\s+(?:(?:\w+\s+){{0,2}}{TREATISE}|{FEATURE})\b"
    r"|^\W*(?:how to|using|about) .{0,30}hand[- ]?(?:ing )?(?:off|over)"
    r"|^\W*(?:session |agent )?hand[- ]?(?:offs|overs)\s*$",
    re.IGNORECASE,
)
"""The title of a text about handoffs that isn't one."""
_PLACEHOLDER: Final = compile_later(
    r"\{\{[^}\n]{1,60}\}\}|\{[A-Z][A-Z_ ]{2,40}\}|\[(?:YYYY|Date\b|Name\b|Your\b|Agent\b|List\b|Insert\b|TODO\b"
    r"|Topic\b)[^\]\n]{0,60}\](?!\()|<(?:id|path|date|name|agent|title|branch|your[^>\n]{0,30}|change \d)>|YYYY-MM-DD",
)
_MANY_PLACEHOLDERS: Final = 3
_FIELD_TOPICS: Final = {
    **dict.fromkeys(("status", "decision", "qa decision", "verdict", "review decision"), Topic.STATUS),
    **dict.fromkeys(("next", "next step", "next steps", "next action"), Topic.NEXT),
    **dict.fromkeys(("blockers", "blocked"), Topic.BLOCKERS),
    "session": Topic.SESSION,
    **dict.fromkeys(("completed", "done"), Topic.DONE),
    **dict.fromkeys(("branch", "context"), Topic.CONTEXT),
    **dict.fromkeys(("handoff", "from", "to"), Topic.HANDOFF),
}
_RECOGNISED_LINES = 40
_ENOUGH = 2
_ENOUGH_KEYS = 3
_HEAD = 4000
"""A template shows its placeholders, and a command its front matter, within so many characters."""


def may_own(path: str) -> bool:
    lowered = path.lower()
    if NOT_WORK.search(path) or SETTINGS.search(path) or (ABOUT_HANDOFFS.search(path) and not _DECISION.search(path)):
        return False
    if lowered.endswith(_DATA):
        named = _NAME.search(path) or _FOLDER.search(path)
        return bool(_SESSION_LOG.search(path) or (named and not PRODUCT.search(path)))
    if not lowered.endswith(_TEXT):
        return False
    return any(pattern.search(path) for pattern in (_NAME, _FOLDER, _TO_AGENTS, _DECISION))


def is_decision(path: str) -> bool:
    return _DECISION.search(path) is not None


def is_structured(path: str) -> bool:
    return path.lower().endswith(_DATA)


def recognise(source: Source) -> float:
    if is_structured(source.path):
        return _recognise_data(source)
    least = Confidence.POSSIBLE if _CANONICAL.search(source.path) else Confidence.NO
    if not source.readable:
        return Confidence.POSSIBLE if _NAME.search(source.path) and not PRODUCT.search(source.path) else least
    if not source.text.strip():
        return least
    if is_template(source.text) or _is_command(source.text):
        return Confidence.NO
    if _ABOUT.search(source.outline.title or ""):
        return Confidence.NO if PRODUCT.search(source.path) else least
    return _judge_topics(source)


def _judge_topics(source: Source) -> float:
    """Two topics are enough anywhere; otherwise the name must say that it is a handoff, and the text have parts."""
    topics = find_topics(source)
    if len(topics) >= _ENOUGH:
        return WEAK
    speaks = bool(_NAME.search(source.path) or _FOLDER.search(source.path)) and not PRODUCT.search(source.path)
    has_parts = any(section.level > 1 or section.items() or section.tables() for section in source.outline.sections)
    # a note without headings or lists is one if it says what was done
    named = bool(_CANONICAL.search(source.path)) or (
        speaks and (has_parts or bool(find_claims(source.outline.sections, source.path)))
    )
    return Confidence.POSSIBLE if named or topics else Confidence.NO


def _recognise_data(source: Source) -> float:
    if not _SESSION_LOG.search(source.path) and count_key_groups(source.text) < _ENOUGH_KEYS:
        return Confidence.NO  # without parsing it
    root = find_root(source)
    if root is None or not isinstance(root.value, dict) or root.has("$schema", "properties"):
        return Confidence.NO
    if _SESSION_LOG.search(source.path) and is_session_log(root):
        return WEAK
    groups = find_key_groups(root)
    tells = bool(groups & {"done", "next", "blockers", "status"})
    return WEAK if tells and len(groups) >= _ENOUGH_KEYS else Confidence.NO


def is_template(text: str) -> bool:
    """Whether a text is to be filled in: it has several placeholders."""
    found = {match.group() for match in _PLACEHOLDER.finditer(text[:_HEAD])}
    return len(found) >= _MANY_PLACEHOLDERS


def _is_command(text: str) -> bool:
    """A command, skill or agent for a host: front matter that names and describes it."""
    head = text[:_HEAD]
    if not head.startswith("---"):
        return False
    front = head[3:].partition("\n---")[0]
    return _DESCRIPTION.search(front) is not None and not re.search(r"^status:", front, re.MULTILINE)


def find_topics(source: Source) -> set[Topic]:
    """What its headings, and the fields near its top, are about; nobody changes the answer."""
    return source.read_once("notes.topics", _find_topics)


def _find_topics(source: Source) -> set[Topic]:
    topics: set[Topic] = set()
    for section in source.outline.sections:
        topics |= topics_of(section.name)
    head = takewhile(lambda line: line.number <= _RECOGNISED_LINES, source.outline.lines())
    front = source.frontmatter
    names = [name for _, name, _ in find_fields(head)]
    names.extend(key.lower().replace("_", " ") for key in (front.keys() if front else ()))
    return topics.union(_FIELD_TOPICS[name] for name in names if name in _FIELD_TOPICS)
