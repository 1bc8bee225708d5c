"""A decision: prepared on fresh results, shown, confirmed, signed, and added to the log.

Two steps on purpose. `prepare_decision` computes everything that will be signed and refuses what the rules forbid;
between the two a person looks and confirms; `sign_decision` refuses if anything has moved since it was shown.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from handoff_tui.baseline.store import write_snapshot
from handoff_tui.decision_log.entries import build_payload
from handoff_tui.decision_log.journal import Draft, Parents
from handoff_tui.decision_log.log_index import Vote, build_log_index
from handoff_tui.decision_log.patterns import NEEDS_NO_REASON
from handoff_tui.decision_log.policy import Policy
from handoff_tui.errors import DecisionForbiddenError, LogBrokenError, NoHumanError, TreeMovedError
from handoff_tui.models.log_record import Decision, DecisionVerb, Entry, EntryKind, Work
from handoff_tui.models.review_record import Comment, ReviewRecord
from handoff_tui.repo.state_files import find_cache_folder
from handoff_tui.repo.work_tree import write_work_tree
from handoff_tui.review.check import Telling
from handoff_tui.review.desk import Desk, reopen_desk
from handoff_tui.review.evidence_record import build_record
from handoff_tui.review.examine import Examined, examine
from handoff_tui.review.log import OpenLog
from handoff_tui.review.review_store import encode_review, write_review
from handoff_tui.review.signer import Signing, find_signing

_PASSING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY, DecisionVerb.OVERRIDE, DecisionVerb.SKIP})
_BINDING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})
"""Verbs that say the checks are in order."""


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """What a person wants to decide."""

    verb: DecisionVerb
    handoff: str
    phase: str | None = None
    reason: str = ""
    comments: tuple[Comment, ...] = ()
    viewed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """Exactly what will be signed, for showing."""

    request: DecideRequest
    examined: Examined
    signing: Signing
    record: ReviewRecord
    regards: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def parse_verb(word: str) -> DecisionVerb:
    return DecisionVerb(word)


def prepare_decision(desk: Desk, log: OpenLog, request: DecideRequest, telling: Telling | None = None) -> Prepared:
    """Re-runs the blocking checks fresh, captures, and refuses what the gate's rules forbid."""
    if request.verb not in NEEDS_NO_REASON and not request.reason.strip():
        raise DecisionForbiddenError(f"{request.verb} needs a reason", "Give it with --reason.")
    examined = examine(desk, log, request.handoff, request.phase, fresh=True, telling=telling)
    policy = require_policy(examined)
    signing = find_signing(desk, policy)
    _refuse_machine(policy, signing)
    _refuse_forbidden(examined, request, signing.principal)
    record = build_record(examined, request.comments, request.viewed, overrides=request.verb is DecisionVerb.OVERRIDE)
    regards = _find_regards(examined, request.verb, signing.principal)
    return Prepared(request, examined, signing, record, regards, _list_warnings(examined))


def sign_decision(log: OpenLog, prepared: Prepared) -> Entry:
    """Signs and stores what was shown. Under the lock it is asked once more whether all of it still holds."""
    root = prepared.examined.desk.repository.root

    def build(parents: Parents) -> Draft:
        refuse_moved(prepared.examined)
        _refuse_outrun(prepared, parents)
        write_snapshot(root, prepared.examined.snapshot)
        write_review(root, prepared.record)
        return Draft(build_payload(_build_entry(prepared, parents)))

    return log.journal.append(build, prepared.signing.tool).entry


def _build_entry(prepared: Prepared, parents: Parents) -> Entry:
    target = prepared.examined.target
    assert parents.verdict.policy is not None  # noqa: S101 - a log without a policy was refused before
    return Entry(
        id="",
        kind=EntryKind.DECISION,
        actor=prepared.signing.principal,
        seq=parents.seq,
        time=parents.time,
        parents=parents.ids,
        log=parents.verdict.log,
        work=Work(
            handoff=target.handoff,
            phase=target.phase,
            attempt=target.attempt,
            producers=tuple(sorted(target.producers)),
            policy=parents.verdict.policy,
            subject=target.subject,
        ),
        decision=Decision(
            verb=prepared.request.verb,
            reason=prepared.request.reason,
            regards=prepared.regards,
            review=_hash_record(prepared.record),
        ),
    )


