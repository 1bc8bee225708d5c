"""The registry is derived, and compared with the one kept by hand."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.builder.registry_state import (
    RegistryFacts,
    apply_blocks,
    derive_state,
    find_rows,
    find_superseded,
    parse_state,
)
from handoff_tui.handoffs.handoff import RegistryState
from handoff_tui.handoffs.reading.format import Source


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (RegistryFacts(), RegistryState.NOT_DISPATCHED),
        (RegistryFacts(has_prompt=True), RegistryState.DISPATCHED),
        (RegistryFacts(has_prompt=True, greenlit=True), RegistryState.APPROVED),
        (RegistryFacts(has_prompt=True, greenlit=False), RegistryState.DISPATCHED),
        (RegistryFacts(has_results=True, status="PARTIAL"), RegistryState.DISPATCHED),
        (RegistryFacts(has_results=True, status="PASS"), RegistryState.COMPLETE),
        (RegistryFacts(has_results=True, status="COMPLETE"), RegistryState.COMPLETE),
        (RegistryFacts(has_results=True, status="PASS", review="PASS"), RegistryState.VALIDATED),
        (RegistryFacts(has_results=True, status="PASS", review="RETRY"), RegistryState.COMPLETE),
        (RegistryFacts(has_prompt=True, review="PASS"), RegistryState.DISPATCHED),
        (RegistryFacts(has_results=True, status="PASS", evaluation="PASS"), RegistryState.VALIDATED),
        (RegistryFacts(has_results=True, status="PASS", review="PASS", evaluation="FAIL"), RegistryState.FAILED),
        (RegistryFacts(has_results=True, status="FAIL", review="PASS"), RegistryState.FAILED),
        (RegistryFacts(has_results=True, status="PASS", superseded=True), RegistryState.SUPERSEDED),
    ],
)
def test_state_follows_from_what_exists(standing: RegistryFacts, expected: RegistryState) -> None:
    """Each set of documents leads to one state."""
    assert derive_state(standing) is expected


def test_state_is_blocked_by_what_is_not_validated() -> None:
    """Only known handoffs block, and only work that is not done is blocked."""
    states = {
        "H-1": RegistryState.VALIDATED,
        "H-2": RegistryState.COMPLETE,
        "H-3": RegistryState.DISPATCHED,
        "H-4": RegistryState.DISPATCHED,
        "H-5": RegistryState.COMPLETE,
        "H-6": RegistryState.APPROVED,
    }
    waits = {"H-3": ("H-2",), "H-4": ("H-1", "H-99"), "H-5": ("H-2",), "H-6": ("H-1", "H-3")}
    settled = apply_blocks(states, waits)
    assert [name for name, state in settled.items() if state is RegistryState.BLOCKED] == ["H-3", "H-6"]
    looser = apply_blocks(states, waits, ("VALIDATED", "COMPLETE"))
    assert [name for name, state in looser.items() if state is RegistryState.BLOCKED] == ["H-6"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**VALIDATED**", RegistryState.VALIDATED),
        ("not dispatched", RegistryState.NOT_DISPATCHED),
        ("SUPERSEDED (absorbed by H-9)", RegistryState.SUPERSEDED),
        ("Completed", RegistryState.COMPLETE),
        ("✅ DISPATCHED", RegistryState.DISPATCHED),
        ("soon", None),
    ],
)
def test_state_is_parsed_from_a_cell(text: str, expected: RegistryState | None) -> None:
    """The words of a cell begin with its state."""
    assert parse_state(text) is expected


def test_registry_table_gives_rows() -> None:
    """Rows with an id and a state count; others do not."""
    text = (
        "# Registry\n\n| Handoff | Title | Status | Blocked By |\n|-|-|-|-|\n| H-7 | Lamp | VALIDATED | H-3, H-4 |\n"
        "| FOLLOWUP_7B | Wick | soon | — |\n| lamp | Oil | COMPLETE | |\n"
    )
    rows = find_rows(Source.of_text("REGISTRY.md", text))
    assert [(row.id, row.state, row.blocked_by, row.where.line) for row in rows] == [
        ("H-7", RegistryState.VALIDATED, ("H-3", "H-4"), 5)
    ]


def test_registry_words_about_others_are_found() -> None:
    """A line retires the handoff named just before the word, unless it says not."""
    text = "H-9 sets HANDOFF-5 to `SUPERSEDED (by H-8)`.\n\nH-6 is not SUPERSEDED.\n\nH-4 was superseded in spirit.\n"
    assert find_superseded(Source.of_text("r.md", text)) == ["H-5"]
