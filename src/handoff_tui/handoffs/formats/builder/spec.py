"""Specs: what is to be built, and what it waits for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claim import quote
from handoff_tui.handoffs.formats.builder import sections as outlines
from handoff_tui.handoffs.formats.builder.names import find_ids
from handoff_tui.handoffs.formats.builder.prompts_and_reviews import PromptReading, read_questions
from handoff_tui.handoffs.grammar.tokens import clean_path
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import list_fields, plain

_BLOCKED_BY: Final = compile_later(
    r"(?:blocked by|depends on|depends|dependencies|dependency|prerequisites?|requires)\b"
)


_ACTION: Final = compile_later(r"\b(CREATE|MODIFY|DELETE|EDIT|REWRITE|REBUILD|MOVE|RENAME|UPDATE)", re.IGNORECASE)


_INTEGRATION: Final = compile_later(r"\bintegration handoff\b", re.IGNORECASE)


_WAVE: Final = compile_later(r"\bwave\s*#?\s*([0-9]{1,3})\b", re.IGNORECASE)


@dataclass(slots=True)
class SpecReading:
    """What one spec says."""

    source: Source
    stated_id: str | None = None
    title: str | None = None
    superseded: bool = False
    blocked_by: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    out_of_order: tuple[str, ...] = ()
    prompt: PromptReading | None = None


def read_spec(source: Source, settings: Builder) -> SpecReading:
    """Reads it once per file; callers don't change the result."""
    reading = source.read_once("builder.spec", _read, settings)
    prompt = None if reading.prompt is None else replace(reading.prompt, source=source)
    return replace(reading, source=source, prompt=prompt)


def _read(source: Source, settings: Builder) -> SpecReading:
    reading = SpecReading(source)
    if not source.readable:
        return reading
    reading.missing = outlines.missing_sections(source.outline, settings.spec_sections)
    reading.out_of_order = outlines.misplaced_sections(source.outline, settings.spec_sections)
    _read_identity(reading)
    _read_dependencies(reading)
    _read_planned_files(reading)
    _read_leaked_answers(reading)
    _read_remarks(reading)
    prompt = read_questions(source)
    reading.prompt = prompt if prompt.questions else None
    return reading


def is_expected_answers(heading: str) -> bool:
    words = outlines.normalise(heading).split()
    return "expected" in words and ("answers" in words or "answer" in words)


def _read_identity(reading: SpecReading) -> None:
    """The identity table, and the fields under the title; a status there may retire the spec."""
    source = reading.source
    identity = [
        section for section in outlines.headed(source.outline) if outlines.is_heading_of(section.name, "Identity")
    ]
    for line, name, value in list_fields([*outlines.preamble(source.outline), *identity]):
        if not value:
            continue
        reading.facts.append(source.fact(name, quote(value), line.number))
        if name in {"handoff id", "id", "handoff"}:
            reading.stated_id = reading.stated_id or next(iter(find_ids(value)), None)
        elif name == "title":
            reading.title = reading.title or value
        elif name == "status" and parse_status(value) == "SUPERSEDED":
            reading.superseded = True
    title = source.outline.title or ""
    if re.search(r"\bSUPERSEDED\b", title) or any(
        re.match(r"\W*SUPERSEDED\b", line.text)
        for section in outlines.preamble(source.outline)
        for line in section.lines()
    ):
        reading.superseded = True


def _read_dependencies(reading: SpecReading) -> None:
    found: dict[str, None] = {}
    for line, name, value in list_fields(reading.source.outline.sections):
        if _BLOCKED_BY.match(name):
            found.update(dict.fromkeys(find_ids(line.text.partition(" | ")[2] or value)))
    reading.blocked_by = list(found)


def _read_planned_files(reading: SpecReading) -> None:
    """Rows of any table with an action and a file; planned, so not claimed."""
    source = reading.source
    for section in outlines.headed(source.outline):
        for table in section.tables():
            for row in table.rows:
                match = _ACTION.search(plain(table.cell(row, "action")))
                path = outlines.join_folder(table, row, clean_path(plain(table.cell(row, "file", "path"))))
                if match and path:
                    reading.facts.append(source.fact("planned file", f"{match.group(1).upper()} {path}", row.line))


def _read_leaked_answers(reading: SpecReading) -> None:
    source = reading.source
    for section in outlines.headed(source.outline):
        if is_expected_answers(section.name):
            source.report(
                "holds the expected answers of the question gate; they are for the reviewer only", section.line
            )
            reading.facts.append(source.fact("expected answers in the spec", section.name, section.line))


def _read_remarks(reading: SpecReading) -> None:
    """Whether it calls itself an integration handoff, and its wave."""
    source = reading.source
    remarks: dict[str, Fact] = {}
    for section in source.outline.sections:
        for number, text in [
            (section.line, section.title),
            *((line.number, line.text) for line in section.lines() if not line.code),
        ]:
            if _INTEGRATION.search(text):
                remarks.setdefault("integration", source.fact("integration handoff", quote(plain(text)), number))
            if wave := _WAVE.search(text):
                remarks.setdefault("wave", source.fact("wave", wave.group(1), number))
    reading.facts.extend(remarks.values())
