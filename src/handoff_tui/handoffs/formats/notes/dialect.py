"""One handoff per note: what its present session says of itself; earlier sessions are attempts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.work import Attempt, Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.notes.changed_files import claim_changed_files
from handoff_tui.handoffs.formats.notes.content import claim_lines, find_next_action, read_blockers, read_tasks
from handoff_tui.handoffs.formats.notes.recognition import may_own, recognise
from handoff_tui.handoffs.formats.notes.topics import Notes, Topic, split_sessions
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.reading.claim_words import build_claim, claim_commits, claim_references, parse_status
from handoff_tui.handoffs.reading.format import Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.json_claims import build_unique_id, normalise_status
from handoff_tui.handoffs.reading.markdown import TextLine, parse_field
from handoff_tui.handoffs.reading.prose import claim_first_counts, one_line, section_text

_HEAD_LINES = 60
_DATE: Final = compile_later(r"\b\d{4}-\d{2}-\d{2}\b")
_BRANCH: Final = compile_later(r"^[\w][\w./-]*")
_STATUS_HEADING: Final = compile_later(r"^\W*(?:current\s+)?status\s*[:—-]\s*(.+)$", re.IGNORECASE)
_NAMES: Final = {
    "status": ("status", "current status", "overall status"),
    "agent": ("agent", "author", "from", "from agent", "written by", "prepared by"),
    "target": ("to", "to agent", "next agent", "for"),
    "date": ("date", "last updated", "updated", "created", "session time", "session date", "timestamp", "generated"),
    "branch": ("branch", "current branch", "git branch"),
    "phase": ("phase", "current phase"),
    "next_phase": ("next phase",),
    "next": ("next", "next step", "next action"),
    "priority": ("priority",),
}
Fields = dict[str, tuple[str, Place]]


def read(owned: list[Source], shelf: Shelf) -> Reading:  # noqa: ARG001 - every dialect is given the shelf
    reading = Reading()
    taken: set[str] = set()
    for source in sorted(owned, key=lambda source: source.path):
        if source.readable and not source.text.strip():
            source.report("is empty")
        reading.handoffs.append(_build_handoff(source, taken))
    return reading


def _build_handoff(source: Source, taken: set[str]) -> Handoff:
    handoff = source.keep("notes.handoff", _read_handoff)
    name = build_unique_id(taken, source.path, "notes", source.path)
    return handoff if handoff.id == name else handoff.model_copy(update={"id": name})


def _read_handoff(source: Source) -> Handoff:
    """All that it says; its id must still be unique."""
    notes = split_sessions(source.outline)
    fields, facts = _read_fields(source, notes)
    lines = notes.lines()
    status = _find_status(source, notes, fields)
    tests, counts = claim_first_counts(lines, source.path)
    agent, target = _value(fields, "agent"), _value(fields, "target")
    attempts = _build_attempts(source, notes)
    return Handoff(
        id=build_id("notes", source.path),
        dialect="notes",
        title=source.outline.title,
        source_phase=_value(fields, "phase"),
        target_phase=_value(fields, "next_phase"),
        source_agent=agent,
        target_agent=target,
        priority=_value(fields, "priority"),
        status=normalise_status(status[0]) if status else None,
        attempt=len(attempts) + 1,
        attempts=attempts,
        producers=(agent,) if agent else (),
        message=_find_message(notes),
        next_action=find_next_action(notes) or _value(fields, "next"),
        claims=(*_claim_fields(status, fields), *counts, *_claim_work(source, notes, lines)),
        tests=tests,
        documents=(source.document(DocumentRole.NOTE, confidence=recognise(source)),),
        tasks=tuple(read_tasks(source, notes)),
        blockers=tuple(read_blockers(source, notes)),
        facts=facts,
        created=_value(fields, "date"),
    )


def _read_fields(source: Source, notes: Notes) -> tuple[Fields, tuple[Fact, ...]]:
    """Frontmatter first, then fields near the top; every plain value of the frontmatter is a fact as well."""
    fields: Fields = {}
    facts: list[Fact] = []
    front = source.frontmatter
    for member in front.members() if front else ():
        text = None if isinstance(member.value, dict | list) else member.as_text()
        if text:
            name = str(member.pointer[-1])
            facts.append(Fact(name=name, value=text, where=member.where))
            _keep_field(fields, name.replace("_", " "), text, member.where)
    for line in notes.lines():
        if line.number > _HEAD_LINES:
            break
        field = parse_field(line.text)
        if field is not None:
            _keep_field(fields, field[0], field[1], source.place(line.number))
    return fields, tuple(facts)


def _keep_field(fields: Fields, name: str, text: str, where: Place) -> None:
    known = next((key for key, names in _NAMES.items() if name.lower() in names), None)
    if known is not None and text.strip():
        fields.setdefault(known, (one_line(text), where))


def _value(fields: Fields, name: str) -> str | None:
    return fields[name][0] if name in fields else None


def _find_status(source: Source, notes: Notes, fields: Fields) -> tuple[str, Place] | None:
    """The field; else a heading such as `Status: DONE`; else how a status section begins, if that is a token."""
    if "status" in fields:
        return fields["status"]
    for section in notes.about(Topic.STATUS):
        heading = _STATUS_HEADING.match(section.name)
        if heading is not None and parse_status(heading.group(1)):
            return heading.group(1), source.place(section.line)
        for line in section.lines():
            if not line.code and line.text.strip():
                if parse_status(line.text):
                    return one_line(line.text), source.place(line.number)
                break
    return None


def _claim_fields(status: tuple[str, Place] | None, fields: Fields) -> list[Claim]:
    claims: list[Claim] = []
    if status is not None:
        claims.append(build_claim(ClaimKind.STATUS, status[1], status[0], value=normalise_status(status[0])))
    branch = _BRANCH.match(_value(fields, "branch") or "")
    if branch is not None:
        text, where = fields["branch"]
        claims.append(build_claim(ClaimKind.BRANCH, where, text, value=branch.group()))
    return claims


def _claim_work(source: Source, notes: Notes, lines: Iterable[TextLine]) -> list[Claim]:
    lines = list(lines)
    changed = claim_changed_files(notes.about(Topic.FILES), source.path)
    known = {claim.subject for claim in changed}
    references = [claim for claim in claim_references(lines, source.path) if claim.subject not in known]
    return [*changed, *claim_commits(lines, source.path), *claim_lines(source, lines), *references]


def _build_attempts(source: Source, notes: Notes) -> tuple[Attempt, ...]:
    """Notes put the newest session on top, so the last heading is the first attempt."""
    count = len(notes.previous)
    newest_first = [
        Attempt(
            number=count - position,
            summary=section.name,
            when=date.group() if (date := _DATE.search(section.name)) else None,
            where=source.place(section.line),
        )
        for position, section in enumerate(notes.previous)
    ]
    return tuple(newest_first[::-1])


def _find_message(notes: Notes) -> str | None:
    """The context or summary; else the first prose that is no field."""
    for section in notes.current:
        if section.name.lower() in {"summary", "context", "overview", "current task", "current state"}:
            text = section_text(section)
            if text:
                return text
    for section in notes.current:
        for paragraph in section.paragraphs():
            if not paragraph.html and parse_field(paragraph.text) is None:
                return paragraph.text
    return None


NOTES: Final = Dialect(id="notes", may_own=may_own, recognise=recognise, read=read)
