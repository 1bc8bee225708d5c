"""Reads everything anew: the one way a screen or a command learns what is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from handoff_tui.dialects.reading import Harvest
from handoff_tui.models.claim import Verdict, VerdictState
from handoff_tui.models.place import Problem, ProblemLevel
from handoff_tui.models.review_state import ClaimCounts, ReviewedHandoff, ReviewState
from handoff_tui.review.desk import Desk, has_log
from handoff_tui.review.evidence import Evidence
from handoff_tui.review.gate import build_gate, build_standing
from handoff_tui.review.measure import measure_claims, prepare
from handoff_tui.review.problem_index import ProblemIndex
from handoff_tui.review.reading import read_shelf

if TYPE_CHECKING:
    from handoff_tui.review.log_gates import LogGates

_MOST_OVERLOOKED = 20


def refresh(desk: Desk, generation: int = 0) -> ReviewState:
    """The state of the repository now, as one frozen value."""
    harvest = read_harvest(desk)
    return ReviewState(
        generation=generation,
        repository=desk.work_tree.facts,
        handoffs=_review(desk, harvest, open_log_gates(desk)),
        unknown=harvest.unknown,
        problems=_collect_problems(desk, harvest),
    )


def read_harvest(desk: Desk) -> Harvest:
    """Every handoff of the repository, as read."""
    return read_shelf(desk).harvest


def open_log_gates(desk: Desk) -> LogGates | None:
    """The log's own view of the gates; nothing where there is no log."""
    if not has_log(desk):
        return None
    from handoff_tui.review.log_gates import LogGates  # noqa: PLC0415 - most repositories have no log yet

    return LogGates(desk)


def count_claims(verdicts: tuple[Verdict, ...]) -> ClaimCounts:
    counted = Counter(verdict.state for verdict in verdicts)
    return ClaimCounts(
        holds=counted[VerdictState.HOLDS],
        contradicted=counted[VerdictState.CONTRADICTED],
        unverified=counted[VerdictState.UNVERIFIED],
    )


def _review(desk: Desk, harvest: Harvest, gates: LogGates | None) -> tuple[ReviewedHandoff, ...]:
    """Each handoff with what its claims are worth and where its gate stands."""
    handoffs = harvest.handoffs
    evidence = Evidence(desk, deep=False)
    prepare(evidence, handoffs, handoffs)
    reports = {handoff.id: gates.judge(handoff) for handoff in handoffs} if gates else {}
    by_id = build_standing(handoffs, {name: report.state for name, report in reports.items()})
    problems = ProblemIndex(harvest.problems, handoffs)
    reviewed: list[ReviewedHandoff] = []
    for handoff in handoffs:
        verdicts = measure_claims(handoff, evidence)
        gate = build_gate(handoff, by_id, verdicts, problems.of(handoff), report=reports.get(handoff.id))
        reviewed.append(ReviewedHandoff(handoff=handoff, gate=gate, claims=count_claims(verdicts)))
    return tuple(reviewed)


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
