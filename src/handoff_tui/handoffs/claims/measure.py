"""Claims beside measurements: each claim holds, is false, was true, or is not measured, and the evidence says why.

A claim is measured in the commits its document speaks about.
Nothing an agent wrote is evidence, except against itself: a status that its own numbers refute is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.blocking import describe_failures, list_runs, says_good
from handoff_tui.handoffs.claims.evidence import PathThen, RepositoryEvidence
from handoff_tui.handoffs.claims.moments import Moment, PathVersion
from handoff_tui.handoffs.claims.test_runs import CountedRun
from handoff_tui.handoffs.grammar.tokens import is_surely_path
from handoff_tui.handoffs.handoff import Handoff

_HEX_HASH = compile_later(r"^sha256:[0-9a-f]{64}$")
_CUT_HASH = compile_later(r"^(?:sha256:)?([0-9a-f]{6,63})(?:\.\.\.|…)?$", re.IGNORECASE)
_FULL_HASH = 64
_BEST = (VerdictState.HOLDS, VerdictState.WAS_TRUE, VerdictState.UNVERIFIED, VerdictState.CONTRADICTED)
_NEEDS_HISTORY = frozenset({VerdictState.CONTRADICTED, VerdictState.WAS_TRUE})
_SHOWN_BY_CHANGE = frozenset({ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED})
_SHOWN_OF_A_HASH = 12


Measured = str | int | None


class Measurement(NamedTuple):
    """A verdict in the making."""

    state: VerdictState
    measured: Measured
    evidence: str


Measure = Callable[[Claim, Handoff, RepositoryEvidence], Measurement]
MeasureThen = Callable[[Claim, Moment, RepositoryEvidence], Measurement]


def measure_claims(handoff: Handoff, evidence: RepositoryEvidence) -> tuple[Verdict, ...]:
    """Every claim with its verdict, in the order of the handoff."""
    return tuple(_measure(claim, handoff, evidence) for claim in handoff.claims)


def prepare(evidence: RepositoryEvidence, judged: Iterable[Handoff], every: Iterable[Handoff]) -> None:
    """Looks up in one go what the claims of many handoffs name: their commits, and who changed a file after whom."""
    every = tuple(every)
    evidence.take_in(every)
    evidence.resolve_commits(
        str(claim.value) for handoff in judged for claim in handoff.claims if claim.kind is ClaimKind.COMMIT
    )
    for handoff in every:
        for claim in handoff.claims:
            if claim.kind is ClaimKind.HASH_BEFORE and claim.subject:
                evidence.note_later_change(claim.subject, str(claim.value), handoff.id, claim.where.path)


def _measure(claim: Claim, handoff: Handoff, evidence: RepositoryEvidence) -> Verdict:
    measure_then = _MEASURES_THEN.get(claim.kind)
    said = None
    if measure_then is None:
        outcome = _MEASURES[claim.kind](claim, handoff, evidence)
    else:
        moment = evidence.find_moment(claim)
        said = moment.describe(evidence.history.commits)
        outcome = measure_then(claim, moment, evidence)
        is_unseen = claim.kind in _SHOWN_BY_CHANGE and evidence.shallow and not evidence.saw_change(claim, moment)
        if (is_unseen or outcome.state in _NEEDS_HISTORY) and (cut_off := evidence.find_cut_off(moment)) is not None:
            outcome = _unverified(f"this shallow clone begins at {cut_off}: what was before is not known")
    state, measured, why = outcome
    return Verdict(claim=claim, state=state, measured=measured, evidence=why, moment=said)


def _holds(measured: Measured, why: str) -> Measurement:
    return Measurement(VerdictState.HOLDS, measured, why)


def _contradicted(measured: Measured, why: str) -> Measurement:
    return Measurement(VerdictState.CONTRADICTED, measured, why)


def _was_true(measured: Measured, why: str) -> Measurement:
    return Measurement(VerdictState.WAS_TRUE, measured, why)


def _unverified(why: str, measured: Measured = None) -> Measurement:
    return Measurement(VerdictState.UNVERIFIED, measured, why)


def _measure_status(claim: Claim, handoff: Handoff, _: RepositoryEvidence) -> Measurement:
    if says_good(handoff) and str(claim.value) == handoff.status:
        for counts, name in list_runs(handoff):
            failures = describe_failures(counts, name)
            if failures:
                return _contradicted(f"{name}: {counts.failed} failed" if counts else None, failures)
    return _unverified("a status is a claim; the checks decide")


def _measure_count(claim: Claim, handoff: Handoff, evidence: RepositoryEvidence) -> Measurement:
    scope = (claim.subject or "").partition(".")[0]
    counts = {"package": handoff.tests, "regression": handoff.regression, "suite": handoff.tests}.get(scope)
    mismatch = _describe_mismatch(counts, may_miss=scope == "suite")
    if mismatch and (claim.subject or "").endswith(".total"):
        return _contradicted(None, mismatch)
    runs = evidence.find_test_runs(claim) if counts is not None else ()
    if not runs or counts is None:
        return _unverified("no test report of this run was read")
    return _compare_with_runs(claim, counts, runs)


def _compare_with_runs(claim: Claim, counts: TestCounts, runs: Sequence[CountedRun]) -> Measurement:
    """Beside the runs here. As many tests are the same tests, and fewer may be a part of them.

    More were not run, unless the document reports several suites.
    """
    name = (claim.subject or "").rpartition(".")[2]
    claimed = counts.total or (counts.passed or 0) + (counts.failed or 0) + (counts.skipped or 0)
    for run in runs:
        measured, whole = run.numbers[name], run.numbers["total"]
        if claimed in {whole, whole - run.numbers["skipped"]}:
            if claim.value in {measured, claimed if name == "total" else measured}:
                return _holds(measured, _describe_run(run))
            if claimed == whole:
                return _contradicted(measured, _describe_run(run))
    measured = sum(run.numbers[name] for run in runs)
    why = "; ".join(map(_describe_run, runs))
    if not counts.suites and claimed > sum(run.numbers["total"] for run in runs):
        return _contradicted(measured, why)
    return _unverified(f"{why}; other tests may be meant", measured)


def _describe_run(run: CountedRun) -> str:
    told = ", ".join(f"{number} {one}" for one, number in run.numbers.items() if number and one != "total")
    return f"{run.command}, run here on {run.commit[:SHORT_COMMIT]}, counted {told or 'no tests'}"


def _describe_mismatch(counts: TestCounts | None, *, may_miss: bool) -> str | None:
    """Numbers of one run that do not add up; where a runner's other outcomes may be left out, only those above it."""
    if counts is None or counts.total is None or counts.passed is None or counts.failed is None:
        return None
    parts = counts.passed + counts.failed + (counts.skipped or 0)
    if parts == counts.total or (may_miss and parts < counts.total):
        return None
    shown = f"{counts.passed} passed + {counts.failed} failed + {counts.skipped or 0} skipped"
    return f"its own numbers do not add up: {shown} = {parts}, not {counts.total}"


