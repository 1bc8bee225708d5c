"""Agents as steps of a procedure, started and judged for real but without the checks of a gate: quick."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from handoff_tui.agents.runs.folders import RunHandle, start_run, wait_run, write_run
from handoff_tui.agents.runs.observation import read_observation
from handoff_tui.agents.runs.reports import BEFORE, PIPELINE, ROUTE
from handoff_tui.agents.runs.run import RunKey, RunPlan, RunState
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.report import Direction, Route, StepReport
from handoff_tui.agents.step.start import list_rule_files
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.handoffs.session import open_desk
from handoff_tui.system.processes.identity import find_marked
from tests.support.repositories import RepositoryBuilder

KEY = RunKey(handoff="H-1", phase="build", step="OWN.1.maker")
WAY = Route(pipeline="own", phase="build", source="build", direction=Direction.PROCEDURE)
COMMIT = "git add --all && git -c user.name=m -c user.email=m@example.org commit --quiet --message work"
WORK = f"echo more >> work.txt; {COMMIT}"
"""What a diligent agent does."""


@dataclass
class Supervised:
    """One repository, and agents that are lines for a shell."""

    builder: RepositoryBuilder
    number: int = 0

    def run(
        self, line: str, *, argv: tuple[str, ...] = (), guarded: Iterable[str] = (), **changes: object
    ) -> StepReport:
        """Starts the agent, waits for its end, and gives back what is made of it."""
        return self.finish(wait_run(self.start(line, argv=argv, guarded=guarded, **changes), timeout=150))

    def start(
        self, line: str, *, argv: tuple[str, ...] = (), guarded: Iterable[str] = (), **changes: object
    ) -> RunHandle:
        self.number += 1
        desk = self.desk = open_desk(self.builder.folder)
        plan = RunPlan(
            key=KEY.model_copy(update={"number": self.number}),
            argv=argv or ("/bin/sh", "-c", line),
            folder=str(desk.repository.root),
            timeout_seconds=150,
            grace_seconds=0.2,
        )
        before = read_observation(desk.repository.root, desk.repository.root, list_rule_files(desk), guarded)
        files = {
            BEFORE: before.model_dump_json().encode(),
            ROUTE: WAY.model_dump_json().encode(),
            PIPELINE: Pipeline(name="own", phases=(Phase(name="build"),), edges=()).model_dump_json().encode(),
        }
        handle = write_run(desk.repository.common_dir, plan.model_copy(update=changes), files)
        start_run(handle, {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]})
        return handle

    def finish(self, state: RunState) -> StepReport:
        """Nothing of the agent may be left by then. An agent may have broken the repository: it was opened before."""
        assert state.plan is not None
        assert find_marked(state.plan.mark) == []
        return finish_step(self.desk, state.key)
