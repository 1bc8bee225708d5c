from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.procedure.context_transfer_complete import CONTEXT_TRANSFER_COMPLETE
from tests.support.cycles import cycle_world, note
from tests.support.procedures import EXECUTION, PATH, files_world, procedure_world
from tests.support.world import MemoryWorld, judge

SPEC = "# H-5: Jug\n\n## 1. Mission\n\nThrow a jug.\n\n## 2. Critical Constraints\n\n1. Clay only\n"
RESULTS = "# RESULTS H-5\n\n## Status: PASS\n\n## Files Created\n\n- `jug.py`\n\n## Test Results\n\n- Total: 3 tests\n"


def test_context_transfer_complete_passes_a_whole_packet() -> None:
    """Phases, agents, metadata and the documents that it names."""
    metadata = {"prompt": "docs/glaze.md", "previous_results": ["docs/firing.md"]}
    files = {"docs/glaze.md": "Dip twice.", "docs/firing.md": "Cone 6."}
    assert judge(CONTEXT_TRANSFER_COMPLETE, procedure_world({"metadata": metadata}, files=files)) == []


@pytest.mark.parametrize(
    ("context", "subject"),
    [
        ({"metadata": {"prompt": "docs/none.md"}}, "kiln-3 prompt docs/none.md"),
        ({"metadata": {"previous_results": ["docs/empty.md"]}}, "kiln-3 previous_results docs/empty.md"),
        ({"metadata": {}}, "kiln-3 metadata"),
        ({"target_agent": None}, "kiln-3 target_agent"),
        ({"target_phase": " "}, "kiln-3 target_phase"),
    ],
)
def test_context_transfer_complete_names_what_is_missing(context: dict[str, object], subject: str) -> None:
    """A document that is not there or empty, a field without a value, a packet without content."""
    (found,) = judge(CONTEXT_TRANSFER_COMPLETE, procedure_world(context, files={"docs/empty.md": " \n"}))
    assert found.subject == subject
    assert found.message.startswith("VR005: ")
    assert found.place is not None
    assert found.place.path == PATH


def test_context_transfer_complete_needs_no_agent_between_phases() -> None:
    """A phase transition may leave open who takes over, and words may stand for metadata."""
    context: dict[str, object] = {
        "handoff_type": "phase_transition",
        "target_agent": None,
        "metadata": {},
        "description": "Blue bowls",
    }
    assert judge(CONTEXT_TRANSFER_COMPLETE, procedure_world(context)) == []


def test_context_transfer_complete_needs_a_context() -> None:
    """An execution alone tells the next agent nothing."""
    found = judge(CONTEXT_TRANSFER_COMPLETE, files_world({PATH: [EXECUTION]}))
    assert [entry.subject for entry in found] == ["kiln-3 context"]


def test_context_transfer_complete_reports_a_file_that_cannot_be_read() -> None:
    """Broken JSON is no context."""
    found = judge(CONTEXT_TRANSFER_COMPLETE, MemoryWorld(files={PATH: '{"handoff_id": "kiln'}))
    assert f"unreadable {PATH}" in {entry.subject for entry in found}


def test_context_transfer_complete_passes_a_cycle_that_says_what_comes_next() -> None:
    """A note names the next phase."""
    assert judge(CONTEXT_TRANSFER_COMPLETE, cycle_world([note("PLAN"), note("RED")])) == []


def test_context_transfer_complete_asks_for_spec_and_results() -> None:
    """A reviewer needs both, and the results of what the work builds on."""
    whole = {"handoffs/H-5/H-5_BUILDER_HANDOFF.md": SPEC, "handoffs/H-5/H-5_RESULTS.md": RESULTS}
    assert judge(CONTEXT_TRANSFER_COMPLETE, MemoryWorld(files=dict(whole))) == []
    half = {"handoffs/H-5/H-5_RESULTS.md": RESULTS}
    found = judge(CONTEXT_TRANSFER_COMPLETE, MemoryWorld(files=dict(half)))
    assert [entry.subject for entry in found] == ["H-5 spec"]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({}, "is not in this repository"),
        ({"handoffs/H-4/H-4_BUILDER_HANDOFF.md": SPEC.replace("H-5", "H-4")}, "has no results"),
    ],
)
def test_context_transfer_complete_asks_for_earlier_results(extra: dict[str, str], message: str) -> None:
    """Work that builds on H-4 needs the results of H-4."""
    registry = "# Registry\n\n| Handoff | Status | Blocked-By |\n|---|---|---|\n| H-5 | COMPLETE | H-4 |\n"
    files = {
        "handoffs/H-5/H-5_BUILDER_HANDOFF.md": SPEC,
        "handoffs/H-5/H-5_RESULTS.md": RESULTS,
        "handoffs/REGISTRY.md": registry,
        **extra,
    }
    found = judge(CONTEXT_TRANSFER_COMPLETE, MemoryWorld(files=dict(files)))
    assert [(entry.subject, message in entry.message) for entry in found] == [("H-5 H-4", True)]


def test_context_transfer_complete_asks_for_words_of_other_handoffs() -> None:
    """A note that names the next phase and says nothing else leaves the next agent alone."""
    head = "---\nphase: throw\nnext_phase: dry\nstatus: complete\n---\n\n# Handoff\n\n"
    silent = MemoryWorld(files={"HANDOFF.md": head})
    telling = MemoryWorld(files={"HANDOFF.md": f"{head}## Next steps\n\n- [ ] Dry for two days\n"})
    assert [handoff.target_phase for handoff in silent.handoffs()] == ["dry"]
    assert judge(CONTEXT_TRANSFER_COMPLETE, telling) == []
    assert [found.subject.rpartition(" ")[2] for found in judge(CONTEXT_TRANSFER_COMPLETE, silent)] == ["action"]


def test_context_transfer_complete_does_not_apply_to_definitions() -> None:
    """A procedure that is only defined hands nothing over."""
    definition = {"procedure_id": "DRY", "name": "Dry", "steps": [{"name": "wait"}], "validation_rules": []}
    with pytest.raises(NotApplicableError):
        judge(CONTEXT_TRANSFER_COMPLETE, files_world({"procedures/dry.json": definition}))
