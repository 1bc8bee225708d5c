"""What blocks a handoff, and who owes the next move. Pure.

As long as no signed log is read, a gate is never more than pending: nobody has decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handoff_tui.models.claim import ClaimKind, Verdict, VerdictState
from handoff_tui.models.document import DocumentRole
from handoff_tui.models.gate_state import GateName, GateState, Mover, NextMove
from handoff_tui.models.handoff import Handoff, RegistryState
from handoff_tui.models.place import Problem, ProblemLevel
from handoff_tui.models.work import Severity, TestCounts

_UNFINISHED = frozenset(
    {"IN_PROGRESS", "PAUSED", "PENDING", "BLOCKED", "RETRY", "NOT_STARTED", "FAIL", "PARTIAL", "REJECTED"}
)
_SAYS_GOOD = frozenset({"PASS", "COMPLETE", "APPROVED", "VALIDATED", "RESOLVED"})
_ACCEPTED_BLOCKERS = frozenset({RegistryState.VALIDATED, RegistryState.SUPERSEDED})
_SPOKEN_OF_ELSEWHERE = frozenset({ClaimKind.STATUS, ClaimKind.CHECK})
_HEAVY = frozenset({Severity.CRITICAL, Severity.HIGH})


def build_gate(
    handoff: Handoff,
    by_id: Mapping[str, Handoff],
    verdicts: tuple[Verdict, ...] = (),
    problems: tuple[Problem, ...] = (),
    *,
    log_present: bool,
) -> GateState:
    """The gate of one handoff. With a log that this version cannot read, its state is not known."""
    own = (*_find_unread(problems), *_find_contradictions(verdicts), *_find_blocking(handoff, by_id))
    if log_present:
        reason = "a signed log is present, and this version cannot verify it"
        move = NextMove(who=Mover.HUMAN, what="verify the log with a version that reads it")
        return GateState(state=None, blocking=(reason, *own), next_move=move)
    if handoff.registry is RegistryState.SUPERSEDED:
        move = NextMove(who=Mover.NOBODY, what="superseded by its own account; nothing is owed")
        return GateState(state=GateName.PENDING, blocking=own, next_move=move)
    return GateState(state=GateName.PENDING, blocking=own, next_move=_find_next_move(handoff, by_id, own))


def says_good(handoff: Handoff) -> bool:
    """Whether the handoff claims for itself that all is well."""
    return _token(handoff) in _SAYS_GOOD


def describe_failures(counts: TestCounts | None, name: str) -> str | None:
    """The failures a handoff reports itself: `its regression run reports 26 failed`."""
    if counts is None or not counts.failed:
        return None
    return f"its own {name} run reports {counts.failed} failed"


def _find_unread(problems: tuple[Problem, ...]) -> Iterator[str]:
    """What of its own documents could not be read: nobody can approve what nobody can read."""
    return (f"{problem.path} {problem.message}" for problem in problems if problem.level is ProblemLevel.ERROR)


def _find_contradictions(verdicts: tuple[Verdict, ...]) -> Iterator[str]:
    """How many claims are not true here, with the first of them; a status is spoken of on its own."""
    false = [
        verdict
        for verdict in verdicts
        if verdict.state is VerdictState.CONTRADICTED and verdict.claim.kind not in _SPOKEN_OF_ELSEWHERE
    ]
    if false:
        first = false[0].claim
        named = " ".join(str(part) for part in (first.kind, first.subject or first.value) if part)
        noun = "1 claim is" if len(false) == 1 else f"{len(false)} claims are"
        yield f"{noun} contradicted: {named} ({first.where})"


def _find_blocking(handoff: Handoff, by_id: Mapping[str, Handoff]) -> Iterator[str]:
    for blocker in handoff.blockers:
        if blocker.open:
            who = "a human must act" if blocker.needs_human else "open blocker"
            yield f"{who}: {blocker.title}"
    for counts, name in ((handoff.tests, "package test"), (handoff.regression, "regression")):
        failures = describe_failures(counts, name)
        if failures:
            yield f"says {handoff.status}, but {failures}" if says_good(handoff) else failures
    status = _token(handoff)
    if status in _UNFINISHED:
        yield f"says {handoff.status}"
    for finding in handoff.findings:
        if finding.severity in _HEAVY and (finding.status or "open").lower() not in {"fixed", "closed", "resolved"}:
            yield f"{finding.severity} finding: {finding.title}"
    for attempt in handoff.attempts:
        if attempt.warning and (attempt.status or "").lower() == "pass":
            yield f"{attempt.agent or 'an agent'}: {attempt.warning}"
    for required in _find_unmet(handoff, by_id):
        yield f"waits for {required}, which is not validated"
    yield from _find_missing(handoff)


def _find_missing(handoff: Handoff) -> Iterator[str]:
    if _owes_results(handoff) and not _has_results(handoff):
        yield "no results yet"
    for document in handoff.documents:
        if document.role is DocumentRole.RESULTS and document.missing and document == _newest_results(handoff):
            yield f"results lack: {', '.join(document.missing)}"
    if handoff.questions and handoff.greenlit is False:
        yield "the question gate has no greenlight"


def _newest_results(handoff: Handoff) -> object:
    return next((document for document in handoff.documents if document.role is DocumentRole.RESULTS), None)


def _find_next_move(handoff: Handoff, by_id: Mapping[str, Handoff], blocking: tuple[str, ...]) -> NextMove:
    human = next((blocker for blocker in handoff.blockers if blocker.open and blocker.needs_human), None)
    if human is not None:
        return NextMove(who=Mover.HUMAN, name=human.owner, what=human.title)
    if handoff.questions and handoff.greenlit is False and not _has_results(handoff):
        return NextMove(who=Mover.REVIEWER, what="read the answers and give or refuse the greenlight")
    agent = handoff.source_agent or (handoff.producers[0] if handoff.producers else None)
    if _is_unfinished(handoff):
        return NextMove(who=Mover.AGENT, name=agent, what=blocking[0] if blocking else "finish the work")
    first = next(iter(_find_unmet(handoff, by_id)), None)
    what = f"decide {first} first, then this" if first else "review and decide"
    return NextMove(who=Mover.REVIEWER, what=what)


def _is_unfinished(handoff: Handoff) -> bool:
    """By its own word, or because there is a specification and no results."""
    return _token(handoff) in _UNFINISHED or (_owes_results(handoff) and not _has_results(handoff))


def _find_unmet(handoff: Handoff, by_id: Mapping[str, Handoff]) -> Iterator[str]:
    """Handoffs that must be validated before this one, and are not."""
    for required in handoff.blocked_by:
        other = by_id.get(required)
        if other is not None and other.registry not in _ACCEPTED_BLOCKERS:
            yield required


def _owes_results(handoff: Handoff) -> bool:
    """Only a dialect with a registry promises a results document for each specification."""
    return handoff.registry is not None and any(document.role is DocumentRole.SPEC for document in handoff.documents)


def _has_results(handoff: Handoff) -> bool:
    return any(document.role is DocumentRole.RESULTS for document in handoff.documents)


def _token(handoff: Handoff) -> str:
    return (handoff.status or "").upper().replace("-", "_").replace(" ", "_")
