"""A decision: prepared on fresh results, shown, confirmed, signed, and added to the log.

Two steps on purpose. `prepare_decision` computes everything that will be signed and refuses what the rules forbid;
between the two a person looks and confirms; `sign_decision` refuses if anything has moved since it was shown. Where the
person writes the reason while looking, `complete_decision` stands between them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from handoff_tui.changes.snapshots.store import write_snapshot
from handoff_tui.checks.run.check import Telling
from handoff_tui.core.errors import DecisionForbiddenError, LogBrokenError, NoHumanError, UsageError
from handoff_tui.decisions.changed_since_shown import refuse_moved
from handoff_tui.decisions.evidence_record import add_remarks, build_record
from handoff_tui.decisions.examine import Examined, examine
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.entry import build_payload
from handoff_tui.log.entries.fields import MAX_REASON, has_control
from handoff_tui.log.entries.patterns import NEEDS_NO_REASON
from handoff_tui.log.gates.gate import Target, find_change
from handoff_tui.log.index import LogIndex, Vote, build_log_index
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import OpenLog, find_policy
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.signer import Signing, find_signing
from handoff_tui.log.record import Decision, DecisionVerb, Entry, EntryKind, LogVerdict, ProblemLevel
from handoff_tui.log.review_record import Comment, ReviewRecord
from handoff_tui.log.storage.review_records import encode_review, write_review

BINDING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})
"""Verbs that say the checks are in order."""


def find_regards(index: LogIndex, target: Target, verb: DecisionVerb, principal: str) -> tuple[str, ...]:
    """The ids, sorted; a carry or withdrawal without anything to carry or withdraw is refused."""
    if verb is DecisionVerb.CARRY:
        return _find_carried(index, target, principal)
    if verb is DecisionVerb.WITHDRAW:
        return _find_withdrawn(index, target, principal)
    if verb is DecisionVerb.APPROVE:
        here = (target.handoff, target.phase)
        debts = index.find_debts().items()
        return tuple(sorted(debt for debt, vote in debts if (vote.work.handoff, vote.work.phase) == here))
    return ()


def list_own(index: LogIndex, target: Target, principal: str) -> list[Vote]:
    """A person's own last decisions at this gate."""
    return [vote for vote in index.find_last_votes(target.handoff, target.phase) if vote.entry.actor == principal]


def _find_carried(index: LogIndex, target: Target, principal: str) -> tuple[str, ...]:
    own = [vote for vote in list_own(index, target, principal) if vote.decision.verb in BINDING]
    if any(not find_change(vote.work, target) for vote in own):
        raise DecisionForbiddenError(
            "your approval is of exactly what is here, so there is nothing to carry",
            "If it has grown too old, approve again.",
        )
    carried = [
        vote.entry.id
        for vote in own
        if vote.work.attempt == target.attempt and vote.work.subject.tree == target.subject.tree
    ]
    if not carried:
        raise DecisionForbiddenError(
            "you have approved nothing with these very files, so there is nothing to carry", "Approve instead."
        )
    return tuple(sorted(carried))


def _find_withdrawn(index: LogIndex, target: Target, principal: str) -> tuple[str, ...]:
    own = list_own(index, target, principal)
    withdrawn = [vote.entry.id for vote in own if vote.decision.verb is not DecisionVerb.WITHDRAW]
    if not withdrawn:
        raise DecisionForbiddenError(
            "there is no decision of yours to withdraw here", "handoff-tui gate lists who decided what."
        )
    return tuple(sorted(withdrawn))


PASSING = frozenset({*BINDING, DecisionVerb.OVERRIDE, DecisionVerb.SKIP})
"""What lets work go on."""


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """What a person wants to decide."""

    verb: DecisionVerb
    handoff: str
    phase: str | None = None
    reason: str | None = ""
    """Nothing where it is given later, by `complete_decision`."""
    comments: tuple[Comment, ...] = ()
    viewed: tuple[str, ...] = ()
    key_file: Path | None = None
    """Sign with this key instead of the one in the user's configuration."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Exactly what will be signed, for showing."""

    verb: DecisionVerb
    reason: str | None
    """Nothing while it is still to be given; then it cannot be signed."""
    examined: Examined
    signing: Signing
    record: ReviewRecord
    regards: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def review(self) -> str:
        """The digest of the record, to which the decision is bound."""
        return hashlib.sha256(encode_review(self.record)).hexdigest()


def parse_verb(word: str) -> DecisionVerb:
    return DecisionVerb(word)


def parse_reason(verb: DecisionVerb, text: str) -> str:
    """The reason as the log can hold it; what it cannot hold is said before anything else is done."""
    reason = text.replace("\r\n", "\n").strip()
    if not reason and verb not in NEEDS_NO_REASON:
        raise UsageError(f"{verb} needs a reason", "Give it with --reason.")
    if len(reason) > MAX_REASON:
        raise UsageError(
            f"the reason has {len(reason):,} characters; the log holds {MAX_REASON:,}",
            "Say the rest in a file of remarks: --comments.",
        )
    if has_control(reason) or any("\ud800" <= one <= "\udfff" for one in reason):
        raise UsageError(
            "the reason has characters in it that are no text (a tab, an escape, broken UTF-8)",
            "Write it with letters, spaces and line ends only.",
        )
    return reason


