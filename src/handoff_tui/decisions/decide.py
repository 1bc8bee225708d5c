"""A decision: prepared on fresh results, shown, confirmed, signed, and added to the log.

`prepare_decision` computes everything that will be signed and refuses what the rules forbid. A person then looks and
confirms. `sign_decision` refuses if anything has changed since it was shown. If the person writes the reason while
looking, `complete_decision` comes in between.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from handoff_tui.changes.snapshots.snapshot import write_snapshot
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.checks.run.guards import list_weakened
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.classes import dataclass, replace
from handoff_tui.core.errors import DecisionForbiddenError, LogBrokenError, NoHumanError, UsageError
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.decisions.evidence_record import build_record
from handoff_tui.decisions.examine import (
    ExaminedGate,
    ExamineOptions,
    FrozenWork,
    build_gate_view,
    examine,
    refuse_changed,
)
from handoff_tui.decisions.threads import list_threads, refuse_unknown_threads
from handoff_tui.decisions.views import DecisionView
from handoff_tui.git.signing.key_grade import KeyGrade, grade_key, list_signer_notes
from handoff_tui.git.work_tree.unseen import find_converted, find_locally_excluded, find_uninspected
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entries.fields import MAX_REASON, has_control
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import (
    APPROVING,
    CLOSING,
    PASSING,
    Decision,
    DecisionVerb,
    Entry,
    EntryKind,
    GateKey,
    LogVerdict,
)
from handoff_tui.log.gates.gate import GateQuestion, bound_files, find_change
from handoff_tui.log.index import DecisionEntry, LogIndex, build_log_index
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import OpenLog, find_policy
from handoff_tui.log.person import Confirmation
from handoff_tui.log.policy.policy import Policy, find_rule
from handoff_tui.log.policy.signer import Signing, find_signing
from handoff_tui.log.review_record import Comment, ReviewRecord
from handoff_tui.log.storage.evidence import encode_review, write_review


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """What a person wants to decide."""

    verb: DecisionVerb
    handoff: str
    phase: str | None = None
    reason: str | None = ""
    """None if it is given later, by `complete_decision`."""
    comments: tuple[Comment, ...] = ()
    viewed: tuple[str, ...] = ()
    confirmed: Confirmation | None = None
    """How it will be confirmed; the record says so."""
    key_file: Path | None = None
    """Sign with this key instead of the one in the user's configuration."""


@dataclass(frozen=True, slots=True)
class PreparedDecision:
    """Exactly what will be signed, for showing."""

    verb: DecisionVerb
    reason: str | None
    """None while it is still to be given; until then it cannot be signed."""
    examined: ExaminedGate
    signing: Signing
    record: ReviewRecord
    referenced_entries: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    key_grade: KeyGrade = KeyGrade.UNKNOWN

    @property
    def review(self) -> str:
        """The digest of the review record, which the decision is bound to."""
        return hashlib.sha256(encode_review(self.record)).hexdigest()


def parse_verb(word: str) -> DecisionVerb:
    return DecisionVerb(word)


def parse_reason(verb: DecisionVerb, text: str) -> str:
    """Returns the reason as the log can hold it, or says why it cannot, before anything else is done."""
    reason = text.replace("\r\n", "\n").strip()
    if not reason and verb not in APPROVING:
        raise UsageError(f"{verb} needs a reason", "Give it with --reason.")
    if len(reason) > MAX_REASON:
        raise UsageError(
            f"the reason has {len(reason):,} characters; the log holds {MAX_REASON:,}",
            "Put the rest in a file of comments: --comments.",
        )
    if has_control(reason) or any("\ud800" <= character <= "\udfff" for character in reason):
        raise UsageError(
            "the reason contains characters that aren't text (a tab, an escape, broken UTF-8)",
            "Use letters, spaces and line ends only.",
        )
    return reason


def prepare_decision(
    session: Session,
    log: OpenLog,
    request: DecideRequest,
    telling: ProgressCallbacks | None = None,
    earlier: ExaminedGate | None = None,
    frozen: FrozenWork | None = None,
) -> PreparedDecision:
    """Runs the blocking checks again, captures the work, and refuses what the gate's rules forbid.

    `earlier` and `frozen` are as in `ExamineOptions`.
    """
    reason = None if request.reason is None else parse_reason(request.verb, request.reason)
    policy = require_policy(log.verify())
    signing = find_signing(session, policy, request.key_file)
    _refuse_machine(policy, signing)
    options = ExamineOptions(fresh=True, earlier=earlier, frozen=frozen, moving=request.verb in CLOSING)
    examined = examine(session, log, request.handoff, request.phase, options, telling)
    _refuse_forbidden(examined, request.verb, signing.principal)
    if request.confirmed is Confirmation.HEADLESS:
        _refuse_headless(examined, signing.principal)
    if any(comment.thread for comment in request.comments):
        refuse_unknown_threads(
            request.comments, list_threads(session, examined.index, examined.key.place, examined.work_tree)
        )
    referenced = find_referenced_entries(examined.index, examined.policy, examined, request.verb, signing.principal)
    record = build_record(examined, request.comments, request.viewed, request.verb)
    record = record.model_copy(update={"confirmed": request.confirmed})
    warnings = (
        *_list_warnings(examined, request.verb, signing.principal),
        *list_signer_notes(signing.key, session.repository.git),
    )
    grade = grade_key(signing.key)
    return PreparedDecision(request.verb, reason, examined, signing, record, referenced, warnings, grade)


