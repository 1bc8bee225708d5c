"""Reads everything anew: the one way a screen or a command learns what is."""

from __future__ import annotations

from handoff_tui.dialects.reading import Harvest, read_handoffs
from handoff_tui.dialects.registry import DIALECTS
from handoff_tui.dialects.shelf import RepositoryShelf
from handoff_tui.models.place import Problem, ProblemLevel
from handoff_tui.models.review_state import ReviewedHandoff, ReviewState
from handoff_tui.repo.probe import is_present
from handoff_tui.review.desk import Desk
from handoff_tui.review.gate import build_gate

_LOG_FOLDER = ".handoff-tui/log"
_MOST_OVERLOOKED = 20


def refresh(desk: Desk, generation: int = 0) -> ReviewState:
    """The state of the repository now, as one frozen value."""
    shelf = RepositoryShelf(desk.repository, desk.work_tree, desk.loaded.settings)
    harvest = read_handoffs(shelf, DIALECTS)
    log_present = is_present(desk.repository.root, _LOG_FOLDER)
    by_id = {handoff.id: handoff for handoff in harvest.handoffs}
    return ReviewState(
        generation=generation,
        repository=desk.work_tree.facts,
        handoffs=tuple(
            ReviewedHandoff(handoff=handoff, gate=build_gate(handoff, by_id, log_present=log_present))
            for handoff in harvest.handoffs
        ),
        unknown=harvest.unknown,
        problems=_collect_problems(desk, harvest),
    )


def _collect_problems(desk: Desk, harvest: Harvest) -> tuple[Problem, ...]:
    """The dialects' problems, and first the ways in which git was told to hide changes."""
    hidden = [
        Problem(
            path=path,
            message="git was told not to look at changes of this file (assume-unchanged or skip-worktree)",
            level=ProblemLevel.WARNING,
        )
        for path in desk.work_tree.overlooked[:_MOST_OVERLOOKED]
    ]
    left_out = len(desk.work_tree.overlooked) - len(hidden)
    if left_out > 0:
        message = f"git was told not to look at changes of {left_out} more files"
        hidden.append(Problem(path=".", message=message, level=ProblemLevel.WARNING))
    return (*hidden, *harvest.problems)
