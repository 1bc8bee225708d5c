"""Finds the records in a JSON file: contexts, procedures, executions and validation sessions, alone or in lists."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.json_document import JsonNode


class RecordKind(Enum):
    """What an object is, by the fields it has."""

    CONTEXT = "context"
    EXECUTION = "execution"
    SESSION = "session"
    PROCEDURE = "procedure"


class Record(NamedTuple):
    """An object of a known kind and the file it stands in."""

    kind: RecordKind
    node: JsonNode
    source: Source


_LISTS: Final = (
    "handoffs",
    "contexts",
    "context",
    "handoff_context",
    "handoff",
    "procedures",
    "executions",
    "execution_history",
    "handoff_history",
    "active_handoffs",
    "validation_sessions",
    "validation_history",
    "sessions",
)
_DEEPEST = 3


def kind_of(node: JsonNode) -> RecordKind | None:
    if node.has("execution_id") and (node.has("handoff_id") or node.has("procedure_id")):
        return RecordKind.EXECUTION
    if node.has("session_id", "handoff_id"):
        return RecordKind.SESSION
    if node.has("handoff_id") and sum(node.has(key) for key in ("source_phase", "target_phase", "source_agent")) > 1:
        return RecordKind.CONTEXT
    if node.has("procedure_id") and (node.has("steps") or node.has("validation_rules", "name")):
        return RecordKind.PROCEDURE
    return None


def find_records(source: Source) -> Iterator[Record]:
    """Every record of a file, in order; they may stand in a list or under a name that says so."""
    if source.json is not None:
        yield from _search(source.json, source, 0)


def _search(node: JsonNode, source: Source, depth: int) -> Iterator[Record]:
    kind = kind_of(node)
    if kind is not None:
        yield Record(kind, node, source)
    if depth == _DEEPEST:
        return
    if isinstance(node.value, list):
        for element in node.elements():
            yield from _search(element, source, depth + 1)
        return
    for member in node.members():
        name = member.pointer[-1]
        if name in _LISTS:
            yield from _search(member, source, depth + 1)
            if isinstance(member.value, dict) and kind_of(member) is None:
                for entry in member.members():
                    yield from _search(entry, source, depth + 2)
