"""Reads everything afresh: what a screen or a command knows of the repository comes from here."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import ProblemIndex
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.session import Desk, has_log
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.status.next_move import build_gate, close_gate, mark_validated
from handoff_tui.status.review_state import ClaimCounts, ReviewedHandoff, ReviewState

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates

_MOST_OVERLOOKED = 20


def refresh(desk: Desk, generation: int = 0) -> ReviewState:
    """The state of the repository now, as one frozen value."""
    result = read_repository(desk).result
    evidence = RepositoryEvidence(desk, deep=False)
    prepare(evidence, result.handoffs, result.handoffs)
    bench = HandoffReviewer(result, open_log_gates(desk), closed=desk.loaded.refused_shortly)
    reviewed = tuple(bench.review(handoff, measure_claims(handoff, evidence)) for handoff in result.handoffs)
    return build_state(desk, result, reviewed, generation)


def build_state(
    desk: Desk, result: ReadHandoffs, reviewed: tuple[ReviewedHandoff, ...], generation: int = 0
) -> ReviewState:
    """The same, from what was already read and reviewed."""
    return ReviewState(
        generation=generation,
        repository=desk.work_tree.facts,
        handoffs=reviewed,
        unknown=result.unknown,
        problems=_collect_problems(desk, result),
    )


def open_log_gates(desk: Desk) -> LogGates | None:
    """The log's view of the gates; None without a log."""
    if not has_log(desk):
        return None
    from handoff_tui.log.gates.all_gates import LogGates  # noqa: PLC0415 - most repositories have no log yet

    return LogGates(desk)


def count_claims(verdicts: tuple[Verdict, ...]) -> ClaimCounts:
    counted = Counter(verdict.state for verdict in verdicts)
    return ClaimCounts(
        holds=counted[VerdictState.HOLDS],
        contradicted=counted[VerdictState.CONTRADICTED],
        unverified=counted[VerdictState.UNVERIFIED],
    )


class _Judged(NamedTuple):
    """A reviewed handoff, and everything its gate depends on."""

    handoff: Handoff
    verdicts: tuple[Verdict, ...]
    report: GateReport | None
    problems: tuple[Problem, ...]
    required: tuple[object, ...]
    """The registry states of the handoffs it waits for."""
    reviewed: ReviewedHandoff


class HandoffReviewer:
    """Reviews the handoffs of one reading by one log: what their claims are worth, and the state of each gate."""

    def __init__(
        self, result: ReadHandoffs, gates: LogGates | None, earlier: HandoffReviewer | None = None, *, closed: str = ""
    ) -> None:
        """`earlier` is one by the same log: its results are reused for handoffs that haven't changed.

        `closed` says why no gate can open.
        """
        handoffs = result.handoffs
        known = earlier.reports if earlier is not None else {}
        self.closed = closed
        self.judged: dict[str, _Judged] = earlier.judged if earlier is not None and earlier.closed == closed else {}
        self._handoffs = {handoff.id: handoff for handoff in handoffs}
        self.reports: dict[str, GateReport] = {}
        if gates is not None:
            for handoff in handoffs:
                same = earlier is not None and earlier.holds(handoff)
                self.reports[handoff.id] = known[handoff.id] if same else gates.judge(handoff)
        self._by_id = mark_validated(handoffs, {name: report.state for name, report in self.reports.items()})
        self._problems = ProblemIndex(result.problems, handoffs)

    def holds(self, handoff: Handoff) -> bool:
        """Whether exactly this handoff is in the reading."""
        return self._handoffs.get(handoff.id) == handoff

    def review(self, handoff: Handoff, verdicts: tuple[Verdict, ...]) -> ReviewedHandoff:
        """Returns the same object as before if nothing it depends on has changed."""
        report = self.reports.get(handoff.id)
        problems = self._problems.of(handoff)
        others = map(self._by_id.get, handoff.blocked_by)
        required = tuple("absent" if other is None else other.registry for other in others)
        last = self.judged.get(handoff.id)
        same = last is not None and last.handoff is handoff and last.verdicts is verdicts and last.report is report
        if last is not None and same and (last.problems, last.required) == (problems, required):
            return last.reviewed
        gate = build_gate(handoff, self._by_id, verdicts, problems, report=report)
        gate = close_gate(gate, self.closed) if self.closed else gate
        reviewed = ReviewedHandoff(handoff=handoff, gate=gate, claims=count_claims(verdicts))
        self.judged[handoff.id] = _Judged(handoff, verdicts, report, problems, required, reviewed)
        return reviewed


def _collect_problems(desk: Desk, result: ReadHandoffs) -> tuple[Problem, ...]:
    """Problems with the settings, then what git was told to hide, then those of the formats."""
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
    refused = desk.loaded.refused.message.split("\n") if desk.loaded.refused else []
    return (*map(_build_settings_problem, refused), *hidden, *result.problems)


def _build_settings_problem(text: str) -> Problem:
    """One line of what is wrong with the settings; most begin with file and line."""
    place, _, message = text.partition(": ")
    line = place.removeprefix(f"{REPOSITORY_FILE}:")
    if not line.isdecimal():
        return Problem(path=REPOSITORY_FILE, message=text)
    return Problem(path=REPOSITORY_FILE, line=int(line), message=message)
