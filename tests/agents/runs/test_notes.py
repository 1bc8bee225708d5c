from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.reports import append_note, read_notes
from handoff_tui.agents.step.report import OperatorNote
from handoff_tui.core.errors import StoreWriteError


def note(text: str) -> OperatorNote:
    return OperatorNote(text=text, author="ada@example.org", time="2026-01-01T00:00:00Z")


def test_notes_are_kept_in_order_for_their_handoff(tmp_path: Path) -> None:
    """Lines and all; another handoff has its own."""
    append_note(tmp_path, "a/b", note("first\nline"))
    append_note(tmp_path, "a/b", note("second"))
    append_note(tmp_path, "c", note("other"))
    assert [one.text for one in read_notes(tmp_path, "a/b")] == ["first\nline", "second"]
    assert read_notes(tmp_path, "nobody") == ()


def test_damaged_line_loses_only_itself(tmp_path: Path) -> None:
    """The others are still read."""
    append_note(tmp_path, "a", note("one"))
    with (tmp_path / "handoff-tui" / "notes" / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"half": \n')
    append_note(tmp_path, "a", note("two"))
    assert [one.text for one in read_notes(tmp_path, "a")] == ["one", "two"]


def test_note_that_is_too_long_or_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    """It goes into a prompt."""
    with pytest.raises(StoreWriteError, match="limit"):
        append_note(tmp_path, "a", note("x" * 70_000))
    (tmp_path / "handoff-tui").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreWriteError):
        append_note(tmp_path, "a", note("x"))
