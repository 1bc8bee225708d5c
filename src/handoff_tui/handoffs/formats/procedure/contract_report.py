"""Contract reports in Markdown: `**Contract ID**:` and `**Status**:`, deliverables, and many unproven numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.work import Fact, Task
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.handoff import Handoff, HandoffType
from handoff_tui.handoffs.reading.claim_words import build_claim, claim_references, parse_status
from handoff_tui.handoffs.reading.format import LIKELY, NO, Source
from handoff_tui.handoffs.reading.json_claims import build_unique_id
from handoff_tui.handoffs.reading.markdown import Outline, Section, TextLine, parse_field
from handoff_tui.handoffs.reading.prose import one_line, top_items

_PERCENTAGE: Final = compile_later(r"(?<![\w.])\d+(?:\.\d+)?\s*%\+?")
_CHECKED_LINE: Final = compile_later(r"^\W*[✅❌✔✗☑]")
_FACTS: Final = ("Difficulty", "Estimated Time", "Extra Credit Points", "Date", "Priority")
_HEAD_LINES = 60


def recognise_report(source: Source) -> float:
    fields = _head_fields(source.outline)
    return LIKELY if "contract id" in fields and "status" in fields else NO


def build_report(source: Source, taken: set[str]) -> Handoff:
    fields = _head_fields(source.outline)
    contract = fields.get("contract id", ("", 1))[0]
    agent = _value(fields, "agent")
    status, status_line = fields.get("status", ("", 1))
    token = parse_status(status)
    status_claims = [build_claim(ClaimKind.STATUS, source.place(status_line), status, value=token)] if status else []
    return Handoff(
        id=build_unique_id(taken, source.path, contract or source.path),
        dialect="procedure",
        title=_value(fields, "title") or source.outline.title,
        original_name=contract or None,
        type=HandoffType.CONTRACT_HANDOFF,
        source_agent=agent,
        producers=(agent,) if agent else (),
        priority=_value(fields, "priority"),
        status=token,
        claims=(*status_claims, *_claim_figures(source), *claim_references(source.outline.lines(), source.path)),
        documents=(source.document(DocumentRole.REPORT, confidence=recognise_report(source)),),
        tasks=tuple(_read_deliverables(source)),
        facts=tuple(
            Fact(name=name, value=fields[name.lower()][0], where=source.place(fields[name.lower()][1]))
            for name in _FACTS
            if name.lower() in fields and fields[name.lower()][0]
        ),
        created=_value(fields, "date"),
    )


def _value(fields: dict[str, tuple[str, int]], name: str) -> str | None:
    return fields[name][0] or None if name in fields else None


def _head_fields(outline: Outline) -> dict[str, tuple[str, int]]:
    """The fields near the top, by name in small letters; the first of a name counts."""
    fields: dict[str, tuple[str, int]] = {}
    for line in outline.lines():
        if line.number > _HEAD_LINES:
            break
        field = None if line.code else parse_field(line.text)
        if field is not None:
            fields.setdefault(field[0].lower(), (field[1], line.number))
    return fields


def _claim_figures(source: Source) -> Iterator[Claim]:
    """Percentages, and ticks beside a name. Nothing stands behind them, so they are checks to be made."""
    for line in source.outline.lines():
        field = None if line.code else parse_field(line.text)
        if field is None:
            continue
        percentage = _PERCENTAGE.search(field[1])
        ticked = _CHECKED_LINE.match(field[1])
        if percentage is not None:
            yield _claim_check(source, line, field[0], percentage.group())
        elif ticked is not None and field[0].lower() != "status":
            yield _claim_check(source, line, field[0], "pass" if "❌" not in field[1][:4] else "fail")


def _claim_check(source: Source, line: TextLine, name: str, value: str) -> Claim:
    return build_claim(ClaimKind.CHECK, source.place(line.number), line.text, subject=name, value=value)


def _read_deliverables(source: Source) -> Iterator[Task]:
    number = 0
    for section in _deliverable_sections(source.outline):
        for item in top_items(section):
            number += 1
            done = item.checked if item.checked is not None else ("✅" in section.title or "✅" in item.text or None)
            yield Task(id=f"deliverable-{number}", title=one_line(item.text), where=source.place(item.line), done=done)


def _deliverable_sections(outline: Outline) -> Iterator[Section]:
    """Sections about deliverables, with what stands below them."""
    level: int | None = None
    for section in outline.sections:
        if level is None or section.level <= level:
            level = section.level if section.level and "deliverable" in section.name.lower() else None
        if level is not None:
            yield section
