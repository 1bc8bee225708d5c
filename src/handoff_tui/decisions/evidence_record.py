"""Builds the review record: what a reviewer is shown, which a decision is bound to."""

from __future__ import annotations

from handoff_tui.changes.comparison.sides import Side, load_side
from handoff_tui.changes.comparison.snapshot_diff import ItemChange
from handoff_tui.changes.diff import compare_sides
from handoff_tui.changes.snapshots.snapshot import build_stored_text
from handoff_tui.checks.report import CheckResult, Finding, is_open
from handoff_tui.checks.run.portable_run import PortableRun, SharedReading
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.place import Place
from handoff_tui.core.restored import restore
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.scope.digests import write_path
from handoff_tui.log.entry import APPROVING, DecisionVerb
from handoff_tui.log.review_record import (
    Comment,
    OutsideFile,
    ReviewRecord,
    ScopeManifest,
    ShownCheck,
    ShownClaim,
    ShownFinding,
)
from handoff_tui.status.refresh import count_claims

_LONGEST = 500
_MOST = 200


def build_record(
    examined: ExaminedGate, comments: tuple[Comment, ...], viewed: tuple[str, ...], verb: DecisionVerb
) -> ReviewRecord:
    """Records checks, claims, differences and comments as of now, without times or machine names."""
    verdicts = measure(examined)
    record = ReviewRecord(
        **examined.key._asdict(),
        subject=examined.subject,
        scope=restore(ScopeManifest, examined.gates.work.digests.build_manifest(examined.scope)),
        check_baseline=examined.report.baseline,
        checks=tuple(
            build_shown_check(result) for result in sorted(examined.report.results, key=lambda result: result.id)
        ),
        read_elsewhere=_list_read_elsewhere(examined) if verb in APPROVING else (),
        claims=count_claims(verdicts).model_dump(),
        contradicted=tuple(_show_claim(one) for one in verdicts if one.state is VerdictState.CONTRADICTED)[:_MOST],
        differences=count_differences(examined),
        overridden=examined.failing if verb is DecisionVerb.OVERRIDE else (),
    )
    return add_comments(record, comments, viewed)


def _list_read_elsewhere(examined: ExaminedGate) -> tuple[OutsideFile, ...]:
    """The files of others that the checks that passed read: where one differs, they are asked again."""
    run = PortableRun(SharedReading(examined.gates, examined.reading), examined.key)
    return tuple(
        OutsideFile(blob=examined.gates.find_content(path), checks=checks, **write_path(path))
        for path, checks in run.list_read_elsewhere().items()
    )


def add_comments(record: ReviewRecord, comments: tuple[Comment, ...], viewed: tuple[str, ...]) -> ReviewRecord:
    """Replaces the comments, and the files marked as read."""
    return record.model_copy(
        update={
            "comments": tuple(_clean(comment) for comment in comments),
            "viewed": tuple(sorted({build_stored_text(path) for path in viewed})),
        }
    )


def measure(examined: ExaminedGate) -> tuple[Verdict, ...]:
    """Measures every claim of the handoff."""
    evidence = RepositoryEvidence(examined.session)
    prepare(evidence, [examined.handoff], examined.handoffs)
    return measure_claims(examined.handoff, evidence)


def count_differences(examined: ExaminedGate) -> dict[str, int]:
    """Counts the handoff's own files, and what its tests and checks lost against its baseline, if that can be read."""
    counts = {"files": len(examined.scope.results)}
    baseline = examined.baseline
    if baseline.snapshot is None:
        return counts
    try:
        before = load_side(examined.session, baseline)
        after = Side(examined.snapshot, examined.work_tree)
        reviewed = (examined.handoff, examined.handoffs)
        record, _ = compare_sides(examined.session, reviewed, before, after)
    except HandoffError:
        return counts
    if record is not None:
        changes = [item.change for section in (record.tests, record.checks) for item in section.items]
        counts["unexplained"] = len(record.unexplained)
        counts["newly_failing"] = changes.count(ItemChange.NEWLY_FAILING)
        counts["vanished_tests"] = sum(item.change is ItemChange.VANISHED for item in record.tests.items)
        counts["newly_skipped"] = sum(item.change is ItemChange.NEWLY_SKIPPED for item in record.tests.items)
    return counts


def build_shown_check(result: CheckResult) -> ShownCheck:
    """Builds a result as it is shown; a passed one needs no remedy."""
    remedy = result.remedy if is_open(result) else None
    return ShownCheck(
        id=result.id,
        outcome=result.outcome.value,
        severity=result.severity.value,
        blocking=result.blocking,
        summary=_shorten(result.summary),
        findings=tuple(_show_finding(finding) for finding in result.findings[:_MOST]),
        remedy=_shorten(remedy.text) if remedy else "",
        commands=tuple(map(_shorten, remedy.commands)) if remedy else (),
    )


def _show_finding(finding: Finding) -> ShownFinding:
    places = (str(Place(path=one.path, line=one.line)) for one in finding.evidence if one.path is not None)
    return ShownFinding(
        fingerprint=finding.fingerprint, message=_shorten(finding.message), where=_shorten(next(places, ""))
    )


def _show_claim(verdict: Verdict) -> ShownClaim:
    return ShownClaim(
        text=_shorten(verdict.claim.text),
        where=_shorten(str(verdict.claim.where)),
        measured="" if verdict.measured is None else _shorten(str(verdict.measured)),
    )


def _clean(comment: Comment) -> Comment:
    """Keeps the full text; writes out what has no UTF-8 form."""
    text = comment.text.encode("utf-8", "backslashreplace").decode("utf-8")
    return comment.model_copy(update={"text": text, "path": build_stored_text(comment.path)})


def _shorten(text: str) -> str:
    """Cuts long text, and makes it acceptable to every JSON reader."""
    return build_stored_text(text[:_LONGEST])
