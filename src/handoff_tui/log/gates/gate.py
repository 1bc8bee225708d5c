"""Judges whether work can go on: the decisions of the log against what is here now. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection

from handoff_tui.core.classes import dataclass, field
from handoff_tui.log.entries.times import add_seconds
from handoff_tui.log.entry import (
    APPROVING,
    NO_BASELINE,
    PASSING,
    VETOES,
    DecisionVerb,
    EntryKind,
    GateKey,
    Subject,
    Work,
    name_decision,
)
from handoff_tui.log.gates.gate_state import UNCOVERED, Approval, GateName, GateReport
from handoff_tui.log.index import DecisionEntry, LogIndex
from handoff_tui.log.policy.policy import GateRule, Policy, is_met, is_solo

_VETOES = {DecisionVerb.REJECT: GateName.REJECTED, DecisionVerb.RETRY: GateName.RETRY, DecisionVerb.HOLD: GateName.HELD}
_OUTCOMES = (
    (APPROVING, GateName.APPROVED),
    (APPROVING | {DecisionVerb.OVERRIDE}, GateName.OVERRIDDEN),
    (PASSING, GateName.SKIPPED),
)
_DAY_SECONDS = 86_400
NOT_COMPARED = ""
"""Stands for a digest that was not computed, and so is not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateQuestion:
    """The work that a gate is asked about, computed from what is here now."""

    key: GateKey
    subject: Subject
    producers: frozenset[str]
    now: str
    whole_handoff: str = NOT_COMPARED
    """The digest of the handoff as entries of the first version bind it."""
    edited: bool = False
    """Whether files of the handoff differ from what is committed."""
    name_changes: Callable[[Work], str] = lambda _: "its files"
    """Names the files that differ from those an entry binds."""
    name_uncovered: Callable[[], str] = lambda: ""
    """Says which files of others nobody has approved; empty if there are none. Asked only where the gate needs it."""
    has_review: Callable[[DecisionEntry], bool] = lambda _: True
    """Whether the review record that a decision names is stored. Asked only of decisions that would count."""
    find_failure: Callable[[DecisionEntry], str] = lambda _: ""
    """Says which check that an approval rests on fails now. Asked only of approvals that would count otherwise."""
    failing: tuple[str, ...] = ()
    """Blocking checks that do not pass. They keep a person from approving; the record stands without them."""

    def build_work(self, policy: str | None, further: Collection[str] = ()) -> Work:
        """Builds the work of an entry under a policy; `further` are producers by the entry itself."""
        return Work(
            **self.key._asdict(),
            producers=tuple(sorted({*self.producers, *further})),
            policy=policy or "",
            subject=self.subject.model_copy(update={"baseline": NO_BASELINE}),
        )


@dataclass(frozen=True, slots=True)
class _JudgedDecision:
    """A decision, and why it may not count."""

    made: DecisionEntry
    stale: str
    expired: bool
    objection: str

    @property
    def verb(self) -> DecisionVerb:
        return self.made.decision.verb

    @property
    def actor(self) -> str:
        return self.made.entry.actor

    @property
    def current(self) -> bool:
        return not self.stale and not self.expired

    @property
    def counted(self) -> bool:
        return self.verb in PASSING and self.current and not self.objection

    def is_solo(self, index: LogIndex) -> bool:
        policy = index.entries.get(self.made.work.policy)
        return is_solo(self.made.entry, policy.policy if policy is not None else None)


