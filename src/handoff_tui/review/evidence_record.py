"""What a reviewer is shown, as a record that a decision is bound to."""

from __future__ import annotations

from handoff_tui.models.check_result import CheckResult, Finding
from handoff_tui.models.claim import Verdict, VerdictState
from handoff_tui.models.place import Place
from handoff_tui.models.review_record import Comment, ReviewRecord, ShownCheck, ShownClaim, ShownFinding
from handoff_tui.review.evidence import Evidence
from handoff_tui.review.examine import Examined
from handoff_tui.review.measure import measure_claims, prepare
from handoff_tui.review.refresh import count_claims

_LONGEST = 500
_MOST = 200


def build_record(
    examined: Examined, comments: tuple[Comment, ...], viewed: tuple[str, ...], *, overrides: bool
) -> ReviewRecord:
    """Checks, claims and remarks as they stand at this moment; no time and no machine in it."""
    target = examined.target
    verdicts = measure(examined)
    return ReviewRecord(
        handoff=target.handoff,
        phase=target.phase,
        attempt=target.attempt,
        subject=target.subject,
        check_baseline=examined.report.baseline,
        checks=tuple(
            build_shown_check(result) for result in sorted(examined.report.results, key=lambda result: result.id)
        ),
        claims=count_claims(verdicts).model_dump(),
        contradicted=tuple(_show_claim(one) for one in verdicts if one.state is VerdictState.CONTRADICTED)[:_MOST],
        comments=comments,
        viewed=tuple(sorted(set(viewed))),
        overridden=target.failing if overrides else (),
    )


def measure(examined: Examined) -> tuple[Verdict, ...]:
    """Every claim of the handoff beside its measurement."""
    evidence = Evidence(examined.desk, deep=True)
    prepare(evidence, [examined.handoff], examined.taken.harvest.handoffs)
    return measure_claims(examined.handoff, evidence)


def build_shown_check(result: CheckResult) -> ShownCheck:
    is_open = bool(result.findings)
    return ShownCheck(
        id=result.id,
        outcome=result.outcome.value,
        severity=result.severity.value,
        blocking=result.blocking,
        summary=result.summary[:_LONGEST],
        findings=tuple(_show_finding(finding) for finding in result.findings[:_MOST]),
        remedy=result.remedy.text[:_LONGEST] if is_open and result.remedy else "",
        commands=result.remedy.commands if is_open and result.remedy else (),
    )


def _show_finding(finding: Finding) -> ShownFinding:
    places = (str(Place(path=one.path, line=one.line)) for one in finding.evidence if one.path is not None)
    return ShownFinding(fingerprint=finding.fingerprint, message=finding.message[:_LONGEST], where=next(places, ""))


def _show_claim(verdict: Verdict) -> ShownClaim:
    return ShownClaim(
        text=verdict.claim.text[:_LONGEST],
        where=str(verdict.claim.where),
        measured="" if verdict.measured is None else str(verdict.measured)[:_LONGEST],
    )
