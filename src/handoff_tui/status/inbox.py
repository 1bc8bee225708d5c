"""The inbox of one repository: every handoff, who must act, since when, and what makes it risky."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.log.gates.gate_state import Mover
from handoff_tui.log.gates.position import find_phase
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, MeasuredGate, RiskFact, WorkSize, sort_inbox
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates
    from handoff_tui.log.policy.signer import LocalReviewer


class MeasuredWork(NamedTuple):
    """What was measured of one handoff's work against its baseline."""

    risks: tuple[RiskFact, ...] = ()
    size: WorkSize | None = None
    gate: MeasuredGate | None = None
    """What the checks of its gate say; None if they were not run."""


class InboxFacts(NamedTuple):
    """What an inbox needs besides the state."""

    reviewer: LocalReviewer
    changed: Mapping[str, datetime] = {}
    """When each document last changed, by path."""
    gates: LogGates | None = None
    nameless: frozenset[str] = frozenset()
    """Words used in place of a person's name, in lower case."""


def build_inbox_facts(
    session: Session, reviewer: LocalReviewer, changed: Mapping[str, datetime], gates: LogGates | None
) -> InboxFacts:
    """What an inbox needs; `changed` says when each document last changed."""
    nameless = frozenset(word.casefold() for word in session.loaded.settings.approvals.nameless_words)
    return InboxFacts(reviewer, changed, gates, nameless)


def read_change_times(session: Session, state: ReviewState) -> dict[str, datetime]:
    """When each document of each handoff last changed: by git, or by the disk for what is in no commit."""
    from handoff_tui.git.history.last_changes import read_commit_times, read_disk_times  # noqa: PLC0415 - for the app

    facts = state.repository
    paths = {document.path for one in state.handoffs for document in one.handoff.documents if ":" not in document.path}
    uncommitted = paths & {*facts.changed, *facts.untracked}
    git = session.repository.git
    times = read_commit_times(git, paths - uncommitted, shallow=facts.shallow) if facts.head else {}
    unseen = uncommitted if facts.shallow else paths - times.keys()
    return times | read_disk_times(session.repository.root, unseen)


def build_inbox(state: ReviewState, facts: InboxFacts) -> tuple[InboxItem, ...]:
    """One item for each handoff, sorted: waiting on me, risk, age."""
    root = state.repository.root
    name = Path(root).name or root
    decided = _find_log_times(facts.gates)
    return sort_inbox(
        _build_item(one, HandoffKey(root, one.handoff.id), name, facts, decided) for one in state.handoffs
    )


def add_measured(items: Iterable[InboxItem], root: str, measured: Mapping[str, MeasuredWork]) -> tuple[InboxItem, ...]:
    """The same items sorted again, those of one repository with what was measured, by handoff id."""
    return sort_inbox(
        item._replace(risks=found.risks, size=found.size, measured=found.gate or item.measured)
        if item.key.root == root and (found := measured.get(item.key.handoff)) is not None
        else item
        for item in items
    )


def _build_item(
    reviewed: ReviewedHandoff, key: HandoffKey, name: str, facts: InboxFacts, decided: Mapping[str, datetime]
) -> InboxItem:
    handoff = reviewed.handoff
    times = [facts.changed[one.path] for one in handoff.documents if one.path in facts.changed]
    if handoff.id in decided:
        times.append(decided[handoff.id])
    return InboxItem(
        key=key,
        repository=name,
        reviewed=reviewed,
        waits_on_me=_waits_on_me(reviewed, facts),
        phase=find_phase(handoff),
        since=max(times, default=None),
        search=_build_search(reviewed, name),
        refusal=_find_refusal(reviewed, facts),
        may_decide=facts.reviewer.may_decide,
    )


def _find_refusal(reviewed: ReviewedHandoff, facts: InboxFacts) -> str:
    """Why an approval would be refused, as far as the checks don't decide it."""
    reviewer, policy = facts.reviewer, facts.gates.policy if facts.gates is not None else None
    if reviewer.principal is None:
        return reviewer.note or "nobody can sign here"
    if not reviewer.may_decide:
        return reviewer.note
    phase = find_phase(reviewed.handoff)
    if policy is not None and policy.find_gate(phase) is None:
        return f"the policy has no gate for {phase}"
    return "you had a hand in this work, and nobody approves their own" if _is_mine(reviewed.handoff, facts) else ""


def _waits_on_me(reviewed: ReviewedHandoff, facts: InboxFacts) -> bool:
    move, reviewer = reviewed.gate.next_move, facts.reviewer
    if move.who is Mover.HUMAN:
        return move.name is None or move.name.casefold() in facts.nameless or reviewer.is_called(move.name)
    if move.who is not Mover.REVIEWER or not reviewer.may_decide:
        return False
    return not _is_mine(reviewed.handoff, facts) and not _has_my_approval(reviewed.handoff, facts)


def _is_mine(handoff: Handoff, facts: InboxFacts) -> bool:
    """Whether the reviewer produced it; nobody approves their own work, unless the policy is solo."""
    policy = facts.gates.policy if facts.gates is not None else None
    if policy is not None and facts.reviewer.principal and policy.may_approve_own(facts.reviewer.principal):
        return False
    if any(map(facts.reviewer.is_called, (*handoff.producers, handoff.source_agent))):
        return True
    if facts.gates is None:
        return False
    principal = facts.reviewer.principal
    if principal is not None and principal in facts.gates.ask(handoff).producers:
        return True
    submitted = facts.gates.index.find_submissions(handoff.id, find_phase(handoff))
    return any(facts.reviewer.is_called(one.entry.actor) for one in submitted)


def _has_my_approval(handoff: Handoff, facts: InboxFacts) -> bool:
    """Whether the reviewer already approved exactly this, and it now waits for others."""
    gates = facts.gates
    if gates is None or facts.reviewer.principal is None:
        return False
    votes = gates.index.find_last_decisions(handoff.id, find_phase(handoff))
    mine = [vote for vote in votes if vote.entry.actor == facts.reviewer.principal]
    if not any(vote.decision.verb.value == "approve" for vote in mine):
        return False
    counted = {one.entry for one in gates.judge(handoff).approvals if one.counted}
    return any(vote.entry.id in counted for vote in mine)


def _find_log_times(gates: LogGates | None) -> dict[str, datetime]:
    """The time of the last log entry about each handoff."""
    if gates is None:
        return {}
    newest: dict[str, str] = {}
    for entry in gates.index.verdict.entries:
        if entry.work is not None:
            newest[entry.work.handoff] = max(entry.time, newest.get(entry.work.handoff, ""))
    return {handoff: datetime.fromisoformat(time) for handoff, time in newest.items()}


def _build_search(reviewed: ReviewedHandoff, name: str) -> str:
    handoff, gate = reviewed.handoff, reviewed.gate
    words = (
        *(handoff.id, handoff.original_name, handoff.title, handoff.dialect, name, handoff.status),
        *(handoff.source_phase, handoff.target_phase, handoff.source_agent, handoff.target_agent),
        *(gate.state, gate.next_move.who, gate.next_move.name, gate.next_move.what),
    )
    return " ".join(word for word in words if word).casefold()
