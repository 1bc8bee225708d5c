"""The trust of a repository, to be looked at: policies in force in words, keys, history, drift. Writes nothing."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.core.errors import LogMissingError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.open_log import find_pin, open_log
from handoff_tui.log.policy.change import compare_policies, describe_first, describe_gate
from handoff_tui.log.policy.frontier import PolicyFrontier
from handoff_tui.log.policy.history import build_frontier, find_signed_by
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.reports import GateRuleView, KeyState, KeyView, PolicyReport, PolicyStep, PolicyView
from handoff_tui.log.policy.sense import find_deciders, find_faults, find_warnings
from handoff_tui.log.policy.signers import Signer, build_line
from handoff_tui.log.record import Entry, LogVerdict, ProblemLevel
from handoff_tui.system.clock import read_now

_SHOWN_NOTES = frozenset({"trust-drift"})


def show_policy(start: Path) -> PolicyReport:
    """Who may do what here, by the log and by nothing else."""
    repository = open_repository(start)
    verdict = open_log(repository).verify()
    refuse_no_log(verdict)
    frontier = build_frontier(verdict)
    tips = frontier.find_tips()
    now = build_time(read_now())
    entries = {entry.id: entry for entry in verdict.entries}
    return PolicyReport(
        repo=str(repository.root),
        log=verdict.log,
        pinned=find_pin(repository) is not None,
        policies=tuple(build_view(entries[tip], frontier.policies[tip], now) for tip in tips),
        history=tuple(_build_step(entry, frontier, tips) for entry in verdict.entries if entry.policy is not None),
        problems=tuple(
            problem
            for problem in verdict.problems
            if problem.level is ProblemLevel.FATAL or problem.code in _SHOWN_NOTES
        ),
    )


def refuse_no_log(verdict: LogVerdict) -> None:
    if not verdict.entries and not verdict.fatal:
        raise LogMissingError("there is no signed log here", "`handoff-tui init` begins one.")


def build_view(entry: Entry, policy: Policy, now: str) -> PolicyView:
    return PolicyView(
        id=entry.id,
        version=policy.version,
        time=entry.time,
        root=tuple(sorted(policy.root)),
        root_threshold=policy.root_threshold,
        reviewers=tuple(sorted(policy.reviewers)),
        agents=tuple(sorted(policy.agents)),
        roles={role: tuple(sorted(people)) for role, people in sorted(policy.roles.items())},
        gates=tuple(_build_gate(phase, policy, now) for phase in sorted(policy.gates)),
        keys=tuple(_build_key(signer, policy, now) for signer in policy.signers.values()),
        warnings=(*find_faults(policy, now), *find_warnings(policy)),
    )


def _build_gate(phase: str, policy: Policy, now: str) -> GateRuleView:
    rule = policy.gates[phase]
    return GateRuleView(
        phase=phase,
        words=describe_gate(rule),
        people=tuple(sorted(find_deciders(policy, rule, now))),
        threshold=rule.threshold,
        require=None if rule.require is None else str(rule.require),
        max_age_days=rule.max_age_days,
        require_user_presence=rule.require_user_presence,
        require_signed_submission=rule.require_signed_submission,
    )


def _build_key(signer: Signer, policy: Policy, now: str) -> KeyView:
    expired = signer.valid_before is not None and signer.valid_before < now
    state = KeyState.VALID if signer.covers(now) else KeyState.EXPIRED if expired else KeyState.NOT_YET
    return KeyView(
        principal=signer.principal,
        keyid=signer.keyid,
        type=signer.key.partition(" ")[0],
        roles=tuple(sorted(role for role, people in policy.roles.items() if signer.principal in people)),
        state=state,
        valid_after=signer.valid_after,
        valid_before=signer.valid_before,
        line=build_line(
            signer.principal, signer.key, valid_after=signer.valid_after, valid_before=signer.valid_before
        ).rstrip("\n"),
    )


def _build_step(entry: Entry, frontier: PolicyFrontier, tips: list[str]) -> PolicyStep:
    policy = frontier.policies[entry.id]
    before = [frontier.policies[one] for one in sorted(frontier.before[entry.id])]
    changes = describe_first(policy) if not before else compare_all(before, policy)
    return PolicyStep(
        id=entry.id,
        version=policy.version,
        time=entry.time,
        actor=entry.actor,
        signed_by=find_signed_by(entry, [*before, policy]),
        changes=changes,
        in_force=entry.id in tips,
    )


def compare_all(before: list[Policy], policy: Policy) -> tuple[str, ...]:
    """What a policy changes; one that settles a fork is compared with each side."""
    if len(before) == 1:
        return compare_policies(before[0], policy)
    return tuple(
        f"against side {number} of the fork: {change}"
        for number, side in enumerate(before, start=1)
        for change in compare_policies(side, policy) or ("nothing",)
    )
