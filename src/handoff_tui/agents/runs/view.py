"""A run as it is followed: how far it is, and what became of it."""

from __future__ import annotations

from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.step.report import StepReport
from handoff_tui.core.model import Model


class RunView(Model):
    """All that a screen needs to show of one run."""

    state: RunState
    report: StepReport | None = None
    """Once it is over and was looked at."""
    last_line: str = ""
    """Of its output, as it was printed: not yet safe to show."""
    output: str = ""
    """The file that its output goes to."""
