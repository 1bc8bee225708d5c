"""Whether a past decision would count under the trust policy of today. Pure."""

from __future__ import annotations

from handoff_tui.history.metrics.rounds import PASSING
from handoff_tui.history.replay.report import Answer, Question, Standing
from handoff_tui.log.gates.gate import Target, find_change, judge_gate
from handoff_tui.log.index import LogIndex, Vote
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.requirement import is_met


def judge_people(index: LogIndex, policy: Policy | None, vote: Vote) -> Answer:
    """The decision as the gate saw it when it was made, by the people and rules of today."""
    if index.is_void(vote.entry.id):
        return _build(Standing.FAILS, f"it counts for nothing: {index.verdict.void[vote.entry.id]}")
    rule = None if policy is None else policy.find_gate(vote.work.phase)
    if policy is None or rule is None:
        return _build(Standing.UNKNOWN, f"the policy has no gate for {vote.work.phase} any more")
    objection = _find_objection(index, policy, vote)
    if objection is not None:
        return _build(Standing.FAILS, objection)
    if rule.require_signed_submission and not _is_submitted(index, policy, vote):
        return _build(Standing.FAILS, "the gate asks for a signed submission of this very work today; there was none")
    people = frozenset(
        other.entry.actor
        for other in _list_same(index, vote)
        if other is vote or _find_objection(index, policy, other) is None
    )
    if len(people) < rule.threshold or (rule.require is not None and not is_met(rule.require, people, policy.roles)):
        asked = f"{rule.threshold} needed" + (f", among them {rule.require}" if rule.require is not None else "")
        return _build(Standing.FAILS, f"{len(people)} decided so on these files, {asked} today")
    return _build(Standing.HOLDS, f"{', '.join(sorted(people))} would count today")


def _find_objection(index: LogIndex, policy: Policy, vote: Vote) -> str | None:
    """Why the vote would not count; nothing where it would."""
    report = judge_gate(_build_index_then(index, vote), policy, _build_target(vote))
    own = next((one for one in report.approvals if one.entry == vote.entry.id), None)
    if own is None:
        return "the same person had already said something else"
    return None if own.counted else own.why or "it is not counted"


def _list_same(index: LogIndex, vote: Vote) -> list[Vote]:
    """Every decision that let exactly these files pass, earlier or later, and was not taken back."""
    place = (vote.work.handoff, vote.work.phase)
    withdrawn = index.find_withdrawn(place)
    return [
        other
        for other in index.votes_at.get(place, ())
        if other.decision.verb in PASSING
        and other.work.attempt == vote.work.attempt
        and other.work.subject.tree == vote.work.subject.tree
        and not index.is_void(other.entry.id)
        and other.entry.id not in withdrawn
    ]


def _is_submitted(index: LogIndex, policy: Policy, vote: Vote) -> bool:
    target = _build_target(vote)
    made = (
        one
        for one in index.find_submissions(vote.work.handoff, vote.work.phase)
        if one.entry.seq < vote.entry.seq and policy.may_submit(one.entry.actor)
    )
    return any(not find_change(one.work, target) for one in made)


def _build_index_then(index: LogIndex, vote: Vote) -> LogIndex:
    """The log up to the vote, as far as this gate is concerned."""
    place = (vote.work.handoff, vote.work.phase)
    seq = vote.entry.seq
    votes = tuple(
        other for other in index.votes_at.get(place, ()) if other.entry.seq < seq or other.entry.id == vote.entry.id
    )
    made = tuple(one for one in index.submissions_at.get(place, ()) if one.entry.seq < seq)
    return LogIndex(
        verdict=index.verdict,
        entries=index.entries,
        votes={other.entry.id: other for other in votes},
        votes_at={place: votes},
        submissions_at={place: made},
    )


def _build_target(vote: Vote) -> Target:
    """Exactly what the vote is bound to, at its own time: nothing of it is stale or too old."""
    return Target(
        handoff=vote.work.handoff,
        phase=vote.work.phase,
        attempt=vote.work.attempt,
        subject=vote.work.subject,
        producers=frozenset(vote.work.producers),
        now=vote.entry.time,
        is_ancestor=lambda _: True,
    )


def _build(standing: Standing, summary: str) -> Answer:
    return Answer(question=Question.PEOPLE, standing=standing, summary=summary)
