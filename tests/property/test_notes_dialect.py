"""No file can break the notes dialect."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.notes.format import NOTES
from handoff_tui.handoffs.reading.format import Confidence, FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import line_texts

_LINES = (
    "---",
    "status: done",
    "branch: lamp/dimmer",
    "# Session Handoff",
    "## Status: COMPLETE",
    "**Status:** PASS",
    "**Agent:** Ada",
    "## Current Session Summary",
    "## Previous Session Summary (2031-01-02)",
    "## Files Created",
    "## Files Modified/Created",
    "| File | Change |",
    "|---|---|",
    "| `src/lamp.py` | new |",
    "- Updated `src/lamp.py` (new)",
    "## Blockers",
    "None",
    "- the fuse is blown",
    "## Next Steps",
    "1. light it",
    "### Then sleep",
    "- [x] done in `abc1234`",
    "Deployed: https://lamp.test/",
    "Final verdict: PASS",
    "12 passed, 1 failed",
    "```",
)
_PATHS = ("HANDOFF.md", ".claude/HANDOFF.md", "docs/handoffs/lamp.md", "SESSION_HANDOFF_2031.md", "handoff-lamp.md")
_files = st.dictionaries(st.sampled_from(_PATHS), line_texts(_LINES), max_size=4)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    return read_with(NOTES, shelf), shelf.problems()


@given(_files)
@settings(max_examples=80, deadline=None)
def test_notes_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under the names of the format is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(_files)
@settings(max_examples=80, deadline=None)
def test_notes_file_that_was_recognised_is_a_document(files: dict[str, str]) -> None:
    """What the dialect owns is listed under some handoff, and every id is given once."""
    shelf = MemoryFiles(files)
    owned = {p for p in files if NOTES.may_own(p) and NOTES.recognise(shelf.source(p)) >= Confidence.POSSIBLE}
    handoffs = read_with(NOTES, shelf).handoffs
    listed = {document.path for handoff in handoffs for document in handoff.documents}
    assert owned == listed
    assert len({handoff.id for handoff in handoffs}) == len(handoffs)
