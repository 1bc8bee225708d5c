"""Claims beside measurements: each claim holds, is false, or is not measured, and the evidence says why.

Nothing an agent wrote is evidence, except against itself: a status that its own numbers refute is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import describe_failures, list_runs, says_good
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.handoff import Handoff

_HEX_HASH = compile_later(r"^sha256:[0-9a-f]{64}$")
_CUT_HASH = compile_later(r"^(?:sha256:)?([0-9a-f]{6,63})(?:\.\.\.|…)?$", re.IGNORECASE)
_WELL_KNOWN_ENDINGS = (
    *(".css", ".csv", ".go", ".html", ".ini", ".js", ".json", ".jsonl", ".jsx", ".lock", ".md", ".py", ".rs"),
    *(".sh", ".sql", ".toml", ".ts", ".tsx", ".txt", ".xml", ".yaml", ".yml"),
)
_SHOWN_OF_A_HASH = 12


Measured = str | int | None


class Outcome(NamedTuple):
    """A verdict in the making."""

    state: VerdictState
    measured: Measured
    evidence: str


Measure = Callable[[Claim, Handoff, RepositoryEvidence], Outcome]


def measure_claims(handoff: Handoff, evidence: RepositoryEvidence) -> tuple[Verdict, ...]:
    """Every claim with its verdict, in the order of the handoff."""
    return tuple(_measure(claim, handoff, evidence) for claim in handoff.claims)


def prepare(evidence: RepositoryEvidence, judged: Iterable[Handoff], every: Iterable[Handoff]) -> None:
    """Looks up in one go what the claims of many handoffs name: their commits, and who changed a file after whom."""
    evidence.resolve_commits(
        str(claim.value) for handoff in judged for claim in handoff.claims if claim.kind is ClaimKind.COMMIT
    )
    for handoff in every:
        for claim in handoff.claims:
            if claim.kind is ClaimKind.HASH_BEFORE and claim.subject:
                evidence.note_later_change(claim.subject, str(claim.value), handoff.id)


def _measure(claim: Claim, handoff: Handoff, evidence: RepositoryEvidence) -> Verdict:
    outcome = _MEASURES[claim.kind](claim, handoff, evidence)
    return Verdict(claim=claim, state=outcome.state, measured=outcome.measured, evidence=outcome.evidence)


def _holds(measured: Measured, why: str) -> Outcome:
    return Outcome(VerdictState.HOLDS, measured, why)


def _contradicted(measured: Measured, why: str) -> Outcome:
    return Outcome(VerdictState.CONTRADICTED, measured, why)


def _unverified(why: str, measured: Measured = None) -> Outcome:
    return Outcome(VerdictState.UNVERIFIED, measured, why)


def _measure_status(claim: Claim, handoff: Handoff, _: RepositoryEvidence) -> Outcome:
    if says_good(handoff) and str(claim.value) == handoff.status:
        for counts, name in list_runs(handoff):
            failures = describe_failures(counts, name)
            if failures:
                return _contradicted(f"{name}: {counts.failed} failed" if counts else None, failures)
    return _unverified("a status is a claim; the checks decide")


def _measure_count(claim: Claim, handoff: Handoff, _: RepositoryEvidence) -> Outcome:
    scope = (claim.subject or "").partition(".")[0]
    counts = {"package": handoff.tests, "regression": handoff.regression}.get(scope)
    mismatch = _describe_mismatch(counts)
    if mismatch and (claim.subject or "").endswith(".total"):
        return _contradicted(None, mismatch)
    return _unverified("no test report of this run was read")


def _describe_mismatch(counts: TestCounts | None) -> str | None:
    """Numbers of one run that do not add up."""
    if counts is None or counts.total is None or counts.passed is None or counts.failed is None:
        return None
    parts = counts.passed + counts.failed + (counts.skipped or 0)
    if parts == counts.total:
        return None
    shown = f"{counts.passed} passed + {counts.failed} failed + {counts.skipped or 0} skipped"
    return f"its own numbers do not add up: {shown} = {parts}, not {counts.total}"


def _measure_baseline(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    if claim.subject != "packages" or not evidence.deep:
        return _unverified("no snapshot has been captured here")
    cut_off = evidence.find_cut_off(claim.where.path)
    if cut_off is not None:
        return _unverified(f"when this was written is not known: this shallow clone begins at {cut_off}")
    counted, moment = evidence.count_packages(claim.where.path)
    if counted is None:
        return _unverified("there are no package manifests here to count")
    why = f"{counted} package manifest{'s' if counted != 1 else ''} {moment}"
    return _holds(counted, why) if counted == claim.value else _contradicted(counted, why)


def _measure_hash(claim: Claim, handoff: Handoff, evidence: RepositoryEvidence) -> Outcome:
    if not _HEX_HASH.match(str(claim.value)):
        return _measure_part_of_hash(claim, evidence)
    found = evidence.find(claim.subject or "", claim.where.path)
    if found.path is None:
        return _unfound(claim, found.candidates)
    now = evidence.hash_now(found.path)
    if now is None:
        return _unverified(f"{found.path} cannot be read")
    if now == claim.value:
        return _holds(now, f"{found.path} has this hash now")
    return _judge_other_hash(claim, handoff, evidence, found.path, now)


def _judge_other_hash(claim: Claim, handoff: Handoff, evidence: RepositoryEvidence, path: str, now: str) -> Outcome:
    """The file has another hash now: changed since by someone who says so, changed in silence, or never true."""
    later = evidence.find_later_change(path, str(claim.value), handoff.id)
    if later is not None:
        return _holds(now, f"{later} changed {path} since, and quotes this hash as the one before")
    then, commit = evidence.hash_at_document(path, claim.where.path) if evidence.deep else (None, "")
    if then == claim.value:
        return _contradicted(now, f"was true at {commit}, when this was written; {path} has changed since")
    return _contradicted(now, f"{path} is {now[7 : 7 + _SHOWN_OF_A_HASH]}… now")


def _measure_part_of_hash(claim: Claim, evidence: RepositoryEvidence) -> Outcome:
    """A hash that was cut off proves nothing, but it can be wrong."""
    part = _CUT_HASH.match(str(claim.value))
    if part is None:
        return _unverified("is not a SHA-256 in the form sha256:<64 hex>")
    found = evidence.find(claim.subject or "", claim.where.path)
    now = evidence.hash_now(found.path) if found.path else None
    if now is None:
        return _unfound(claim, found.candidates)
    if now.removeprefix("sha256:").startswith(part.group(1).lower()):
        return _unverified(f"is only the beginning of a hash; that of {found.path} begins so now", now)
    return _contradicted(now, f"{found.path} is {now[7 : 7 + _SHOWN_OF_A_HASH]}… now")


def _measure_hash_before(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    found = evidence.find(claim.subject or "", claim.where.path)
    if found.path is None or not evidence.deep or not _HEX_HASH.match(str(claim.value)):
        return _unverified("the earlier content is not known")
    before, commit = evidence.hash_before_document(found.path, claim.where.path)
    if before is None:
        return _unverified("the earlier content is not in the history here")
    if before == claim.value:
        return _holds(before, f"true at {commit}, the commit before this was written")
    return _unverified(f"{found.path} had another content at {commit}; an uncommitted one may be meant", before)


def _measure_commit(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    written = str(claim.value)
    full = evidence.find_commit(written)
    if full is None:
        if evidence.shallow:
            return _unverified("is not among the commits of this shallow clone")
        return _contradicted(None, "no such commit in this repository")
    if claim.subject != "head" and not evidence.deep:
        return _holds(full, f"{full[:SHORT_COMMIT]} exists")
    if not evidence.is_in_history(full):
        return _judge_unrelated(claim, evidence, full)
    if claim.subject != "head":
        return _holds(full, f"{full[:SHORT_COMMIT]} exists")
    lag = evidence.lag_of(full) or 0
    return _holds(full, "is HEAD" if lag == 0 else f"HEAD is {lag} commit{'s' if lag > 1 else ''} further on")


def _judge_unrelated(claim: Claim, evidence: RepositoryEvidence, full: str) -> Outcome:
    reason = f"{full[:SHORT_COMMIT]} exists, but is not in the history of HEAD"
    if claim.subject != "head":
        return _holds(full, reason)
    if evidence.shallow:
        return _unverified(f"{reason} as far as this shallow clone goes", full)
    return _contradicted(full, reason)


def _measure_present(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    found = evidence.find(claim.subject or "", claim.where.path)
    if found.path is not None:
        return _holds(found.path, f"{found.path} exists")
    return _unfound(claim, found.candidates)


def _measure_absent(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    found = evidence.find(claim.subject or "", claim.where.path)
    if found.path is not None:
        return _contradicted(found.path, f"{found.path} still exists")
    return _holds(None, "is not there")


def _unfound(claim: Claim, candidates: tuple[str, ...]) -> Outcome:
    wanted = claim.subject or ""
    if len(candidates) > 1:
        return _unverified(f"could be any of {len(candidates)} files: {', '.join(candidates[:3])}")
    if "/" in wanted or wanted.lower().endswith(_WELL_KNOWN_ENDINGS):
        return _contradicted(None, "no such file in this repository")
    return _unverified("may not be meant as a file")


def _measure_uncommitted(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    if claim.subject is None:
        return _unverified("a number of changes at another time", len(evidence.uncommitted))
    if claim.subject in evidence.uncommitted:
        return _holds(claim.subject, "git has uncommitted changes there")
    found = evidence.find(claim.subject, claim.where.path)
    if found.path in evidence.uncommitted or any(path.startswith(f"{found.path}/") for path in evidence.uncommitted):
        return _holds(found.path, "git has uncommitted changes there")
    return _contradicted(
        None, "git has no uncommitted change there" if found.path else "no such file in this repository"
    )


def _measure_branch(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    if claim.value == evidence.branch:
        return _holds(evidence.branch, "is the present branch")
    if evidence.has_branch(str(claim.value)):
        return _unverified(f"the branch exists; HEAD is on {evidence.branch or 'no branch'}", evidence.branch)
    return _contradicted(evidence.branch, "no such branch in this repository")


def _measure_resolution(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Outcome:
    text = str(claim.value or "").strip()
    if not text:
        return _contradicted(None, "no evidence is given")
    proof = evidence.find_proof(text, claim.where.path)
    if proof:
        return _holds(
            proof, f"the evidence names {proof}, which exists; whether it resolves the blocker is for the reviewer"
        )
    return _unverified("the evidence is words only")


def _measure_check(claim: Claim, handoff: Handoff, _: RepositoryEvidence) -> Outcome:
    for attempt in handoff.attempts:
        if attempt.warning and attempt.where is not None and attempt.where.path == claim.where.path:
            same = claim.where.line is not None and attempt.where.line == claim.where.line
            if same and str(claim.value).lower() == "pass":
                return _contradicted(None, attempt.warning)
    return _unverified("was not run here")


def _measure_nothing(_: Claim, __: Handoff, ___: RepositoryEvidence) -> Outcome:
    return _unverified("cannot be measured here")


def _measure_deployment(_: Claim, __: Handoff, ___: RepositoryEvidence) -> Outcome:
    return _unverified("was not asked: asking needs your consent to use the network")


_MEASURES: dict[ClaimKind, Measure] = {
    ClaimKind.STATUS: _measure_status,
    ClaimKind.COUNT: _measure_count,
    ClaimKind.BASELINE: _measure_baseline,
    ClaimKind.HASH: _measure_hash,
    ClaimKind.HASH_BEFORE: _measure_hash_before,
    ClaimKind.COMMIT: _measure_commit,
    ClaimKind.FILE_CREATED: _measure_present,
    ClaimKind.FILE_MODIFIED: _measure_present,
    ClaimKind.FILE_DELETED: _measure_absent,
    ClaimKind.FILE_REFERENCED: _measure_present,
    ClaimKind.UNCOMMITTED: _measure_uncommitted,
    ClaimKind.BRANCH: _measure_branch,
    ClaimKind.BLOCKER_RESOLVED: _measure_resolution,
    ClaimKind.DEPLOYMENT: _measure_deployment,
    ClaimKind.VERDICT: _measure_nothing,
    ClaimKind.CHECK: _measure_check,
    ClaimKind.COMMENT: _measure_nothing,
}
