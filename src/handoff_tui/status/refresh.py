"""Reads everything afresh: what a screen or a command knows of the repository comes from here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import ProblemIndex
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.life import Life, LifeFacts, find_filed_with_work, find_lives
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.scope.find import find_scopes, list_overlooked, read_stated
from handoff_tui.handoffs.scope.scope import Scope, Scopes
from handoff_tui.handoffs.session import Session, has_log
from handoff_tui.log.gates.coverage import count_coverage
from handoff_tui.log.gates.gate_state import OPENING, SENT_BACK, GateName, GateReport, Mover
from handoff_tui.status.next_move import build_gate, close_gate, mark_validated
from handoff_tui.status.review_state import ClaimCounts, ReviewedHandoff, ReviewState, ScopeSummary
from handoff_tui.system.files.own_folder import OWN_FOLDER

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates, Recheck

_MOST_OVERLOOKED = 20
_MOST_NAMED = 3


class Refreshed(NamedTuple):
    """The state of the repository, and what was found out on the way."""

    state: ReviewState
    verdicts: dict[str, tuple[Verdict, ...]]
    """Of each handoff, by its id."""
    gates: LogGates | None
    scopes: Scopes


def refresh(session: Session, recheck: Recheck, generation: int = 0) -> ReviewState:
    """The state of the repository now, as one frozen value."""
    return refresh_all(session, recheck, generation).state


@without_collection()
def refresh_all(session: Session, recheck: Recheck, generation: int = 0) -> Refreshed:
    """The same, for callers that ask more about one of the handoffs."""
    result = read_repository(session).result
    evidence = RepositoryEvidence(session)
    prepare(evidence, result.handoffs, result.handoffs)
    gates = open_log_gates(session, result.handoffs, recheck)
    reviewer = HandoffReviewer(session, result, gates, closed=session.loaded.refused_shortly)
    measured = [(handoff, measure_claims(handoff, evidence)) for handoff in result.handoffs]
    reviewed = tuple(reviewer.review(handoff, verdicts) for handoff, verdicts in measured)
    state = build_state(session, result, reviewer, reviewed, generation)
    verdicts = {handoff.id: verdicts for handoff, verdicts in reversed(measured)}
    return Refreshed(_add_reader(session, state, gates), verdicts, gates, reviewer.scopes)


def _add_reader(session: Session, state: ReviewState, gates: LogGates | None) -> ReviewState:
    """The same state with what it means for the person at this computer."""
    if not state.handoffs:
        return state.model_copy(update={"needs_you": frozenset()})
    from handoff_tui.log.policy.signer import read_reviewer  # noqa: PLC0415 - the app asks for these itself
    from handoff_tui.status.inbox import build_inbox, build_inbox_facts  # noqa: PLC0415

    reviewer = read_reviewer(session, gates.policy if gates is not None else None)
    items = build_inbox(state, build_inbox_facts(session, reviewer, {}, gates))
    waiting = (item for item in items if not item.waits_on_me and item.reviewed.gate.next_move.who is Mover.REVIEWER)
    refusals = {item.key.handoff: item.refusal for item in waiting if item.refusal}
    needs_you = frozenset(item.key.handoff for item in items if item.needs_you)
    return state.model_copy(update={"needs_you": needs_you, "refusals": refusals})


def build_state(
    session: Session,
    result: ReadHandoffs,
    reviewer: HandoffReviewer,
    reviewed: tuple[ReviewedHandoff, ...],
    generation: int = 0,
) -> ReviewState:
    """The same, from what was already read and reviewed."""
    scopes = reviewer.scopes
    commits = tuple(dict.fromkeys(change.commit for change in scopes.unclaimed if change.commit is not None))
    return ReviewState(
        generation=generation,
        repository=session.work_tree.facts,
        handoffs=reviewed,
        has_log=reviewer.has_log,
        unclaimed=scopes.unclaimed_paths,
        unclaimed_commits=commits,
        coverage={state.value: number for state, number in count_coverage(scopes, reviewer.reports).items()},
        unknown=result.unknown,
        problems=(
            *reviewer.log_problems,
            *_collect_problems(session, result),
            *map(_build_scope_problem, scopes.problems),
        ),
    )


def open_log_gates(session: Session, handoffs: tuple[Handoff, ...], recheck: Recheck) -> LogGates | None:
    """The log's view of the gates; None without a log. `recheck` is as in `LogGates`."""
    if not has_log(session):
        return None
    from handoff_tui.log.gates.all_gates import LogGates  # noqa: PLC0415 - most repositories have no log yet

    return LogGates(session, handoffs, recheck)