def prepare_decision(
    desk: Desk,
    log: OpenLog,
    request: DecideRequest,
    telling: Telling | None = None,
    earlier: Examined | None = None,
) -> Prepared:
    """Re-runs the blocking checks fresh, captures, and refuses what the gate's rules forbid.

    `earlier` is as `examine` takes it.
    """
    reason = None if request.reason is None else parse_reason(request.verb, request.reason)
    policy = require_policy(log.verify())
    signing = find_signing(desk, policy, request.key_file)
    _refuse_machine(policy, signing)
    examined = examine(desk, log, request.handoff, request.phase, fresh=True, telling=telling, earlier=earlier)
    _refuse_forbidden(examined, request.verb, signing.principal)
    regards = find_regards(examined.index, examined.target, request.verb, signing.principal)
    record = build_record(examined, request.comments, request.viewed, overrides=request.verb is DecisionVerb.OVERRIDE)
    warnings = _list_warnings(examined, request.verb, signing.principal)
    return Prepared(request.verb, reason, examined, signing, record, regards, warnings)


def complete_decision(
    prepared: Prepared,
    reason: str,
    comments: tuple[Comment, ...] | None = None,
    viewed: tuple[str, ...] | None = None,
) -> Prepared:
    """The same decision with its reason, and with other remarks and read files where they are given."""
    record = add_remarks(
        prepared.record,
        prepared.record.comments if comments is None else comments,
        prepared.record.viewed if viewed is None else viewed,
    )
    return replace(prepared, reason=parse_reason(prepared.verb, reason), record=record)


def sign_decision(log: OpenLog, prepared: Prepared) -> Entry:
    """Signs and stores what was shown, if all of it still holds; that is asked under the lock."""
    if prepared.reason is None:
        raise ValueError("a decision was to be signed before its reason was given")
    root = prepared.examined.desk.repository.root
    decision = Decision(verb=prepared.verb, reason=prepared.reason, regards=prepared.regards, review=prepared.review)

    def check(parents: Parents) -> None:
        refuse_moved(prepared.examined)
        _refuse_outrun(prepared, parents)

    def build(parents: Parents) -> Draft:
        check(parents)
        write_snapshot(root, prepared.examined.snapshot)
        write_review(root, prepared.record)
        work = prepared.examined.target.build_work(parents.verdict.policy)
        actor = prepared.signing.principal
        return Draft(build_payload(parents.build_entry(EntryKind.DECISION, actor, work=work, decision=decision)))

    signing = prepared.signing
    return log.journal.append(build, signing.tool, check_again=check if signing.waits else None).entry


def require_policy(verdict: LogVerdict) -> Policy:
    """The policy in force; a log that is not there, or is not sound, lets nobody add to it."""
    if verdict.fatal:
        first = next(problem for problem in verdict.problems if problem.level is ProblemLevel.FATAL)
        raise LogBrokenError(
            f"the log is not sound, so nothing can be added to it: {first.text}",
            "handoff-tui log verify shows everything that is wrong.",
        )
    policy = find_policy(verdict)
    if policy is None:
        raise NoHumanError("there is no signed log yet, so nobody may decide", "Run handoff-tui init.")
    return policy


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


def _refuse_forbidden(examined: Examined, verb: DecisionVerb, principal: str) -> None:
    target = examined.target
    if examined.policy is not None and examined.policy.find_gate(target.phase) is None:
        raise DecisionForbiddenError(
            f"the policy has no gate for {target.phase} and none for all phases",
            "handoff-tui policy show lists the gates; name a phase with --phase.",
        )
    if verb in PASSING and principal in target.producers:
        raise DecisionForbiddenError(
            f"{principal} had a hand in this work, and nobody approves their own",
            "Another reviewer decides. Agents should commit under their own name, not under yours.",
        )
    if verb in BINDING and target.failing:
        shown = ", ".join(target.failing[:3]) + (" …" if len(target.failing) > 3 else "")  # noqa: PLR2004 - a few names
        number = len(target.failing)
        words = "1 blocking check does not pass" if number == 1 else f"{number} blocking checks do not pass"
        raise DecisionForbiddenError(
            f"{words}: {shown}",
            "Reject it, or have it tried again; `override --reason …` goes over them and stays visible as a debt.",
        )


def _list_warnings(examined: Examined, verb: DecisionVerb, principal: str) -> tuple[str, ...]:
    """What a person must know before they sign, and what nothing forbids."""
    warnings: list[str] = []
    if examined.uncommitted:
        warnings.append("there is uncommitted work: the snapshot holds it, the commit does not")
    if examined.baseline.snapshot is None and examined.baseline.commit is not None:
        warnings.append("the baseline is a commit without a snapshot: only files were compared")
    current = {one.entry for one in examined.gate.approvals if not one.why}
    again = [vote for vote in list_own(examined.index, examined.target, principal) if vote.entry.id in current]
    if any(vote.decision.verb is verb for vote in again):
        warnings.append(f"you have decided {verb} on exactly this before")
    return tuple(warnings)


def _refuse_outrun(prepared: Prepared, parents: Parents) -> None:
    """The first decision wins; who comes second is told what the first one was."""
    target = prepared.examined.target
    for vote in build_log_index(parents.verdict).votes_at.get((target.handoff, target.phase), ()):
        if vote.entry.id not in prepared.examined.index.votes:
            because = f", because {vote.decision.reason}" if vote.decision.reason else ""
            raise DecisionForbiddenError(
                f"{vote.entry.actor} decided first: {vote.decision.verb} on attempt {vote.work.attempt}{because}",
                "Nothing was signed. Look again, then decide.",
            )
    if parents.verdict.policy != prepared.examined.index.verdict.policy:
        raise DecisionForbiddenError("the policy has changed since this was shown", "Nothing was signed. Look again.")
