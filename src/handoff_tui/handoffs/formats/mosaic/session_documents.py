"""Session handoffs in Markdown: who worked, what was made, committed, deployed and tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.handoff import HandoffDraft
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Section, TextLine, find_fields, plain

_FILE_SECTION: Final = compile_later(
    r"\bfiles?\b.*?\b(created|added|modified|changed|updated|deleted|removed)\b|"
    r"\b(created|new|modified|changed|updated|deleted|removed)\b.*?\bfiles?\b",
    re.IGNORECASE,
)
_FILE_VERB: Final = compile_later(r"^\W*(created|added|new|modified|changed|updated|deleted|removed)\b", re.IGNORECASE)
_KINDS: Final = {
    **dict.fromkeys(("created", "added", "new"), ClaimKind.FILE_CREATED),
    **dict.fromkeys(("modified", "changed", "updated"), ClaimKind.FILE_MODIFIED),
    **dict.fromkeys(("deleted", "removed"), ClaimKind.FILE_DELETED),
}
_ADDRESS: Final = compile_later(r"https?://[^\s<>()`\"'|*]+")
_DEPLOYED: Final = compile_later(
    r"\b(live|deployed|deploying|online|healthy|down|offline|unreachable)\b", re.IGNORECASE
)
_FACTS: Final = frozenset({"agent", "status", "session time", "session end", "mode", "ready for", "next agent", "date"})


def add_session_document(source: Source, draft: HandoffDraft) -> None:
    """What a session handoff says, added to the live handoff that it accompanies."""
    lines = list(source.outline.lines())
    for line, name, value in find_fields(lines):
        if name in _FACTS and value:
            _add_field(source.place(line.number), line, name, value, draft)
    for section in source.outline.sections:
        draft.add_claims(_claim_files(section, source.path))
    draft.add_claims(claim_words.claim_commits(lines, source.path))
    draft.add_claims(_claim_deployments(lines, source.path))
    draft.add_claims(_claim_counts(lines, source.path))
    draft.add_claims(claim_words.claim_references(lines, source.path))


def _add_field(where: Place, line: TextLine, name: str, value: str, draft: HandoffDraft) -> None:
    draft.add_fact(f"session document {name}", value, where)
    if name == "agent":
        draft.add_producer(value)
    status = claim_words.parse_status(value) if name == "status" else None
    if status is not None:
        draft.claim(ClaimKind.STATUS, where, line.text, value=status)


def _claim_files(section: Section, path: str) -> Iterator[Claim]:
    heading = _FILE_SECTION.search(section.name)
    if heading is None:
        return
    kind = _KINDS[(heading.group(1) or heading.group(2)).lower()]
    for line in _file_lines(section):
        verb = _FILE_VERB.match(plain(line.text))
        own_kind = _KINDS[verb.group(1).lower()] if verb else kind
        for target in claim_words.find_paths(line.text)[:1]:
            yield build_claim(own_kind, Place(path=path, line=line.number), line.text, subject=target)


def _file_lines(section: Section) -> Iterator[TextLine]:
    """The lines that name a file each: outer list items and the first cells of table rows."""
    for item in section.items():
        if item.depth == 1:
            yield TextLine(item.line, item.text.split("\n", 1)[0])
    for table in section.tables():
        column = table.column("file", "path") or 0
        yield from (TextLine(row.line, row.cells[column]) for row in table.rows if column < len(row.cells))


def _claim_deployments(lines: list[TextLine], path: str) -> Iterator[Claim]:
    for line in lines:
        address = None if line.code else _ADDRESS.search(line.text)
        if address is None:
            continue
        state = _DEPLOYED.search(_ADDRESS.sub(" ", line.text))
        if state is not None:
            where = Place(path=path, line=line.number)
            subject = address.group().rstrip(".,;:")
            yield build_claim(ClaimKind.DEPLOYMENT, where, line.text, subject=subject, value=state.group(1).lower())


def _claim_counts(lines: list[TextLine], path: str) -> Iterator[Claim]:
    for line in lines:
        counts = claim_words.parse_counts(line.text)
        if counts is not None:
            yield from claim_words.claim_counts(counts, "session", Place(path=path, line=line.number), line.text)
