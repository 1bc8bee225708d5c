"""Work trees that agents had to themselves: cleared away when nothing of theirs would be lost, else shown."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.left_worktrees import list_left_worktrees, remove_left_worktrees
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import LeftWorktree, RunState, RunStatus
from handoff_tui.handoffs.session import Desk


def list_worktrees(desk: Desk) -> tuple[LeftWorktree, ...]:
    """Those that are there, each with what keeps it."""
    return list_left_worktrees(desk.repository, _list_busy(desk, None))


def clear_worktrees(desk: Desk, handoff: str, needed: Path | None) -> tuple[LeftWorktree, ...]:
    """Before the next try of a handoff: those of its earlier ones go, but for what is needed and what holds work."""
    busy = _list_busy(desk, handoff) | ({needed} if needed is not None else set())
    return remove_left_worktrees(desk.repository, handoff, busy)


def _list_busy(desk: Desk, handoff: str | None) -> set[Path]:
    """Folders of runs that go on, or whose work nobody has looked at yet."""
    runs = list_runs(desk.repository.common_dir, handoff)
    return {Path(state.plan.folder) for state in runs if state.plan is not None and _is_open(state)}


def _is_open(state: RunState) -> bool:
    return state.status is not RunStatus.FINISHED or load_report(state) is None