def require_policy(examined: Examined) -> Policy:
    verdict = examined.index.verdict
    if verdict.fatal:
        first = next(problem for problem in verdict.problems if problem.level == "FATAL")
        raise LogBrokenError(f"the log is not sound, so nothing can be decided: {first.text}", "handoff-tui log verify")
    if examined.policy is None:
        raise NoHumanError("there is no signed log yet, so nobody may decide", "Run handoff-tui init.")
    return examined.policy


def _refuse_machine(policy: Policy, signing: Signing) -> None:
    if signing.principal in policy.agents:
        raise NoHumanError(
            f"{signing.principal} is an agent, and an agent never decides",
            "A reviewer decides, with a key of their own.",
        )
    if not policy.may_decide(signing.principal):
        raise DecisionForbiddenError(
            f"{signing.principal} has no role that decides", "handoff-tui policy show tells who may."
        )


def _refuse_forbidden(examined: Examined, request: DecideRequest, principal: str) -> None:
    target = examined.target
    if request.verb in _PASSING and principal in target.producers:
        raise DecisionForbiddenError(
            f"{principal} had a hand in this work, and nobody approves their own",
            "Another reviewer decides. Agents should commit under their own name, not under yours.",
        )
    if request.verb in _BINDING and target.failing:
        shown = ", ".join(target.failing[:3]) + (" …" if len(target.failing) > 3 else "")  # noqa: PLR2004 - a few names
        raise DecisionForbiddenError(
            f"{len(target.failing)} blocking checks do not pass: {shown}",
            "Reject, or retry; `override --reason …` goes over them and stays visible as a debt.",
        )


def _find_regards(examined: Examined, verb: DecisionVerb, principal: str) -> tuple[str, ...]:
    """The entries that are meant: the approval that is carried, what is withdrawn, the debts that are settled."""
    target, index = examined.target, examined.index
    own = [vote for vote in index.find_last_votes(target.handoff, target.phase) if vote.entry.actor == principal]
    if verb is DecisionVerb.CARRY:
        carried = [vote.entry.id for vote in own if _can_be_carried(vote, examined)]
        if not carried:
            raise DecisionForbiddenError(
                "you have approved nothing with these very files, so there is nothing to carry", "Approve instead."
            )
        return tuple(sorted(carried))
    if verb is DecisionVerb.WITHDRAW:
        taken_back = [vote.entry.id for vote in own if vote.decision.verb is not DecisionVerb.WITHDRAW]
        if not taken_back:
            raise DecisionForbiddenError("there is no decision of yours to withdraw here")
        return tuple(sorted(taken_back))
    if verb is DecisionVerb.APPROVE:
        debts = index.find_debts()
        return tuple(
            sorted(
                debt
                for debt, vote in debts.items()
                if (vote.work.handoff, vote.work.phase) == (target.handoff, target.phase)
            )
        )
    return ()


def _can_be_carried(vote: Vote, examined: Examined) -> bool:
    return (
        vote.decision.verb in _BINDING
        and vote.work.attempt == examined.target.attempt
        and vote.work.subject.tree == examined.target.subject.tree
    )


def _list_warnings(examined: Examined) -> tuple[str, ...]:
    warnings: list[str] = []
    if examined.uncommitted:
        warnings.append("there is uncommitted work: the snapshot holds it, the commit does not")
    if examined.baseline.snapshot is None:
        warnings.append(examined.baseline.reason)
    return tuple(warnings)


def refuse_moved(examined: Examined) -> None:
    """The files and HEAD are looked at once more: what was shown is what is signed."""
    now = reopen_desk(examined.desk)
    tree = write_work_tree(now.repository, find_cache_folder(now.repository.root))
    if tree.commit != examined.target.subject.commit or tree.tree != examined.taken.captured.tree.tree:
        raise TreeMovedError(
            "the work has changed since it was shown, so nothing was signed", "Look again, then decide."
        )


def _refuse_outrun(prepared: Prepared, parents: Parents) -> None:
    """The first decision wins; who comes second is told what the first one was."""
    target = prepared.examined.target
    for vote in build_log_index(parents.verdict).votes_at.get((target.handoff, target.phase), ()):
        if vote.entry.id not in prepared.examined.index.votes:
            raise DecisionForbiddenError(
                f"{vote.entry.actor} decided first: {vote.decision.verb}"
                + (f", because {vote.decision.reason}" if vote.decision.reason else ""),
                "Nothing was signed. Look again, then decide.",
            )
    if parents.verdict.policy != prepared.examined.index.verdict.policy:
        raise DecisionForbiddenError("the policy has changed since this was shown", "Nothing was signed. Look again.")


def _hash_record(record: ReviewRecord) -> str:
    return hashlib.sha256(encode_review(record)).hexdigest()
