from __future__ import annotations

from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from tests.support.memory_files import MemoryFiles, read_with

_PATH = ".ai-agents/emergency_handoff.txt"


def test_emergency_stands_on_the_live_handoff() -> None:
    """Beside a state the emergency is a fact and a blocker of the live handoff."""
    files = {_PATH: "\nSTOP: harbour on fire\nCall Ada.", ".mosaic/agent_state.json": '{"last_agent": "robin"}'}
    handoffs = read_with(MOSAIC, MemoryFiles(files)).handoffs
    assert [handoff.id for handoff in handoffs] == ["mosaic"]
    blocker = handoffs[0].blockers[0]
    assert (blocker.title, blocker.open, blocker.needs_human, blocker.where.line) == (
        "STOP: harbour on fire",
        True,
        True,
        2,
    )
    assert ("emergency", "STOP: harbour on fire\nCall Ada.") in {(fact.name, fact.value) for fact in handoffs[0].facts}


def test_emergency_without_a_state_is_a_handoff_of_its_own() -> None:
    """Even an empty file stops the next agent."""
    handoffs = read_with(MOSAIC, MemoryFiles({_PATH: ""})).handoffs
    assert [handoff.id for handoff in handoffs] == ["mosaic/emergency"]
    assert handoffs[0].blockers[0].needs_human
    assert handoffs[0].facts[0].value == "(the file is empty)"
