"""The commits that a session state names are in the history of HEAD, and its own commit is not far behind.

A commit stored inside the repository can never be the commit that stores it, so some lag is normal.
"""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.checks.rules.mosaic.session_state import (
    AGENT_STATE,
    DIALECT,
    find_states,
    is_state_file,
    read_state_file,
)
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind

_STATE_COMMIT = "head"
_FIELD = "last_commit"
_COMMIT = compile_later(r"^\W*[0-9a-fA-F]{7,64}\b")
_NO_SUCH = "no such commit"
_ELSEWHERE = "on another line of history"
_MAY_BE_CUT_OFF = (_NO_SUCH, _ELSEWHERE)


def judge(context: Context) -> Iterator[RuleFinding]:
    claims = [
        claim
        for handoff in context.require_handoffs(DIALECT)
        for claim in handoff.claims
        if claim.kind is ClaimKind.COMMIT
    ]
    found = list(_judge_form(context))
    if not claims and not found:
        context.skip("the state names no commit")
    unseen: list[str] = []
    for (path, written), claim in _pick_claims(claims).items():
        problem = _judge_claim(context, claim, written)
        if problem is None:
            continue
        if problem.actual in _MAY_BE_CUT_OFF and context.facts().shallow:
            unseen.append(f"{written} in {path}")
        else:
            found.append(problem)
    if unseen and not found:
        context.undecidable(f"this clone is shallow, so its history does not show {', '.join(unseen[:3])}")
    yield from found


def _judge_form(context: Context) -> Iterator[RuleFinding]:
    """Finds states that can't be read or name something that isn't a commit."""
    for state in find_states(context):
        file = read_state_file(context, state.path(AGENT_STATE))
        yield from file.broken
        commit = file.members.get(_FIELD)
        if commit is not None and not (isinstance(commit, str) and _COMMIT.match(commit)):
            message = f"{file.path} has a {_FIELD} that is no commit id"
            yield RuleFinding(message, _FIELD, file.place(_FIELD), "a commit id", str(commit)[:40] or "empty")


def _pick_claims(claims: list[Claim]) -> dict[tuple[str, str], Claim]:
    """Picks one claim per commit and document, preferring the state's own commit."""
    picked: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        key = (claim.where.path, str(claim.value).lower())
        if key not in picked or claim.subject == _STATE_COMMIT:
            picked[key] = claim
    return picked


def _judge_claim(context: Context, claim: Claim, written: str) -> RuleFinding | None:
    commit = context.commit(written)
    if commit is None:
        message = f"{claim.where.path} names commit {written}, which does not exist here"
        return _build_found(claim, written, message, "a commit of this repository", _NO_SUCH)
    if claim.subject == _STATE_COMMIT:
        return _judge_lag(context, claim, written, commit)
    if any(known.id == commit for known in context.commits()) or context.lag(commit) is not None:
        return None
    return _build_unrelated(claim, written)


def _judge_lag(context: Context, claim: Claim, written: str, commit: str) -> RuleFinding | None:
    lag = context.lag(commit)
    if lag is None:
        return _build_unrelated(claim, written)
    tolerated = context.settings.mosaic.commit_lag_tolerated
    counted = _count_work(context, commit, lag, tolerated)
    if counted <= tolerated:
        left_out = f", {lag - counted} of them of state files only" if lag > counted else ""
        context.note(f"HEAD is {_count(lag)} ahead of {written} in {claim.where.path}{left_out}")
        return None
    message = f"{claim.where.path} was written for commit {written}, and HEAD is {_count(lag)} ahead of it"
    return _build_found(claim, written, message, f"at most {_count(tolerated)} of work", _count(lag))


def _count_work(context: Context, commit: str, lag: int, tolerated: int) -> int:
    """Counts the newer commits that touch more than state files, stopping once there are too many."""
    if lag <= tolerated or not context.settings.mosaic.state_only_commits_tolerated:
        return lag
    newer = _find_newer(context, commit)
    work = max(0, lag - len(newer))  # further back than was read: taken for work
    for known in newer:
        if work > tolerated:
            break
        work += not all(is_state_file(context, path) for path in context.commit_paths(known))
    return work


def _find_newer(context: Context, commit: str) -> list[str]:
    """Returns the commits of HEAD's history that aren't in a commit's, newest first."""
    parents = {known.id: known.parents for known in context.commits()}
    contained: set[str] = set()
    waiting = [commit]
    while waiting:
        current = waiting.pop()
        if current not in contained:
            contained.add(current)
            waiting.extend(parents.get(current, ()))
    return [known for known in parents if known not in contained]


def _build_unrelated(claim: Claim, written: str) -> RuleFinding:
    message = f"{claim.where.path} names commit {written}, which is not in the history of HEAD"
    return _build_found(claim, written, message, "an ancestor of HEAD", _ELSEWHERE)


def _build_found(claim: Claim, written: str, message: str, expected: str, actual: str) -> RuleFinding:
    command = None if actual == _NO_SUCH else f"git log --oneline {written}..HEAD"
    return RuleFinding(message, written, claim.where, expected, actual, command)


def _count(number: int) -> str:
    return f"{number} commit{'' if number == 1 else 's'}"


CLAIMED_COMMITS_MATCH_GIT = Rule(
    id="claimed-commits-match-git",
    system=System.MOSAIC,
    severity=Severity.HIGH,
    holds="Every commit that the session state names is in the history of HEAD, and its own commit is near HEAD.",
    reads="commits named in state files and session documents, and the history",
    remedy="Write the commit that ends the work into the state. Correct or remove commits that don't exist.",
    commands=("git log --oneline -5",),
    judge=judge,
    moments=(Moment.PRE,),
)
