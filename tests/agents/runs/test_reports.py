from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.reports import (
    append_note,
    append_run_note,
    load_report,
    read_notes,
    write_report,
)
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunState, RunStatus
from handoff_tui.agents.step.report import Direction, OperatorNote, Route, StepOutcome, StepReport
from handoff_tui.core.errors import StoreWriteError

KEY = RunKey(handoff="H-1", phase="build")

REPORT = StepReport(
    key=KEY,
    route=Route(pipeline="p", phase="build", direction=Direction.AGAIN),
    agent="maker",
    folder="/r",
    end=RunEnd(ending=RunEnding.EXITED, code=0),
    outcome=StepOutcome.READY,
)


def state(folder: Path) -> RunState:
    return RunState(key=KEY, folder=str(folder), status=RunStatus.FINISHED)


def test_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Until then there is none; a damaged one is none."""
    assert load_report(state(tmp_path)) is None
    write_report(state(tmp_path), REPORT)
    assert load_report(state(tmp_path)) == REPORT
    (tmp_path / "report.json").write_text("{", encoding="utf-8")
    assert load_report(state(tmp_path)) is None


def test_notes_to_a_running_agent_are_added(tmp_path: Path) -> None:
    """One line each."""
    append_run_note(state(tmp_path), "first")
    append_run_note(state(tmp_path), "second\n")
    assert (tmp_path / "notes.md").read_text(encoding="utf-8") == "first\nsecond\n"


def test_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    """Nothing is lost in silence."""
    gone = state(tmp_path / "gone")
    with pytest.raises(StoreWriteError):
        write_report(gone, REPORT)
    with pytest.raises(StoreWriteError):
        append_run_note(gone, "x")


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