def _measure_baseline(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    if claim.subject != "packages":
        return _unverified("no snapshot has been captured here")
    counted = evidence.count_packages(moment)
    if not counted:
        return _unverified("there are no package manifests here to count")
    when = f"at {moment.commit[:SHORT_COMMIT]}, when this was written" if moment.commit else "in the work tree"
    why = f"{counted} package manifest{'s' if counted != 1 else ''} {when}"
    if isinstance(claim.value, int) and counted > claim.value:
        return _unverified(f"{why}; not every one need be installed")
    return _holds(counted, why) if counted == claim.value else _contradicted(counted, why)


def _measure_hash(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    """Now, and if it has another hash now, then; of several files of a name, the one that fits is meant."""
    if not _HEX_HASH.match(str(claim.value)) and not _CUT_HASH.match(str(claim.value)):
        return _unverified("is not a SHA-256 in the form sha256:<64 hex>")
    candidates = evidence.list_candidates(claim, moment)
    if not candidates:
        return _judge_unfound(claim, evidence)
    outcomes = [_judge_hash(claim, path, moment, evidence) for path in candidates]
    best = min(outcomes, key=lambda outcome: _BEST.index(outcome.state))
    if len(candidates) > 1 and best.state is VerdictState.CONTRADICTED:
        return _unverified(f"could be any of {len(candidates)} files: {', '.join(candidates[:3])}")
    return best


def _judge_hash(claim: Claim, path: str, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    wanted = str(claim.value).removeprefix("sha256:").rstrip(".…").lower()
    now = evidence.hash_now(path)
    whole = len(wanted) == _FULL_HASH
    if now is not None and now.removeprefix("sha256:").startswith(wanted):
        if whole:
            return _holds(now, f"{path} has this hash now")
        return _unverified(f"is only the beginning of a hash; that of {path} begins so now", now)
    for then, position in evidence.hash_versions(path, moment):
        if then is not None and then.removeprefix("sha256:").startswith(wanted):
            commit = evidence.history.commits[position].id[:SHORT_COMMIT]
            return _was_true(
                now, f"{path} had this hash at {commit}; changed since by {evidence.find_next_change(path, position)}"
            )
    later = evidence.find_later_change(path, str(claim.value), claim.where.path)
    if later is not None:
        return _was_true(now, f"{later} changed {path} since, and quotes this hash as the one before")
    if now is None:
        is_there = evidence.look_at(path, moment).now
        return _unverified(f"{path} can't be read") if is_there else _contradicted(None, f"{path} is not there")
    return _contradicted(now, f"{path} is {now[7 : 7 + _SHOWN_OF_A_HASH]}… now, and never had this hash")


def _measure_hash_before(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    found = evidence.find_then(claim, moment)
    if found is None or not _HEX_HASH.match(str(claim.value)):
        return _unverified("the earlier content is not known")
    earlier = list(evidence.hash_before(found.path, moment))
    for before, when in earlier:
        if before == claim.value:
            return _holds(before, f"true {when}")
    if not earlier:
        return _unverified("the earlier content is not in the history here")
    before, when = earlier[0]
    return _unverified(f"{found.path} had another content {when}; an uncommitted one may be meant", before)


def _measure_commit(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    written = str(claim.value)
    full = evidence.find_commit(written)
    if full is None:
        if evidence.shallow:
            return _unverified("is not among the commits of this shallow clone")
        if moment.commit is not None and evidence.history.may_be_rewritten(moment):
            return _unverified("no such commit in this repository; history was rewritten or squashed since")
        return _contradicted(None, "no such commit in this repository")
    if claim.subject != "head":
        where = "" if evidence.is_in_history(full) else ", but is not in the history of HEAD"
        return _holds(full, f"{full[:SHORT_COMMIT]} exists{where}")
    if not evidence.is_in_history(full):
        reason = f"{full[:SHORT_COMMIT]} exists, but is not in the history of HEAD"
        return _unverified(reason, full) if evidence.shallow else _contradicted(full, reason)
    lag = evidence.lag_of(full) or 0
    return _holds(full, "is HEAD" if lag == 0 else f"HEAD is {lag} commit{'s' if lag > 1 else ''} further on")


def _measure_created(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    found = evidence.find_then(claim, moment)
    if found is None:
        return _judge_unfound(claim, evidence)
    added = [one for one in found.changed if not one.change.removed]
    if not added and not found.edited:
        return _judge_unchanged(found, moment, evidence)
    if found.before:
        return _unverified(f"{found.path} was there before, and was changed", found.path)
    return _judge_lasting(found, "was created", evidence, added)


def _measure_modified(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    found = evidence.find_then(claim, moment)
    if found is None:
        return _judge_unfound(claim, evidence)
    kept = [one for one in found.changed if not one.change.removed]
    if not found.changed and not found.edited:
        return _judge_unchanged(found, moment, evidence, is_change=True)
    if not found.edited and evidence.history.is_from_the_beginning(found.changed, moment):
        return _contradicted(found.path, f"{found.path} was there from the beginning, and nothing changed it since")
    if not kept and not found.edited:
        return _unverified(f"{found.path} was deleted in these commits")
    return _judge_lasting(found, "was changed", evidence, kept)


def _judge_lasting(found: PathThen, what: str, evidence: RepositoryEvidence, changes: list[PathVersion]) -> Measurement:
    by = f" by {evidence.history.commits[changes[-1].position].id[:SHORT_COMMIT]}" if changes else ", not committed yet"
    if found.now:
        return _holds(found.path, f"{found.path} {what}{by}")
    return _was_true(None, f"{found.path} {what}{by}; deleted since by {found.since}")


def _judge_unchanged(
    found: PathThen, moment: Moment, evidence: RepositoryEvidence, *, is_change: bool = False
) -> Measurement:
    """A file that the commits it is claimed of left alone. That it is there doesn't show that it was changed."""
    if not found.then:
        if found.now:
            return _holds(found.path, f"{found.path} exists, though no commit of that time has it")
        gone = f"{found.path} was not there when this was written"
        return _unverified(f"{gone}; git ignores it") if evidence.is_ignored(found.path) else _contradicted(None, gone)
    is_known = evidence.history.has_work(moment) or (moment.commit is None and evidence.list_uncommitted_work())
    if moment.start < 0 or not is_known:
        why = f"{found.path} exists; which commits are meant is not known"
        return _unverified(why, found.path) if is_change else _holds(found.path, why)
    if found.path.endswith("/") or not evidence.history.list_versions(found.path):
        return _holds(found.path, f"{found.path} exists")
    span = moment.describe(evidence.history.commits)
    return _contradicted(found.path, f"{found.path} was there before, and nothing in {span} changed it")


def _measure_deleted(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    found = evidence.find_then(claim, moment)
    if found is None or (not found.then and not found.now and not evidence.history.list_versions(found.path)):
        return _unverified("no commit ever had it, so nothing shows that it was deleted")
    if any(one.change.removed for one in found.changed) or not found.then:
        if found.now:
            return _was_true(found.path, f"{found.path} was deleted; it was made again since by {found.since}")
        return _holds(None, f"{found.path} is not there")
    return _contradicted(found.path, f"{found.path} was still there when this was written")


def _measure_referenced(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    found = evidence.find_then(claim, moment)
    if found is None:
        return _judge_unfound(claim, evidence)
    if found.now:
        return _holds(found.path, f"{found.path} exists")
    if found.then:
        return _was_true(None, f"{found.path} existed when this was written; deleted since by {found.since}")
    return _judge_unchanged(found, moment, evidence)


def _judge_unfound(claim: Claim, evidence: RepositoryEvidence) -> Measurement:
    """No file of this name was ever here: false, unless the word may stand for something else."""
    wanted = claim.subject or ""
    candidates = evidence.list_alike(claim)
    if len(candidates) > 1:
        return _unverified(f"could be any of {len(candidates)} files: {', '.join(candidates[:3])}")
    if evidence.is_ref(wanted):
        return _unverified("is a branch or tag, not a file")
    if evidence.is_submodule(wanted):
        return _unverified("lies in a submodule, which is not looked into")
    if not is_surely_path(wanted):
        return _unverified("may not be meant as a file")
    if evidence.is_ignored(wanted):
        return _unverified("git ignores it")
    return _contradicted(None, "no such file in this repository, now or then")


def _measure_uncommitted(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    if claim.subject is None:
        return _measure_clean(claim, moment, evidence)
    found = evidence.find_then(claim, moment)
    path = found.path if found is not None else claim.subject
    if path in evidence.uncommitted or any(one.startswith(f"{path.rstrip('/')}/") for one in evidence.uncommitted):
        return _holds(path, "git has uncommitted changes there")
    if found is None:
        return _judge_unfound(claim, evidence)
    if moment.commit is None:
        return _contradicted(None, "git has no uncommitted change there")
    committed = [one for one in evidence.history.list_versions(path) if one.position >= moment.position]
    if committed:
        return _was_true(None, f"committed since by {evidence.describe_change(committed[0].position)}")
    return _unverified("git has no uncommitted change there now; it may have been dropped")


def _measure_clean(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    """How many files are uncommitted, its own paperwork apart; 0 is a clean work tree."""
    dirty = evidence.list_uncommitted_work()
    if moment.commit is not None or not isinstance(claim.value, int):
        return _unverified("a number of changes at another time", len(dirty))
    if len(dirty) == claim.value:
        return _holds(len(dirty), "git has no uncommitted changes" if not dirty else "git has as many")
    if claim.value:
        return _unverified(f"git has {len(dirty)} uncommitted files now", len(dirty))
    return _contradicted(len(dirty), f"git has uncommitted changes in {', '.join(dirty[:3])}")


def _measure_branch(claim: Claim, moment: Moment, evidence: RepositoryEvidence) -> Measurement:
    name = str(claim.value)
    if name == evidence.branch:
        return _holds(evidence.branch, "is the present branch")
    if evidence.has_branch(name):
        return _holds(name, "the branch exists")
    merged = evidence.history.find_merge(name)
    if merged is not None:
        return _was_true(None, f"merged by {evidence.describe_change(merged)}, and deleted since")
    if moment.commit is not None:
        return _unverified("no such branch in this repository now; it may have been deleted since")
    return _contradicted(evidence.branch, "no such branch in this repository")


def _measure_resolution(claim: Claim, _: Handoff, evidence: RepositoryEvidence) -> Measurement:
    text = str(claim.value or "").strip()
    if not text:
        return _contradicted(None, "no evidence is given")
    proof = evidence.find_proof(text, claim.where.path)
    if proof:
        return _holds(
            proof, f"the evidence names {proof}, which exists; whether it resolves the blocker is for the reviewer"
        )
    return _unverified("the evidence is words only")


def _measure_check(claim: Claim, handoff: Handoff, _: RepositoryEvidence) -> Measurement:
    for attempt in handoff.attempts:
        if attempt.warning and attempt.where is not None and attempt.where.path == claim.where.path:
            same = claim.where.line is not None and attempt.where.line == claim.where.line
            if same and str(claim.value).lower() == "pass":
                return _contradicted(None, attempt.warning)
    return _unverified("was not run here")


def _measure_nothing(_: Claim, __: Handoff, ___: RepositoryEvidence) -> Measurement:
    return _unverified("cannot be measured here")


def _measure_deployment(_: Claim, __: Handoff, ___: RepositoryEvidence) -> Measurement:
    return _unverified("was not asked: that needs your consent to use the network")


_MEASURES: dict[ClaimKind, Measure] = {
    ClaimKind.STATUS: _measure_status,
    ClaimKind.COUNT: _measure_count,
    ClaimKind.BLOCKER_RESOLVED: _measure_resolution,
    ClaimKind.DEPLOYMENT: _measure_deployment,
    ClaimKind.VERDICT: _measure_nothing,
    ClaimKind.CHECK: _measure_check,
    ClaimKind.COMMENT: _measure_nothing,
}
_MEASURES_THEN: dict[ClaimKind, MeasureThen] = {
    ClaimKind.BASELINE: _measure_baseline,
    ClaimKind.HASH: _measure_hash,
    ClaimKind.HASH_BEFORE: _measure_hash_before,
    ClaimKind.COMMIT: _measure_commit,
    ClaimKind.FILE_CREATED: _measure_created,
    ClaimKind.FILE_MODIFIED: _measure_modified,
    ClaimKind.FILE_DELETED: _measure_deleted,
    ClaimKind.FILE_REFERENCED: _measure_referenced,
    ClaimKind.UNCOMMITTED: _measure_uncommitted,
    ClaimKind.BRANCH: _measure_branch,
}
"""Claims about the repository, which are measured in the commits their documents speak about."""
