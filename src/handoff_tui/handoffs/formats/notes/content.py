"""Tasks, blockers, verdicts and deployments in handoff notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.work import Blocker, Task
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.notes.topics import Notes, Topic, topics_of
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_verdict
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Section, TextLine, parse_field
from handoff_tui.handoffs.reading.prose import one_line, says_nothing, top_items

_DEPLOYED: Final = compile_later(r"\b(?:deployed|deployment|live (?:at|on))\b", re.IGNORECASE)
_NOT_DEPLOYED: Final = compile_later(
    r"\b(?:not (?:yet )?(?:deployed|live)|un-?deployed|pending|fail(?:ed|ing)?|awaiting|to be deployed)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = compile_later(r"https?://[^\s)>\]`\"']+")
_RESOLVED: Final = compile_later(r"^\W*(?:✅|~~|\[x\]|resolved\b|fixed\b)|\bresolved\b", re.IGNORECASE)
_BLOCKER_FIELDS: Final = ("blockers", "blocker", "blocked by")
_NEXT_FIELDS: Final = ("next", "next step", "next steps", "next action")


def read_tasks(source: Source, notes: Notes) -> list[Task]:
    """Every box, and the entries of sections about what comes next; there a sub-heading is an entry too."""
    tasks: list[Task] = []
    next_level: int | None = None
    for section in notes.current:
        inside = next_level is not None and section.level > next_level
        if inside and not topics_of(section.name):
            tasks.append(_build_task(source, section.line, section.name, len(tasks), done=False))
        elif Topic.NEXT in topics_of(section.name):
            next_level, inside = section.level, False
        else:
            next_level, inside = None, False
        for item in section.items():
            listed = Topic.NEXT in topics_of(section.name) and item.depth == 1 and not says_nothing(item.text)
            if item.checked is not None or (listed and not inside):
                tasks.append(_build_task(source, item.line, item.text, len(tasks), done=item.checked or False))
    return tasks


def find_next_action(notes: Notes) -> str | None:
    """The first step that is not done; a section or field without a list says it in a sentence."""
    for section in notes.about(Topic.NEXT):
        items = [item for item in top_items(section) if not item.checked]
        entries: list[str] = [item.text for item in items] or [block.text for block in section.paragraphs()]
        for text in entries:
            if not says_nothing(text):
                return one_line(text)
    for line in notes.lines():
        field = parse_field(line.text)
        if field is not None and field[0].lower() in _NEXT_FIELDS and field[1]:
            return one_line(field[1])
    return None


def read_blockers(source: Source, notes: Notes) -> list[Blocker]:
    blockers: list[Blocker] = []
    for line, text, checked, heading in _find_blockers(notes):
        resolved = bool(checked) or bool(_RESOLVED.search(text)) or "resolved" in heading.lower()
        blockers.append(
            Blocker(
                id=f"blocker-{len(blockers) + 1}",
                title=one_line(text),
                where=source.place(line),
                status="resolved" if resolved else "open",
                open=not resolved,
            )
        )
    return blockers


def claim_lines(source: Source, lines: Iterable[TextLine]) -> Iterator[Claim]:
    """Closing verdicts, and lines that say something is deployed and where."""
    for line in lines:
        verdict = parse_verdict(line.text)
        if verdict is not None:
            yield build_claim(ClaimKind.VERDICT, source.place(line.number), line.text, value=verdict)
        address = _ADDRESS.search(line.text)
        field = parse_field(line.text)
        named = field is not None and field[0].lower().startswith("deploy") and bool(field[1])
        if _DEPLOYED.search(line.text) and (address or named):
            state = "not deployed" if _NOT_DEPLOYED.search(line.text) else "deployed"
            subject = address.group().rstrip(".,;") if address else None
            yield build_claim(ClaimKind.DEPLOYMENT, source.place(line.number), line.text, subject=subject, value=state)


def _build_task(source: Source, line: int, text: str, count: int, *, done: bool) -> Task:
    return Task(id=f"task-{count + 1}", title=one_line(text), where=source.place(line), done=done)


def _find_blockers(notes: Notes) -> Iterator[tuple[int, str, bool | None, str]]:
    """Line, words, box, heading; nothing where a section or a field says that there are none."""
    for section in notes.about(Topic.BLOCKERS):
        for line, text, checked in _entries(section):
            if not says_nothing(text):
                yield line, text, checked, section.name
    for text_line in notes.lines():
        field = parse_field(text_line.text)
        if field is not None and field[0].lower() in _BLOCKER_FIELDS and not says_nothing(field[1]):
            yield text_line.number, field[1], None, field[0]


def _entries(section: Section) -> Iterator[tuple[int, str, bool | None]]:
    items = top_items(section)
    tables = section.tables()
    for item in items:
        yield item.line, item.text, item.checked
    for table in () if items else tables:
        for row in table.rows:
            yield row.line, " | ".join(row.cells), None
    for block in () if items or tables else section.paragraphs():
        if not block.html:
            yield block.line, block.text, None
