"""The output of an agent, window by window: what a screen shows of 100 MB, and searches in."""

from __future__ import annotations

from handoff_tui.agents.runs.folders import find_run
from handoff_tui.agents.runs.reports import find_output
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.processes.output_reader import OutputReader

__all__ = ["OutputReader", "open_output"]


def open_output(desk: Desk, key: RunKey) -> OutputReader:
    """A reader of what a run prints, growing or not; `follow()` keeps it up to date, `close()` ends that.

    Lines are as the agent printed them: a front end makes them safe to show.
    """
    return OutputReader(find_output(find_run(desk.repository.common_dir, key)))
