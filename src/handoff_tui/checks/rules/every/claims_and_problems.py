"""Every document could be read, and no claim in it is false."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.core.place import Place, ProblemLevel
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import Handoff

_JUDGED_ELSEWHERE = frozenset({ClaimKind.STATUS, ClaimKind.CHECK})


def _judge_claims(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.handoffs() or context.skip("no handoff here")
    if not any(handoff.claims for handoff in handoffs):
        context.skip("nothing is claimed")
    for handoff in handoffs:
        for verdict in context.verdicts(handoff.id):
            if verdict.state is VerdictState.CONTRADICTED and verdict.claim.kind not in _JUDGED_ELSEWHERE:
                yield _build(handoff, verdict)


def _build(handoff: Handoff, verdict: Verdict) -> RuleFinding:
    claim = verdict.claim
    claimed = str(claim.value) if claim.value is not None else claim.subject or claim.text
    about = claim.subject or claimed
    message = f"{handoff.id}: «{claim.text}» is contradicted: {verdict.evidence}"
    actual = str(verdict.measured) if verdict.measured is not None else verdict.evidence
    return RuleFinding(message, f"{handoff.id} {claim.kind.value} {about}", claim.where, claimed, actual)


CLAIMS_HOLD = Rule(
    id="claims-hold",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="No claim is false.",
    reads="the claims of handoffs and what was measured",
    remedy="Make the claim true, or have it withdrawn. An agent's word is not evidence.",
    judge=_judge_claims,
)


def _judge_problems(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.handoffs()
    every = context.every_handoff()
    reviewed = {document.path for handoff in handoffs for document in handoff.documents}
    known = {document.path for handoff in every for document in handoff.documents}
    folders = {path.rpartition("/")[0] for path in reviewed}
    all_reviewed = len(handoffs) == len(every)
    errors = [problem for problem in context.problems() if problem.level is ProblemLevel.ERROR]
    if not handoffs and not errors:
        context.skip("no handoff here")
    for problem in errors:
        # a state file that is missing is nobody's document, but its handoff lies beside it
        stray = problem.path not in known and (all_reviewed or problem.path.rpartition("/")[0] in folders)
        if problem.path in reviewed or stray:
            yield RuleFinding(
                message=f"{problem.path}: {problem.message}",
                subject=f"{problem.path} {problem.message.partition(':')[0]}",
                place=Place(path=problem.path, line=problem.line),
                expected="a document that can be read whole",
                actual=problem.message,
            )


PROBLEMS_ABSENT = Rule(
    id="problems-absent",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="Every document of the handoffs is readable.",
    reads="problems found while reading handoffs",
    remedy="Have the document rewritten so that it can be read. Whatever couldn't be read wasn't checked.",
    judge=_judge_problems,
)
