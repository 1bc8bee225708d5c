"""No file can break the procedure dialect."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.procedure import PROCEDURE
from handoff_tui.handoffs.reading.format import Confidence, FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, json_values, line_texts

_KEYS = [
    "handoff_id",
    "source_phase",
    "target_phase",
    "source_agent",
    "target_agent",
    "handoff_type",
    "metadata",
    "timestamp",
    "priority",
    "handoffs",
    "contexts",
    "procedures",
    "executions",
    "procedure_id",
    "name",
    "steps",
    "validation_rules",
    "rollback_procedures",
    "estimated_duration",
    "execution_id",
    "session_id",
    "status",
    "current_state",
    "results",
    "validation_results",
    "rule_id",
    "passed",
    "errors",
    "timeout",
    "retries",
]
_WORDS = ("H-LAMP", "VR001", "completed", "phase_transition", "high", "PHASE_TRANSITION_STANDARD")
_LINES = (
    "# Lamp Report",
    "**Contract ID**: LAMP-7",
    "**Status**: ✅ COMPLETED",
    "**Agent**: Agent-9",
    "- **Success Rate**: 95%+",
    "- **Wiring**: ✅ fine",
    "## Deliverables",
    "### ✅ Required Deliverables",
    "1. `src/lamp.py` - done",
    "- [ ] shade",
    "```",
)
_whole = st.fixed_dictionaries({key: json_values(_KEYS, _WORDS) for key in _KEYS}).map(json.dumps)
_files = st.builds(
    lambda data, reports: data | reports,
    st.dictionaries(
        st.sampled_from(("handoffs/lamp.json", "procedures/lamp.json", "agent_workspaces/a/handoff_1.json")),
        st.one_of(_whole, json_texts(_KEYS, _WORDS)),
        max_size=3,
    ),
    st.dictionaries(st.sampled_from(("LAMP_REPORT.md", "docs/PHASE_CONTRACT.md")), line_texts(_LINES), max_size=2),
)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    return read_with(PROCEDURE, shelf), shelf.problems()


@given(_files)
@settings(max_examples=80, deadline=None)
def test_procedure_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under the names of the format is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(_files)
@settings(max_examples=80, deadline=None)
def test_procedure_file_that_was_recognised_is_a_document(files: dict[str, str]) -> None:
    """What the dialect owns is listed under some handoff, and every id is given once."""
    shelf = MemoryFiles(files)
    owned = {p for p in files if PROCEDURE.may_own(p) and PROCEDURE.recognise(shelf.source(p)) >= Confidence.POSSIBLE}
    handoffs = read_with(PROCEDURE, shelf).handoffs
    listed = {document.path for handoff in handoffs for document in handoff.documents}
    assert owned == listed
    assert len({handoff.id for handoff in handoffs}) == len(handoffs)
