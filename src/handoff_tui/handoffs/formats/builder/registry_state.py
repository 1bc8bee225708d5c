"""The registry: derived from the files that exist, and compared with the one that people keep by hand."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import quote
from handoff_tui.handoffs.formats.builder.names import find_ids, parse_id
from handoff_tui.handoffs.handoff import RegistryState
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Table, plain

_NO_CAPITALS: Final = compile_later(r"[^A-Z ]+")

_DONE: Final = (RegistryState.COMPLETE, RegistryState.VALIDATED, RegistryState.FAILED, RegistryState.SUPERSEDED)
_SUPERSEDED: Final = compile_later(r"\bSUPERSEDED\b")
_NEGATION: Final = compile_later(r"\b(?:not|never|un)\b|\bisn't\b", re.IGNORECASE)


class RegistryFacts(NamedTuple):
    """Everything that decides a handoff's registry state, except the handoffs it waits for."""

    has_prompt: bool = False
    has_results: bool = False
    status: str | None = None
    greenlit: bool | None = None
    review: str | None = None
    evaluation: str | None = None
    superseded: bool = False


class RegistryRow(NamedTuple):
    """A row of a registry that is kept by hand."""

    id: str
    text: str
    state: RegistryState
    blocked_by: tuple[str, ...]
    where: Place


def derive_state(standing: RegistryFacts) -> RegistryState:
    """The state of a handoff on its own. A review without results was about the answers, not the work."""
    validated = standing.evaluation == "PASS" or (standing.review == "PASS" and standing.has_results)
    by_weight = (
        (standing.superseded, RegistryState.SUPERSEDED),
        ("FAIL" in {standing.status, standing.review, standing.evaluation}, RegistryState.FAILED),
        (validated, RegistryState.VALIDATED),
        (standing.status in {"PASS", "COMPLETE", "VALIDATED"}, RegistryState.COMPLETE),
        (bool(standing.greenlit), RegistryState.APPROVED),
        (standing.has_prompt or standing.has_results, RegistryState.DISPATCHED),
    )
    return next((state for holds, state in by_weight if holds), RegistryState.NOT_DISPATCHED)


def apply_blocks(
    states: dict[str, RegistryState],
    blocked_by: dict[str, tuple[str, ...]],
    released: tuple[str, ...] = Builder.model_construct().released_states,
) -> dict[str, RegistryState]:
    """What is not done yet is blocked while something it waits for is known and in no state that releases it."""
    return {
        handoff: RegistryState.BLOCKED
        if state not in _DONE
        and any(
            states[other] not in released
            for other in blocked_by.get(handoff, ())
            if other in states and other != handoff
        )
        else state
        for handoff, state in states.items()
    }


def find_rows(source: Source) -> list[RegistryRow]:
    """The rows of registry tables: a handoff, its status, and what blocks it."""
    if not source.readable or "|" not in source.text:
        return []
    return source.read_once("builder.rows", _find_rows)


def _find_rows(source: Source) -> list[RegistryRow]:
    return [row for section in source.outline.sections for table in section.tables() for row in _rows(source, table)]


def parse_state(text: str) -> RegistryState | None:
    """The state that a cell begins with: `SUPERSEDED (absorbed by …)`."""
    words = _NO_CAPITALS.sub(" ", plain(text).upper()).split()
    joined = " ".join(words)
    for state in sorted(RegistryState, key=lambda state: -len(state.value)):
        if joined == state.value or joined.startswith((f"{state.value} ", f"{state.value}D")):
            return state
    return None


def find_superseded(source: Source) -> list[str]:
    """Handoffs that a line calls SUPERSEDED: the id nearest before the word."""
    if not source.readable or "SUPERSEDED" not in source.text:
        return []
    found: dict[str, None] = {}
    for line in source.outline.lines():
        match = None if line.code else _SUPERSEDED.search(line.text)
        ids = find_ids(line.text[: match.start()]) if match else []
        if match and ids and not _NEGATION.search(line.text[: match.start()][-20:]):
            found[ids[-1]] = None
    return list(found)


def _rows(source: Source, table: Table) -> list[RegistryRow]:
    name, status = table.column("handoff", "id"), table.column("status", "state")
    if name is None or status is None or name == status:
        return []
    rows: list[RegistryRow] = []
    for row in table.rows:
        cell, stated = plain(table.cell(row, "handoff", "id")), table.cell(row, "status", "state")
        handoff = parse_id(cell) or next(iter(find_ids(cell)), None)
        state = parse_state(stated)
        if handoff is None or state is None:
            continue
        before = find_ids(plain(table.cell(row, "blocked", "depends")))
        rows.append(RegistryRow(handoff, quote(plain(stated)), state, tuple(before), source.place(row.line)))
    return rows