def complete_decision(prepared: PreparedDecision, reason: str) -> PreparedDecision:
    """Adds the reason."""
    return replace(prepared, reason=parse_reason(prepared.verb, reason))


def sign_decision(log: OpenLog, prepared: PreparedDecision) -> Entry:
    """Signs and stores what was shown, if all of it still holds; that is checked under the lock."""
    if prepared.reason is None:
        raise ValueError("a decision was to be signed before its reason was given")
    # an agent may have worked in a work tree of its own: evidence lies there, and beside its entry
    roots = {prepared.examined.session.repository.root, log.repository.root}
    decision = Decision(
        verb=prepared.verb, reason=prepared.reason, regards=prepared.referenced_entries, review=prepared.review
    )

    def check(parents: Parents) -> None:
        if prepared.verb not in CLOSING:
            refuse_changed(prepared.examined)
        _refuse_outrun(prepared.examined, parents)

    def build(parents: Parents) -> Draft:
        check(parents)
        for root in roots:
            write_snapshot(root, prepared.examined.snapshot)
            write_review(root, prepared.record)
        work = prepared.examined.build_work(parents.verdict.policy)
        actor = prepared.signing.principal
        return Draft(build_payload(parents.build_entry(EntryKind.SCOPED_DECISION, actor, work=work, decision=decision)))

    signing = prepared.signing
    return log.journal.append(build, signing.tool, check_again=check if signing.waits else None).entry


def build_decision_view(prepared: PreparedDecision) -> DecisionView:
    signing = prepared.signing
    return DecisionView(
        gate=build_gate_view(prepared.examined),
        verb=prepared.verb.value,
        reason=prepared.reason or "",
        referenced_entries=prepared.referenced_entries,
        record=prepared.record,
        review=prepared.review,
        principal=signing.principal,
        keyid=signing.keyid,
        key_source=signing.key.source.value,
        key_grade=prepared.key_grade,
        touch=signing.key.needs_touch,
        policy=prepared.examined.index.verdict.policy or "",
        unbound=len(prepared.examined.scope.unbound),
        notes=prepared.warnings,
    )


def require_policy(verdict: LogVerdict) -> Policy:
    """Returns the policy in force; nobody adds to a log that is missing or broken."""
    if verdict.fatal:
        raise LogBrokenError(
            f"the log is not intact, so nothing can be added to it: {verdict.fatal_problems[0].text}",
            "handoff-tui log verify shows everything that is wrong.",
        )
    policy = find_policy(verdict)
    if policy is None:
        raise NoHumanError("there is no signed log yet, so nobody can decide", "Run handoff-tui init.")
    return policy


def find_referenced_entries(
    index: LogIndex, policy: Policy | None, question: GateQuestion, verb: DecisionVerb, principal: str
) -> tuple[str, ...]:
    """The ids that go into `regards`, sorted; refuses a carry or withdrawal with nothing to carry or withdraw."""
    if verb is DecisionVerb.CARRY:
        return _find_carried(index, policy, question, principal)
    if verb is DecisionVerb.WITHDRAW:
        return _find_withdrawn(index, question.key, principal)
    if verb is DecisionVerb.APPROVE:
        debts = index.find_debts().items()
        return tuple(sorted(debt for debt, made in debts if made.work.key.place == question.key.place))
    return ()


def _list_own(index: LogIndex, key: GateKey, principal: str) -> list[DecisionEntry]:
    """A person's own last decisions at this gate."""
    return [made for made in index.find_last_decisions(*key.place) if made.entry.actor == principal]


def _find_carried(index: LogIndex, policy: Policy | None, question: GateQuestion, principal: str) -> tuple[str, ...]:
    own = [made for made in _list_own(index, question.key, principal) if made.decision.verb in APPROVING]
    rule = find_rule(policy, question.key.phase)
    if any(not find_change(made.work, question, rule) for made in own):
        raise DecisionForbiddenError(
            "your approval covers exactly this work, so there is nothing to carry over",
            "If it is too old, approve again.",
        )
    files = {question.subject.scope, question.subject.tree}
    carried = [
        made.entry.id for made in own if made.work.attempt == question.key.attempt and bound_files(made.work) in files
    ]
    if not carried:
        raise DecisionForbiddenError(
            "you have approved nothing with exactly these files, so there is nothing to carry over", "Approve instead."
        )
    return tuple(sorted(carried))


