"""No file can break the gsd dialect."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.gsd import GSD
from handoff_tui.handoffs.reading.format import Confidence, FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, json_values, line_texts

_KEYS = [
    "version",
    "timestamp",
    "phase",
    "phase_name",
    "phase_dir",
    "plan",
    "task",
    "total_tasks",
    "status",
    "completed_tasks",
    "remaining_tasks",
    "blockers",
    "human_actions_pending",
    "decisions",
    "uncommitted_files",
    "next_action",
    "context_notes",
    "id",
    "name",
    "commit",
    "description",
    "type",
    "workaround",
    "action",
    "blocking",
    "decision",
    "rationale",
]
_WORDS = ("02", "lamp", "paused", "abc1234", "M src/lamp.py (half done)", "12/12 tests passing", "human_action")
_LINES = (
    "---",
    "phase: 02-lamp",
    "task: 2",
    "status: in_progress",
    "<current_state>",
    "</current_state>",
    "<completed_work>",
    "</completed_work>",
    "<remaining_work>",
    "<blockers>",
    "</blockers>",
    "<next_action>",
    "None",
    "- Task 2: light `src/lamp.py` in `abc1234`",
    "  - [x] 3/4 tests passing",
    "## Decisions",
    "```",
)
_whole = st.fixed_dictionaries({key: json_values(_KEYS, _WORDS) for key in _KEYS[:17]}).map(json.dumps)
_files = st.builds(
    lambda states, companions: states | companions,
    st.dictionaries(
        st.sampled_from((".planning/HANDOFF.json", "web/.planning/HANDOFF.json")),
        st.one_of(_whole, json_texts(_KEYS, _WORDS)),
        max_size=2,
    ),
    st.dictionaries(
        st.sampled_from((".planning/.continue-here.md", ".planning/phases/02-lamp/.continue-here.md")),
        line_texts(_LINES),
        max_size=2,
    ),
)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    return read_with(GSD, shelf), shelf.problems()


@given(_files)
@settings(max_examples=80, deadline=None)
def test_gsd_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under the names of the format is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(_files)
@settings(max_examples=80, deadline=None)
def test_gsd_file_that_was_recognised_is_a_document(files: dict[str, str]) -> None:
    """What the dialect owns is listed under some handoff, and every id is given once."""
    shelf = MemoryFiles(files)
    owned = {p for p in files if GSD.may_own(p) and GSD.recognise(shelf.source(p)) >= Confidence.POSSIBLE}
    handoffs = read_with(GSD, shelf).handoffs
    listed = {document.path for handoff in handoffs for document in handoff.documents}
    assert owned == listed
    assert len({handoff.id for handoff in handoffs}) == len(handoffs)