def find_all_scopes(session: Session, handoffs: tuple[Handoff, ...], gates: LogGates | None) -> Scopes:
    """The scopes of all handoffs, by the log if there is one."""
    return gates.work.scopes if gates is not None else find_scopes(session, handoffs, read_stated(session)).scopes


def find_all_lives(
    result: ReadHandoffs, scopes: Scopes, gates: LogGates | None, reports: Mapping[str, GateReport] | None = None
) -> dict[str, Life]:
    """Which handoffs are live, by the log if there is one; `reports` are its gates, if the caller has judged them."""
    facts = LifeFacts(merged=scopes.merged, ignored=result.ignored)
    if gates is not None:
        judged = gates.judge_taken_up() if reports is None else reports
        facts = facts._replace(
            before_line=frozenset(handoff.id for handoff in result.handoffs if gates.is_past(handoff)),
            filed_with_work=find_filed_with_work(result.handoffs, scopes),
            done=frozenset(name for name, report in judged.items() if report.state in OPENING),
            unsettled=frozenset(
                name for name, report in judged.items() if report.state in {*SENT_BACK, GateName.HELD} or report.debts
            ),
        )
    return find_lives(result.handoffs, facts)


def build_scope_summary(scope: Scope) -> ScopeSummary:
    return ScopeSummary(
        files=len(scope.results),
        added=sum(before.deleted and not scope.results[path].deleted for path, before in scope.befores.items()),
        removed=sum(content.deleted for content in scope.results.values()),
        commits=len(scope.commits),
        shared=len(scope.shared),
        undeclared=len(scope.undeclared),
        source=scope.source,
    )


def count_claims(verdicts: tuple[Verdict, ...]) -> ClaimCounts:
    counted = Counter(verdict.state for verdict in verdicts)
    return ClaimCounts(
        holds=counted[VerdictState.HOLDS],
        contradicted=counted[VerdictState.CONTRADICTED],
        unverified=counted[VerdictState.UNVERIFIED],
        was_true=counted[VerdictState.WAS_TRUE],
    )


class HandoffReviewer:
    """Reviews the handoffs of one reading by one log: what their claims are worth, and the state of each gate."""

    def __init__(
        self,
        session: Session,
        result: ReadHandoffs,
        gates: LogGates | None,
        earlier: HandoffReviewer | None = None,
        *,
        closed: str = "",
    ) -> None:
        """`earlier` is one by the same log: its results are reused for handoffs that haven't changed.

        `closed` says why no gate can open.
        """
        handoffs = result.handoffs
        self.scopes = find_all_scopes(session, handoffs, gates)
        self.closed = closed
        self.reviewed: dict[str, tuple[tuple[object, ...], ReviewedHandoff]] = earlier.reviewed if earlier else {}
        """Each with everything it rests on."""
        self.has_log = gates is not None
        self.log_problems = () if gates is None else _collect_log_problems(gates)
        self.reports: dict[str, GateReport] = {} if gates is None else gates.judge_all()
        self.lives = find_all_lives(result, self.scopes, gates, self.reports)
        self._by_id = mark_validated(handoffs, {name: report.state for name, report in self.reports.items()})
        self._problems = ProblemIndex(result.problems, handoffs)

    def review(self, handoff: Handoff, verdicts: tuple[Verdict, ...]) -> ReviewedHandoff:
        """Returns the same object as before if nothing it depends on has changed."""
        report = self.reports.get(handoff.id)
        problems = self._problems.of(handoff)
        others = map(self._by_id.get, handoff.blocked_by)
        required = tuple("absent" if other is None else other.registry for other in others)
        scope = build_scope_summary(self.scopes.of(handoff.id))
        life = self.lives[handoff.id]
        rests_on = (handoff, verdicts, report, problems, required, scope, life, self.closed)
        last = self.reviewed.get(handoff.id)
        if last is not None and last[0] == rests_on:
            return last[1]
        gate = build_gate(handoff, self._by_id, verdicts, problems, report=report, life=life)
        gate = close_gate(gate, self.closed) if self.closed else gate
        reviewed = ReviewedHandoff(
            handoff=handoff,
            gate=gate,
            claims=count_claims(verdicts),
            attempt=report.attempt if report is not None else handoff.attempt,
            scope=scope,
            life=life,
        )
        self.reviewed[handoff.id] = (rests_on, reviewed)
        return reviewed


