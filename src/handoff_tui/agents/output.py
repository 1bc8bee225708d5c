"""The output of an agent, window by window: what a screen shows of 100 MB, and searches in."""

from __future__ import annotations

from handoff_tui.models.agent_run import RunKey
from handoff_tui.repo.agent_runs import find_run
from handoff_tui.repo.output_reader import OutputReader
from handoff_tui.repo.step_reports import find_output
from handoff_tui.review.desk import Desk

__all__ = ["OutputReader", "open_output"]


def open_output(desk: Desk, key: RunKey) -> OutputReader:
    """A reader of what a run prints, growing or not; `follow()` keeps it up to date, `close()` ends that.

    Lines are as the agent printed them: a front end makes them safe to show.
    """
    return OutputReader(find_output(find_run(desk.repository.common_dir, key)))