@dataclass(slots=True)
class _Gate:
    index: LogIndex
    policy: Policy
    rule: GateRule
    question: GateQuestion
    judged: list[_JudgedDecision] = field(default_factory=list)

    def judge(self) -> tuple[GateName, tuple[str, ...]]:
        self.judged = [self._judge(made) for made in self.index.find_last_decisions(*self.question.key.place)]
        for verb, state in _VETOES.items():
            against = [one for one in self.judged if one.verb is verb and one.current]
            if against:
                return state, tuple(f"{one.actor}: {one.made.decision.reason}" for one in against)
        if self.rule.require_signed_submission and not self._is_submitted():
            return GateName.BLOCKED, ("this gate needs a signed submission of exactly this work; there is none",)
        uncovered = self.question.name_uncovered() if self.rule.require_coverage else ""
        if uncovered:
            return GateName.BLOCKED, (f"{UNCOVERED}{uncovered}",)
        for verbs, state in _OUTCOMES:
            people = frozenset(one.actor for one in self.judged if one.counted and one.verb in verbs)
            if self._is_enough(people):
                return state, (f"decided by {', '.join(map(self._name, sorted(people)))}",)
        return self._explain_open()

    def _name(self, person: str) -> str:
        """Names a person, and says if they decided on work under their own name."""
        is_own = any(one.counted and one.actor == person and one.is_solo(self.index) for one in self.judged)
        return f"{person} (solo)" if is_own else person

    def _is_enough(self, people: frozenset[str]) -> bool:
        asked = self.rule.require
        return len(people) >= self.rule.threshold and (asked is None or is_met(asked, people, self.policy.roles))

    def _judge(self, made: DecisionEntry) -> _JudgedDecision:
        days = self.rule.max_age_days
        expired = days is not None and add_seconds(made.entry.time, days * _DAY_SECONDS) < self.question.now
        objection = self._find_objection(made) if made.decision.verb in PASSING else ""
        if made.decision.verb in VETOES:  # it stands until the agent hands over again
            return _JudgedDecision(made, _find_other_attempt(made.work, self.question), expired, objection)
        stale = find_change(made.work, self.question, self.rule)
        if made.decision.verb in PASSING and not (stale or expired or objection or self._has_review(made)):
            objection = "the review record of this decision is stored nowhere, so nothing shows what was reviewed"
        if made.decision.verb in APPROVING and not (stale or expired or objection):
            stale = self.question.find_failure(made)
        return _JudgedDecision(made, stale, expired, objection)

    def _has_review(self, made: DecisionEntry) -> bool:
        """Entries of the first version did not have to come with one."""
        return made.entry.kind is not EntryKind.SCOPED_DECISION or self.question.has_review(made)

    def _find_objection(self, made: DecisionEntry) -> str:
        """Says why a decision that would open the gate is not counted."""
        actor = made.entry.actor
        if not self.policy.may_decide(actor):
            return f"{actor} is no longer a reviewer"
        if actor in self.question.producers and not self.policy.may_approve_own(actor):
            return f"{actor} made this work, and nobody approves their own"
        if actor in self.index.find_submitters(self.question.key) and not self.policy.may_approve_own(actor):
            return f"{actor} submitted this work, and nobody approves their own"
        if self.rule.require_user_presence and made.entry.id not in self.index.verdict.touched:
            return "this gate needs a key that was touched"
        if made.decision.verb is DecisionVerb.CARRY and not _carries_approval(made, self.index):
            return "it carries over no approval by the same person of the same files"
        return ""

    def _is_submitted(self) -> bool:
        submitted = self.index.find_submissions(*self.question.key.place)
        return any(
            self.policy.may_submit(one.entry.actor) and not find_change(one.work, self.question, self.rule)
            for one in submitted
        )

    def _explain_open(self) -> tuple[GateName, tuple[str, ...]]:
        """Says what is missing at a gate that is not open although nobody is against it."""
        counted = sorted({one.actor for one in self.judged if one.counted})
        rule = self.rule
        among = f", among them {rule.require}" if rule.require else ""
        why = [f"{len(counted)} of {rule.threshold} approvals{among}"]
        resembled = self.policy.find_resembled(self.question.key.phase)
        if resembled:
            why.append(
                f'the phase "{self.question.key.phase}" could be taken for {" and ".join(resembled)}, '
                f"so it meets the strictest of these gates"
            )
        why += [f"{one.actor}: {one.objection}" for one in self.judged if one.current and one.objection]
        passing = [one for one in self.judged if one.verb in PASSING]
        why += [f"{one.actor}'s {name_decision(one.verb)} is superseded: {one.stale}" for one in passing if one.stale]
        why += [
            f"{one.actor}'s {name_decision(one.verb)} is too old" for one in passing if one.expired and not one.stale
        ]
        if counted:
            return GateName.PENDING, tuple(why)
        if any(one.stale for one in passing):
            return GateName.SUPERSEDED, tuple(why)
        if any(one.expired for one in passing):
            return GateName.EXPIRED, tuple(why)
        if any(one.verb is DecisionVerb.WITHDRAW and one.current for one in self.judged):
            return GateName.WITHDRAWN, tuple(why)
        return GateName.PENDING, tuple(why)


