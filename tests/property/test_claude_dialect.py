"""No file can break the claude dialect."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.claude import CLAUDE
from handoff_tui.handoffs.reading.format import Confidence, FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, json_values

_KEYS = [
    "feature",
    "phase",
    "goal",
    "scope",
    "relevant_files",
    "acceptance_criteria",
    "verification_commands",
    "source_spec",
    "constraints",
    "known_risks",
    "produced_by",
    "timestamp",
    "checkpoint_pending",
]
_WORDS = ("lamp", "docs/lamp.md", "https://github.com/lamp/lamp/issues/1", "clarification")
_PATHS = (".claude/handoff.json", "lamp/.claude/handoff.json", "handoffs/one.json")
_whole = st.fixed_dictionaries({key: json_values(_KEYS, _WORDS) for key in _KEYS}).map(json.dumps)
_files = st.dictionaries(st.sampled_from(_PATHS), st.one_of(_whole, json_texts(_KEYS, _WORDS)), max_size=3)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    return read_with(CLAUDE, shelf), shelf.problems()


@given(_files)
@settings(max_examples=80, deadline=None)
def test_claude_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under the names of the format is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(_files)
@settings(max_examples=80, deadline=None)
def test_claude_file_that_was_recognised_is_a_document(files: dict[str, str]) -> None:
    """What the dialect owns is listed under some handoff, and every id is given once."""
    shelf = MemoryFiles(files)
    owned = {p for p in files if CLAUDE.may_own(p) and CLAUDE.recognise(shelf.source(p)) >= Confidence.POSSIBLE}
    handoffs = read_with(CLAUDE, shelf).handoffs
    listed = {document.path for handoff in handoffs for document in handoff.documents}
    assert owned == listed
    assert len({handoff.id for handoff in handoffs}) == len(handoffs)
