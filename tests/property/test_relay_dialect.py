"""No file can break the relay dialect."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.relay import RELAY
from handoff_tui.handoffs.reading.format import Confidence, FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, json_values

_KEYS = ["task", "status", "actor", "changed_files", "checks", "open_points", "next_role", "name", "result"]
_WORDS = ("TASK-001", "pass", "codex", "src/lamp.py", "none")
_PATHS = ("HANDOFF.json", "old/HANDOFF.json", "handoff-2.json")
_whole = st.fixed_dictionaries({key: json_values(_KEYS, _WORDS) for key in _KEYS[:7]}).map(json.dumps)
_files = st.dictionaries(st.sampled_from(_PATHS), st.one_of(_whole, json_texts(_KEYS, _WORDS)), max_size=3)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    return read_with(RELAY, shelf), shelf.problems()


@given(_files)
@settings(max_examples=80, deadline=None)
def test_relay_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under the names of the format is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(_files)
@settings(max_examples=80, deadline=None)
def test_relay_file_that_was_recognised_is_a_document(files: dict[str, str]) -> None:
    """What the dialect owns is listed under some handoff, and every id is given once."""
    shelf = MemoryFiles(files)
    owned = {p for p in files if RELAY.may_own(p) and RELAY.recognise(shelf.source(p)) >= Confidence.POSSIBLE}
    handoffs = read_with(RELAY, shelf).handoffs
    listed = {document.path for handoff in handoffs for document in handoff.documents}
    assert owned == listed
    assert len({handoff.id for handoff in handoffs}) == len(handoffs)
