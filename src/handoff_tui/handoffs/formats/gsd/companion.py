"""`.continue-here.md`: frontmatter and parts between tags such as `<current_state>`, or under headings of that name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.work import Blocker, Fact, Task
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.gsd.parts import PausedWork
from handoff_tui.handoffs.reading.claim_words import build_claim, claim_commits, claim_references
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.json_claims import claim_status, normalise_status
from handoff_tui.handoffs.reading.json_document import JsonDocument, JsonNode
from handoff_tui.handoffs.reading.markdown import Item, Section, TextLine, parse_markdown
from handoff_tui.handoffs.reading.prose import claim_first_counts, one_line, says_nothing, section_text, top_items

TAGS: Final = (
    "current_state",
    "completed_work",
    "remaining_work",
    "decisions_made",
    "blockers",
    "context",
    "next_action",
)
_TAG: Final = compile_later(r"^\s*<(/?)([a-z][a-z_]*)>\s*$")
_NUMBERED_TASK: Final = compile_later(r"^Task\s+(\d+[\w.-]*)\s*[:.—\u2013-]\s*(.+)$", re.IGNORECASE | re.DOTALL)
_HEADINGS: Final = {
    "current state": "current_state",
    "completed work": "completed_work",
    "completed": "completed_work",
    "remaining work": "remaining_work",
    "remaining": "remaining_work",
    "decisions made": "decisions_made",
    "decisions": "decisions_made",
    "blockers": "blockers",
    "context": "context",
    "next action": "next_action",
}


def find_tags(source: Source) -> set[str]:
    """The known tags that open on a line of their own, outside code."""
    return {name for _, closing, name in _tag_lines(source) if not closing}


def read_companion(source: Source) -> PausedWork:
    parts = _split_parts(source)
    front = source.frontmatter or JsonNode(JsonDocument(source.path, ""), {})
    status = front.scalar("status")
    state_lines = [line for name in ("current_state", "context") for line in _lines(parts.get(name, []))]
    tests, count_claims = claim_first_counts(state_lines, source.path)
    return PausedWork(
        phase=front.scalar("phase"),
        phase_name=front.scalar("phase_name"),
        status=normalise_status(status) if status else None,
        task=front.scalar("task"),
        total_tasks=front.scalar("total_tasks"),
        message=_text(parts, "current_state") or _text(parts, "context"),
        next_action=_text(parts, "next_action"),
        created=front.scalar("last_updated") or front.scalar("timestamp"),
        tests=tests,
        tasks=(*_read_tasks(source, parts, "completed_work"), *_read_tasks(source, parts, "remaining_work")),
        blockers=_read_blockers(source, parts),
        claims=(*claim_status(front, "status"), *count_claims, *_claim_prose(source)),
        facts=tuple(
            Fact(name="decision", value=one_line(item.text), where=source.place(item.line))
            for section in parts.get("decisions_made", [])
            for item in top_items(section)
        ),
    )


def _split_parts(source: Source) -> dict[str, list[Section]]:
    """Sections by part.

    What stands between tags is parsed by itself, all else blanked: an open tag would make it raw HTML.
    """
    parts: dict[str, list[Section]] = {}
    for section in source.outline.sections:
        name = _HEADINGS.get(section.name.lower())
        if name is not None:
            parts.setdefault(name, []).append(section)
    text_lines = source.text.split("\n")
    tagged: dict[str, list[str]] = {}
    for name, first, last in _tag_ranges(source):
        blanked = tagged.setdefault(name, [""] * len(text_lines))
        blanked[first : last - 1] = text_lines[first : last - 1]
    for name, lines in tagged.items():
        parts.setdefault(name, []).extend(parse_markdown("\n".join(lines)).sections)
    return parts


def _tag_ranges(source: Source) -> Iterator[tuple[str, int, int]]:
    """Each part: its name, the lines of its open and its closing tag; one that never closes is reported."""
    opened: tuple[str, int] | None = None
    for number, closing, name in _tag_lines(source):
        if opened is not None and (not closing or name == opened[0]):
            if not closing:
                source.report(f"<{opened[0]}> is not closed", opened[1])
            yield opened[0], opened[1], number
            opened = None
        if not closing:
            opened = (name, number)
    if opened is not None:
        source.report(f"<{opened[0]}> is not closed", opened[1])
        yield opened[0], opened[1], source.text.count("\n") + 2


def _tag_lines(source: Source) -> Iterator[tuple[int, bool, str]]:
    for line in source.outline.lines():
        match = None if line.code else _TAG.match(line.text)
        if match is not None and match.group(2) in TAGS:
            yield line.number, bool(match.group(1)), match.group(2)


def _lines(sections: list[Section]) -> Iterator[TextLine]:
    for section in sections:
        yield from section.lines()


def _text(parts: dict[str, list[Section]], name: str) -> str | None:
    return "\n".join(text for section in parts.get(name, []) if (text := section_text(section))) or None


def _read_tasks(source: Source, parts: dict[str, list[Section]], name: str) -> Iterator[Task]:
    done = name == "completed_work"
    items = [item for section in parts.get(name, []) for item in top_items(section) if not says_nothing(item.text)]
    for number, item in enumerate(items, start=1):
        yield _build_task(source, item, f"{name.removesuffix('_work')}-{number}", done=done)


def _build_task(source: Source, item: Item, fallback: str, *, done: bool) -> Task:
    text = one_line(item.text)
    match = _NUMBERED_TASK.match(text)
    return Task(
        id=match.group(1) if match else fallback,
        title=match.group(2) if match else text,
        where=source.place(item.line),
        done=done if item.checked is None else item.checked,
    )


def _read_blockers(source: Source, parts: dict[str, list[Section]]) -> tuple[Blocker, ...]:
    found: list[tuple[int, str]] = []
    for section in parts.get("blockers", []):
        items = [(item.line, item.text) for item in top_items(section)]
        found.extend(items or [(paragraph.line, paragraph.text) for paragraph in section.paragraphs()])
    return tuple(
        Blocker(id=f"blocker-{number}", title=one_line(text), where=source.place(line))
        for number, (line, text) in enumerate((entry for entry in found if not says_nothing(entry[1])), start=1)
    )


def _claim_prose(source: Source) -> list[Claim]:
    lines = [line for line in source.outline.lines() if not line.code]
    branch = source.frontmatter.scalar("branch") if source.frontmatter else None
    claims = [build_claim(ClaimKind.BRANCH, source.place(1), branch, value=branch)] if branch else []
    return [*claims, *claim_commits(lines, source.path), *claim_references(lines, source.path)]
