from __future__ import annotations

import pytest

from handoff_tui.agents.runs.run import RunEnd, RunEnding, RunKey, RunState, RunStatus


@pytest.mark.parametrize("ending", list(RunEnding))
def test_only_an_exit_with_zero_succeeded(ending: RunEnding) -> None:
    """Whatever else ended with 0 did not."""
    assert RunEnd(ending=ending, code=0).succeeded is (ending is RunEnding.EXITED)
    assert not RunEnd(ending=ending, code=1).succeeded


@pytest.mark.parametrize("status", list(RunStatus))
def test_run_is_over_when_nobody_works_on_it(status: RunStatus) -> None:
    """Lost is over, too."""
    state = RunState(key=RunKey(handoff="H", phase="P"), folder="/", status=status)
    assert state.is_over is (status in {RunStatus.FINISHED, RunStatus.LOST})