def _find_withdrawn(index: LogIndex, key: GateKey, principal: str) -> tuple[str, ...]:
    own = _list_own(index, key, principal)
    withdrawn = [made.entry.id for made in own if made.decision.verb is not DecisionVerb.WITHDRAW]
    if not withdrawn:
        raise DecisionForbiddenError(
            "you have no decision to withdraw here", "handoff-tui gate lists who decided what."
        )
    return tuple(sorted(withdrawn))


def _refuse_machine(policy: Policy, signing: Signing) -> None:
    if signing.principal in policy.agents:
        raise NoHumanError(
            f"{signing.principal} is an agent, and an agent never decides",
            "A reviewer decides, with a key of their own.",
        )
    if not policy.may_decide(signing.principal):
        raise DecisionForbiddenError(
            f"{signing.principal} has no role that decides", "handoff-tui policy show says who may."
        )


def _refuse_forbidden(examined: ExaminedGate, verb: DecisionVerb, principal: str) -> None:
    if examined.policy is not None and examined.policy.find_gate(examined.key.phase) is None:
        raise DecisionForbiddenError(
            f"the policy has no gate for {examined.key.phase} and none for all phases",
            "handoff-tui policy show lists the gates; name a phase with --phase.",
        )
    is_own = principal in examined.producers
    if verb in PASSING and is_own and not (examined.policy and examined.policy.may_approve_own(principal)):
        raise DecisionForbiddenError(
            f"{principal} had a hand in this work, and nobody approves their own",
            "Another reviewer decides. Agents should commit under their own name, not under yours.",
        )
    if verb in APPROVING and examined.failing:
        failing = examined.failing
        shown = ", ".join(failing[:3]) + (" …" if len(failing) > 3 else "")  # noqa: PLR2004 - a few names
        verb_form = "does" if len(failing) == 1 else "do"
        raise DecisionForbiddenError(
            f"{plural(len(failing), 'blocking check')} {verb_form} not pass: {shown}",
            "Reject it, or ask for another attempt. `override --reason …` overrides them; "
            "the override stays on record until an approval settles it.",
        )


def _refuse_headless(examined: ExaminedGate, principal: str) -> None:
    rule = examined.policy.find_gate(examined.key.phase) if examined.policy else None
    if rule is None or principal not in rule.headless:
        raise NoHumanError(
            f"the signed policy does not let {principal} decide without a terminal at the gate of {examined.key.phase}",
            f'Decide at a terminal. Where no person can be, the policy allows it: headless = ["{principal}"] below '
            f'[gates."{examined.key.phase}"], changed with `handoff-tui policy propose`.',
        )


_MOST_NAMED = 5


def _list_warnings(examined: ExaminedGate, verb: DecisionVerb, principal: str) -> tuple[str, ...]:
    """What a person must know before they sign, although nothing forbids it."""
    warnings: list[str] = []
    if examined.uncommitted:
        warnings.append("includes uncommitted changes")
    if examined.baseline.snapshot is None and examined.baseline.commit is not None:
        warnings.append("the baseline is a commit without a snapshot: only files were compared")
    if examined.guards.held_back:
        warnings.append(
            f"{REPOSITORY_FILE} is not as it was before this work; the checks ran with the settings from before it"
        )
    weakened = list_weakened(examined.guards.session.loaded)
    if weakened:
        warnings.append(f"your own settings make checks weaker: {'; '.join(weakened)}")
    warnings += _list_unseen(examined.session)
    current = {approval.entry for approval in examined.gate.approvals if not approval.why}
    own = _list_own(examined.index, examined.key, principal)
    if any(made.decision.verb is verb and made.entry.id in current for made in own):
        warnings.append(f"you have already decided {verb} on exactly this")
    return tuple(warnings)


def _list_unseen(session: Session) -> list[str]:
    """What is on this disk and in no diff."""
    repository, tree = session.repository, session.work_tree
    excluded = find_locally_excluded(repository, tree)
    converted = find_converted(repository, tree)
    others = find_uninspected(tree)
    told = (
        (excluded, "untracked file", "hidden by an exclude of this machine, so in no diff"),
        (converted, "file", "with other bytes on disk than git records, because of a filter or attribute"),
        (others, "repository", "inside this one, not looked into: uncommitted changes there are not seen"),
    )
    return [
        f"{plural(len(paths), noun)} {words}: {name_some(paths, _MOST_NAMED)}" for paths, noun, words in told if paths
    ]


def _refuse_outrun(examined: ExaminedGate, parents: Parents) -> None:
    """The first decision wins; the second person is told what the first one was."""
    for made in build_log_index(parents.verdict).list_decisions(*examined.key.place):
        if made.entry.id not in examined.index.decisions:
            because = f", because {made.decision.reason}" if made.decision.reason else ""
            raise DecisionForbiddenError(
                f"{made.entry.actor} decided first: {made.decision.verb} on attempt {made.work.attempt}{because}",
                "Nothing was signed. Look again, then decide.",
            )
    if parents.verdict.policy != examined.index.verdict.policy:
        raise DecisionForbiddenError("the policy has changed since this was shown", "Nothing was signed. Look again.")