def _collect_problems(session: Session, result: ReadHandoffs) -> tuple[Problem, ...]:
    """Problems with the settings, then what git was told to hide, then those of the formats."""
    overlooked = list_overlooked(session)
    told = "git was told not to look at changes of"
    hidden = [
        Problem(path=path, message=f"{told} this file (assume-unchanged or skip-worktree)", level=ProblemLevel.WARNING)
        for path in overlooked[:_MOST_OVERLOOKED]
    ]
    absent = len(session.work_tree.overlooked) - len(overlooked)
    more = f"{told} {len(overlooked) - len(hidden)} more files" if len(overlooked) > len(hidden) else ""
    sparse = f"{plural(absent, 'tracked file')} not checked out (sparse checkout): handoffs there aren't read"
    messages = filter(None, (more, sparse if absent else ""))
    hidden += [Problem(path=".", message=message, level=ProblemLevel.WARNING) for message in messages]
    refused = session.loaded.refused.message.split("\n") if session.loaded.refused else []
    return (*map(_build_settings_problem, refused), *hidden, *result.problems)


def _collect_log_problems(gates: LogGates) -> tuple[Problem, ...]:
    """Entries made elsewhere, a log that nothing vouches for, and handoffs removed after they were sent back."""
    from handoff_tui.log.entry import ANCHOR_HINT, NOT_ANCHORED  # noqa: PLC0415 - loaded by the gates
    from handoff_tui.log.gates.approved import describe_decision  # noqa: PLC0415 - loaded by the gates
    from handoff_tui.log.open_log import FOREIGN  # noqa: PLC0415

    verdict = gates.index.verdict
    found = [f"{problem.entry}: {problem.text}" for problem in verdict.problems if problem.code == FOREIGN]
    if not verdict.anchored:
        found.append(f"{NOT_ANCHORED}. {ANCHOR_HINT}")
    for made, left in gates.list_gone():
        gone = f"{made.work.handoff} isn't here any more, but its work is: {name_some(left, _MOST_NAMED)}"
        found.append(f"{gone}. {describe_decision(made)}")
    return tuple(Problem(path=f"{OWN_FOLDER}/log", message=text, level=ProblemLevel.ERROR) for text in found)


def _build_scope_problem(text: str) -> Problem:
    path = REPOSITORY_FILE if text.startswith("[scopes") else "."
    return Problem(path=path, message=text, level=ProblemLevel.WARNING)


def _build_settings_problem(text: str) -> Problem:
    """One line of what is wrong with the settings; most begin with file and line."""
    place, _, message = text.partition(": ")
    line = place.removeprefix(f"{REPOSITORY_FILE}:")
    if not line.isdecimal():
        return Problem(path=REPOSITORY_FILE, message=text)
    return Problem(path=REPOSITORY_FILE, line=int(line), message=message)
