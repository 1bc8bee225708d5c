"""Whether a Markdown file is a handoff note: by its name first, then by what its headings and fields speak of."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.formats.notes.topics import Topic, topics_of
from handoff_tui.handoffs.reading.format import NO, POSSIBLE, Source
from handoff_tui.handoffs.reading.markdown import parse_field

WEAK: Final = 0.6
"""Less than any dialect that knows the format."""
_NAME: Final = compile_later(
    r"(?:^|/)(?:hand-?(?:off|over)|[^/]*[-_ ]hand-?(?:off|over)|hand-?(?:off|over)[-_ ][^/]*"
    r"|session[-_]handoff[^/]*)\.md$",
    re.IGNORECASE,
)
_FOLDER: Final = compile_later(r"(?:^|/)hand-?(?:offs?|overs?)/[^/]+\.md$", re.IGNORECASE)
_CANONICAL: Final = compile_later(
    r"(?:^|/)(?:handoff|handover|session_handoff[^/]*|agent_handoff|handoff_notes)\.md$", re.IGNORECASE
)
_NOT_A_NOTE: Final = compile_later(
    r"(?:^|/)(?:commands|skills?|prompts|templates?|agents|rules|node_modules)/|template[^/]*\.md$|(?:^|/)(?:readme|index)\.md$",
    re.IGNORECASE,
)
_ABOUT_HANDOFFS: Final = compile_later(
    r"\bhand-?(?:offs?|overs?)\s+(?:\w+\s+){0,2}(?:specification|spec|standard|architecture|design|guide|protocol|template|"
    r"system|enforcement|procedures?|implementation|reference|overview|workflow|schema|format|mechanism)\b",
    re.IGNORECASE,
)
"""The title of a text about handoffs, which is none itself."""
_FIELD_TOPICS: Final = {
    "status": Topic.STATUS,
    "next": Topic.NEXT,
    "next step": Topic.NEXT,
    "next steps": Topic.NEXT,
    "next action": Topic.NEXT,
    "blockers": Topic.BLOCKERS,
    "blocked": Topic.BLOCKERS,
    "session": Topic.SESSION,
    "completed": Topic.DONE,
    "done": Topic.DONE,
    "branch": Topic.CONTEXT,
    "context": Topic.CONTEXT,
    "handoff": Topic.HANDOFF,
    "from": Topic.HANDOFF,
    "to": Topic.HANDOFF,
}
_HEAD_LINES = 40
_ENOUGH = 2


def may_own(path: str) -> bool:
    return bool(_NAME.search(path) or _FOLDER.search(path)) and not _NOT_A_NOTE.search(path)


def recognise(source: Source) -> float:
    canonical = bool(_CANONICAL.search(source.path))
    if not source.readable or not source.text.strip():
        return POSSIBLE if canonical else NO
    treatise = _ABOUT_HANDOFFS.search(source.outline.title or "")
    if not treatise and len(_find_topics(source)) >= _ENOUGH:
        return WEAK
    return POSSIBLE if canonical else NO


def _find_topics(source: Source) -> set[Topic]:
    topics: set[Topic] = set()
    for section in source.outline.sections:
        topics |= topics_of(section.name)
    for line in source.outline.lines():
        if line.number > _HEAD_LINES:
            break
        field = None if line.code else parse_field(line.text)
        if field is not None and field[0].lower() in _FIELD_TOPICS:
            topics.add(_FIELD_TOPICS[field[0].lower()])
    front = source.frontmatter
    for key in front.keys() if front else ():
        if key.lower().replace("_", " ") in _FIELD_TOPICS:
            topics.add(_FIELD_TOPICS[key.lower().replace("_", " ")])
    return topics
