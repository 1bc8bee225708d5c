"""Reads everything anew: the one way a screen or a command learns what is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from handoff_tui.dialects.reading import Harvest
from handoff_tui.models.claim import Verdict, VerdictState
from handoff_tui.models.gate_state import GateReport
from handoff_tui.models.handoff import Handoff
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
    evidence = Evidence(desk, deep=False)
    prepare(evidence, harvest.handoffs, harvest.handoffs)
    bench = Bench(harvest, open_log_gates(desk))
    reviewed = tuple(bench.review(handoff, measure_claims(handoff, evidence)) for handoff in harvest.handoffs)
    return build_state(desk, harvest, reviewed, generation)


def build_state(
    desk: Desk, harvest: Harvest, reviewed: tuple[ReviewedHandoff, ...], generation: int = 0
) -> ReviewState:
    """The same from what was read and reviewed already."""
    return ReviewState(
        generation=generation,
        repository=desk.work_tree.facts,
        handoffs=reviewed,
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


class Bench:
    """Reviews the handoffs of one reading by one log: each with what its claims are worth and where its gate stands."""

    def __init__(self, harvest: Harvest, gates: LogGates | None, earlier: Bench | None = None) -> None:
        """`earlier` is one by the same log: what the log says of handoffs that are as they were is not asked again."""
        handoffs = harvest.handoffs
        known = earlier.reports if earlier is not None else {}
        self._handoffs = {handoff.id: handoff for handoff in handoffs}
        self.reports: dict[str, GateReport] = {}
        if gates is not None:
            for handoff in handoffs:
                same = earlier is not None and earlier.holds(handoff)
                self.reports[handoff.id] = known[handoff.id] if same else gates.judge(handoff)
        self._by_id = build_standing(handoffs, {name: report.state for name, report in self.reports.items()})
        self._problems = ProblemIndex(harvest.problems, handoffs)

    def holds(self, handoff: Handoff) -> bool:
        """Whether just this handoff is among those of the reading."""
        return self._handoffs.get(handoff.id) == handoff

    def review(self, handoff: Handoff, verdicts: tuple[Verdict, ...]) -> ReviewedHandoff:
        report = self.reports.get(handoff.id)
        gate = build_gate(handoff, self._by_id, verdicts, self._problems.of(handoff), report=report)
        return ReviewedHandoff(handoff=handoff, gate=gate, claims=count_claims(verdicts))


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
