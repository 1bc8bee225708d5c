"""A run as it is followed: how far it is, and what became of it."""

from __future__ import annotations

from handoff_tui.models.agent_run import RunState
from handoff_tui.models.base import Model
from handoff_tui.models.step import StepReport


class RunView(Model):
    """All that a screen needs to show of one run."""

    state: RunState
    report: StepReport | None = None
    """Once it is over and was looked at."""
    last_line: str = ""
    """Of its output, as it was printed: not yet safe to show."""
    output: str = ""
    """The file that its output goes to."""