def judge_gate(index: LogIndex, policy: Policy | None, question: GateQuestion) -> GateReport:
    """Judges one gate: its state, and why."""
    fatal = tuple(f"the log is not intact: {text}" for text in index.fatal_texts)
    if fatal:
        return _build_report(index, question, GateName.BLOCKED, fatal)
    if policy is None:
        return _build_report(index, question, GateName.PENDING, ("there is no signed log yet; run handoff-tui init",))
    rule = policy.find_gate(question.key.phase)
    if rule is None:
        missing = f"the policy has no gate for {question.key.phase} and none for all phases"
        return _build_report(index, question, GateName.BLOCKED, (missing,))
    gate = _Gate(index, policy, rule, question)
    state, why = gate.judge()
    return _build_report(index, question, state, why, gate)


def find_change(work: Work, question: GateQuestion, rule: GateRule) -> str:
    """Says in words what has changed since an entry was made; empty if nothing it binds has."""
    then, now = work.subject, question.subject
    other = _find_other_attempt(work, question)
    if other:
        is_known = then.scope and now.scope not in {NOT_COMPARED, then.scope}
        return f"{other}, with changes in {question.name_changes(work)}" if is_known else other
    changed = []
    if not then.scope:  # an entry of the first version binds the tree
        if then.tree != now.tree or question.edited:
            changed.append("the files")
        if question.whole_handoff not in {NOT_COMPARED, then.handoff}:
            changed.append("the handoff")
        return f"{', '.join(changed)} changed since" if changed else ""
    if then.scope != now.scope:
        changed.append(question.name_changes(work))
    if then.handoff != now.handoff:
        changed.append("the handoff")
    if rule.binds_tree and then.tree != now.tree:
        changed.append("other files of the repository")
    return f"{', '.join(changed)} changed since" if changed else ""


def bound_files(work: Work) -> str:
    """The digest of the files that an entry binds: of the scope, or of the tree in entries of the first version."""
    return work.subject.scope or work.subject.tree


def _find_other_attempt(work: Work, question: GateQuestion) -> str:
    if work.attempt == question.key.attempt:
        return ""
    return f"it was about attempt {work.attempt}; this is attempt {question.key.attempt}"


def _carries_approval(made: DecisionEntry, index: LogIndex) -> bool:
    """Whether a carried decision goes back to an approval by the same person of the same files."""
    carried = (made.work.key, bound_files(made.work))
    seen = {made.entry.id}
    waiting = list(made.decision.regards)
    while waiting:
        former = index.decisions.get(waiting.pop())
        if former is None or former.entry.id in seen or index.is_void(former.entry.id):
            continue
        seen.add(former.entry.id)
        if former.entry.actor != made.entry.actor or (former.work.key, bound_files(former.work)) != carried:
            continue
        if former.decision.verb is DecisionVerb.APPROVE:
            return True
        if former.decision.verb is DecisionVerb.CARRY:
            waiting += former.decision.regards
    return False


def _build_report(
    index: LogIndex, question: GateQuestion, state: GateName, why: tuple[str, ...], gate: _Gate | None = None
) -> GateReport:
    rule = gate.rule if gate else GateRule()
    approvals = [
        Approval(
            entry=one.made.entry.id,
            principal=one.actor,
            verb=one.verb,
            time=one.made.entry.time,
            counted=one.counted,
            why=one.stale or ("it is too old" if one.expired else one.objection),
            solo=one.is_solo(index),
        )
        for one in (gate.judged if gate else ())
    ]
    return GateReport(
        **question.key._asdict(),
        state=state,
        why=why,
        threshold=rule.threshold,
        requirement=str(rule.require) if rule.require else None,
        approvals=tuple(approvals),
        debts=index.debts_by_handoff.get(question.key.handoff, ()),
        policy=index.verdict.policy,
    )
