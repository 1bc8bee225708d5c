"""Recognises the files and makes one handoff per handoff id, per contract report, and one for the definitions."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.procedure.contract_report import build_report, recognise_report
from handoff_tui.handoffs.formats.procedure.definitions import build_definitions
from handoff_tui.handoffs.formats.procedure.handoffs import build_handoff
from handoff_tui.handoffs.formats.procedure.records import Record, RecordKind, find_records
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.format import CERTAIN, NO, POSSIBLE, Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.json_claims import build_unique_id

_JSON_NAME: Final = compile_later(
    r"(?:handoff|procedure|contract|execution|validation|transition)[^/]*(?:/.*)?\.json$|(?:^|/)agent_workspaces/.*\.json$",
    re.IGNORECASE,
)
_REPORT_NAME: Final = compile_later(r"(?:handoff|procedure|contract|phase|report)[^/]*\.md$", re.IGNORECASE)
_PLACE: Final = compile_later(
    r"(?:^|/)(?:handoffs|procedures)/[^/]+\.json$|(?:^|/)agent_workspaces/.*handoff[^/]*\.json$"
)
_OWN_WORDS: Final = ('"handoff_id"', '"procedure_id"')


def may_own(path: str) -> bool:
    if path.lower().endswith(".schema.json"):
        return False
    return bool(_JSON_NAME.search(path) or _REPORT_NAME.search(path))


def recognise(source: Source) -> float:
    if source.path.lower().endswith(".md"):
        return recognise_report(source)
    if source.json is None:
        ours = _PLACE.search(source.path) or any(word in source.text for word in _OWN_WORDS)
        return POSSIBLE if ours else NO
    return CERTAIN if next(find_records(source), None) is not None else NO


def read(owned: list[Source], shelf: Shelf) -> Reading:  # noqa: ARG001 - every dialect is given the shelf
    reading = Reading()
    taken: set[str] = set()
    records: list[Record] = []
    for source in sorted(owned, key=lambda source: source.path):
        if source.path.lower().endswith(".md"):
            reading.handoffs.append(build_report(source, taken))
        elif source.json is None:
            reading.handoffs.append(_build_unread(source, taken))
        else:
            records.extend(find_records(source))
    grouped: dict[str, list[Record]] = {}
    for record in records:
        if record.kind is not RecordKind.PROCEDURE:
            grouped.setdefault(_read_handoff_id(record), []).append(record)
    reading.handoffs.extend(build_handoff(name, group, taken) for name, group in sorted(grouped.items()))
    definitions = [record for record in records if record.kind is RecordKind.PROCEDURE]
    if definitions:
        taken.add("procedures")
        reading.handoffs.append(build_definitions(definitions))
    return reading


def _read_handoff_id(record: Record) -> str:
    """The id as written; a record without one is known by its own id or its file."""
    node = record.node
    own = node.scalar("handoff_id") or node.scalar("execution_id") or node.scalar("session_id")
    return own or record.source.path


def _build_unread(source: Source, taken: set[str]) -> Handoff:
    return Handoff(
        id=build_unique_id(taken, source.path, "procedure", source.path),
        dialect="procedure",
        documents=(source.document(DocumentRole.STATE, confidence=POSSIBLE),),
    )


PROCEDURE: Final = Dialect(id="procedure", may_own=may_own, recognise=recognise, read=read)
