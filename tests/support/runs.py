"""Runs of agents without a repository: a folder for them, and short shell lines as agents."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from handoff_tui.agents.runs.folders import RunHandle, start_run, wait_run, write_run
from handoff_tui.agents.runs.run import RunKey, RunPlan, RunState


@dataclass
class Runs:
    """Starts one agent after the other; each has a number of its own."""

    folder: Path
    number: int = 0

    def plan(self, line: str, **changes: object) -> RunPlan:
        self.number += 1
        plan = RunPlan(
            key=RunKey(handoff="H-1", phase="build", number=self.number),
            argv=("/bin/sh", "-c", line),
            folder=str(self.folder),
            timeout_seconds=20.0,
            grace_seconds=0.3,
        )
        return plan.model_copy(update=changes)

    def start(self, line: str, **changes: object) -> RunHandle:
        handle = write_run(self.folder, self.plan(line, **changes), {"prompt.md": b"do it\n"})
        start_run(handle, {"PATH": os.environ["PATH"]})
        return handle

    def run(self, line: str, **changes: object) -> RunState:
        return wait_run(self.start(line, **changes), timeout=150)
