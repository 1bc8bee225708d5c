from __future__ import annotations

import pytest

from handoff_tui.agents.runs.folders import find_run, write_run
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.runs.worktrees import open_worktree
from handoff_tui.agents.step.follow import stop_step
from handoff_tui.agents.step.step import StepRequest, prepare_step, start_step
from handoff_tui.agents.step.worktrees import clear_worktrees, list_worktrees
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder
from tests.support.runs import Runs
from tests.support.stepping import HANDOFF, Stepping


def test_tree_is_kept_while_a_run_needs_it(builder: RepositoryBuilder) -> None:
    """One that is under way, or ended and was not looked at; then it goes, before the next try."""
    builder.write("a").commit()
    desk = open_desk(builder.folder)
    key = RunKey(handoff="H-1", phase="build", number=1)
    made = open_worktree(desk.repository, key)
    plan = Runs(builder.folder).plan("true", folder=str(made.folder))
    handle = write_run(desk.repository.common_dir, plan)
    assert find_run(desk.repository.common_dir, key).folder == str(handle.folder)
    assert clear_worktrees(desk, "H-1", None) == ()
    assert "works in it" in list_worktrees(desk)[0].kept
    (handle.folder / "plan.json").unlink()
    assert clear_worktrees(desk, "H-1", made.folder) == ()
    assert [one.folder for one in clear_worktrees(desk, "H-1", None)] == [str(made.folder)]
    assert list_worktrees(desk) == ()


@pytest.mark.slow
def test_next_try_clears_the_tree_of_an_earlier_attempt(stepping: Stepping) -> None:
    """And its own stays."""
    desk = stepping.configure(folder="worktree").desk()
    earlier = open_worktree(desk.repository, RunKey(handoff=HANDOFF, phase="test"))
    view = start_step(prepare_step(desk, StepRequest(HANDOFF, "build")))
    assert not earlier.folder.exists()
    assert [one.kept for one in list_worktrees(desk)] == ["an agent works in it, or its work was not looked at yet"]
    stop_step(desk, view.state.key)
