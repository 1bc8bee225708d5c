from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.reports import (
    append_run_note,
    find_output,
    load_observation,
    load_report,
    load_route,
    write_report,
)
from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunState, RunStatus
from handoff_tui.agents.step.report import Direction, Route, StepOutcome, StepReport
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


def test_run_that_no_step_started_has_no_way(tmp_path: Path) -> None:
    """Nor anything that was there before it."""
    assert (load_route(state(tmp_path)), load_observation(state(tmp_path))) == (None, None)
    assert find_output(state(tmp_path)) == tmp_path / "output.log"


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
