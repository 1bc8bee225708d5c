"""Whether a file is a note that hands work over: by its name cheaply, then by what it says.

Templates, protocols, and parts of a product that happen to be called so are none.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.formats.notes.structured import (
    count_key_groups,
    find_key_groups,
    find_root,
    is_session_log,
)
from handoff_tui.handoffs.formats.notes.topics import Topic, topics_of
from handoff_tui.handoffs.reading.candidates import ABOUT_HANDOFFS, FEATURE, NOT_WORK, OFFS, PRODUCT, SETTINGS, TREATISE
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.markdown import find_fields

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
    r"\{\{[^}\n]{1,60}\}\}|\{[A-Z][A-Z_ ]{2,40}\}"
    r"|\[(?:YYYY|Date\b|Name\b|Your\b|Agent\b|List\b|Insert\b|TODO\b|Topic\b)[^\]\n]{0,60}\](?!\()"
    r"|<(?:id|path|date|name|agent|title|branch|your[^>\n]{0,30}|change \d)>|YYYY-MM-DD",
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
    named = bool(_CANONICAL.search(source.path)) or (speaks and has_parts)
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
    return re.search(r"^description:", front, re.MULTILINE) is not None and not re.search(
        r"^status:", front, re.MULTILINE
    )


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
