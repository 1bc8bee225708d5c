"""Shows who may do what: policies in force in words, keys, history, drift. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from handoff_tui.core.errors import LogMissingError
from handoff_tui.core.text.labels import plural
from handoff_tui.git.repository import open_repository
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Entry, LogProblemLevel, LogVerdict
from handoff_tui.log.open_log import find_pin, open_log
from handoff_tui.log.policy.faults import find_deciders, find_faults, find_warnings
from handoff_tui.log.policy.frontier import PolicyFrontier, build_frontier, find_signed_by
from handoff_tui.log.policy.policy import GateRule, Policy
from handoff_tui.log.policy.reports import GateRuleView, KeyState, KeyView, PolicyReport, PolicyStep, PolicyView
from handoff_tui.log.policy.signers import Signer, build_line
from handoff_tui.system.clock import read_now

_ROLE_WORDS = {
    "root": ("may change the policy from now on", "may no longer change the policy"),
    "reviewer": ("may decide from now on", "may no longer decide"),
    "agent": ("may hand over work as an agent from now on", "may no longer hand over work as an agent"),
}
_SHOWN_NOTES = frozenset({"trust-drift"})


def describe_gate(rule: GateRule) -> tuple[str, ...]:
    """Says what a gate needs, one phrase each."""
    number = rule.threshold
    words = ["one person decides" if number == 1 else f"{number} different people decide"]
    if rule.require is not None:
        words.append(f"among them {rule.require}")
    if rule.max_age_days is not None:
        words.append(f"no more than {plural(rule.max_age_days, 'day')} ago")
    if rule.require_user_presence:
        words.append("with a key that was touched")
    if rule.require_signed_submission:
        words.append("on work with a signed submission")
    if rule.binds_tree:
        words.append("for as long as no file of the repository changes")
    if rule.require_coverage:
        words.append("once every changed file is approved")
    if rule.headless:
        words.append(f"without a terminal: {', '.join(sorted(rule.headless))}")
    return tuple(words)


def compare_policies(old: Policy, new: Policy) -> tuple[str, ...]:
    """Says what differs, one sentence each; empty if both mean the same."""
    return tuple(
        chain(
            _compare_roles(old, new),
            _compare_threshold(old, new),
            _compare_reach(old, new),
            _compare_gates(old, new),
            _compare_keys(old, new),
        )
    )


def describe_first(policy: Policy) -> tuple[str, ...]:
    """Describes the first policy of a log."""
    people = ", ".join(sorted(policy.root))
    return (
        f"root {people}, {policy.root_threshold} to change the policy",
        f"reviewers {', '.join(sorted(policy.reviewers))}",
        *([f"agents {', '.join(sorted(policy.agents))}"] if policy.agents else []),
        *([f"work up to {policy.start_line} is history"] if policy.start_line else []),
        *(["solo: the reviewer may approve work under their own name"] if policy.solo else []),
        *(f"commits under {name} count as an agent's" for name in sorted(policy.commits_by_agents)),
        *([] if policy.protection is None else [f"protection {_render_walls(policy)}"]),
    )


def _render_walls(policy: Policy) -> str:
    if policy.protection is None:
        return "not said"
    return ", ".join(sorted(policy.protection)) or "none"


def _compare_roles(old: Policy, new: Policy) -> Iterable[str]:
    for role in sorted(old.roles.keys() | new.roles.keys()):
        before, after = old.roles.get(role, frozenset()), new.roles.get(role, frozenset())
        gained, lost = _ROLE_WORDS.get(role, (f"has the role {role} from now on", f"no longer has the role {role}"))
        yield from (f"{person} {gained}" for person in sorted(after - before))
        yield from (f"{person} {lost}" for person in sorted(before - after))
        if not before and not after and (role in old.roles) != (role in new.roles):
            yield f"the role {role}, which nobody has, {'is new' if role in new.roles else 'is gone'}"


def _compare_threshold(old: Policy, new: Policy) -> Iterable[str]:
    if old.root_threshold != new.root_threshold:
        yield f"changing the policy takes {new.root_threshold} signatures instead of {old.root_threshold}"


def _compare_reach(old: Policy, new: Policy) -> Iterable[str]:
    if old.start_line != new.start_line:
        yield f"the start line is {new.start_line or 'gone: all work counts'} (before: {old.start_line or 'none'})"
    if old.solo != new.solo:
        yield (
            "a single reviewer may approve work under their own name" if new.solo else "nobody approves their own work"
        )
    if old.protection != new.protection:
        yield f"protection: {_render_walls(new)} (before: {_render_walls(old)})"
    for name in sorted(new.commits_by_agents - old.commits_by_agents):
        yield f"commits under {name} count as an agent's from now on"
    for name in sorted(old.commits_by_agents - new.commits_by_agents):
        yield f"commits under {name} no longer count as an agent's"


def _compare_gates(old: Policy, new: Policy) -> Iterable[str]:
    for phase in sorted(old.gates.keys() | new.gates.keys()):
        before, after = old.gates.get(phase), new.gates.get(phase)
        if before == after:
            continue
        now = ", ".join(describe_gate(after)) if after else "no rule of its own"
        then = f" (before: {', '.join(describe_gate(before))})" if before else " (new)"
        yield f"gate {phase}: {now}{then}"


def _compare_keys(old: Policy, new: Policy) -> Iterable[str]:
    for keyid in sorted(old.signers.keys() | new.signers.keys()):
        before, after = old.signers.get(keyid), new.signers.get(keyid)
        if before is None and after is not None:
            yield f"new key of {after.principal}: {keyid}{_describe_window(after)}"
        elif after is None and before is not None:
            yield f"dropped key of {before.principal}: {keyid}; what it signs from now on doesn't count"
        elif before is not None and after is not None and before != after:
            whose = "" if before.principal == after.principal else f", which was {before.principal}'s"
            yield f"key of {after.principal}{whose}: {keyid}{_describe_window(after) or ', valid at all times'}"


def _describe_window(signer: Signer) -> str:
    after = f", valid from {signer.valid_after}" if signer.valid_after else ""
    before = f", valid until {signer.valid_before}" if signer.valid_before else ""
    return after + before


def show_policy(start: Path) -> PolicyReport:
    """Reports who may do what here, by the log alone."""
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
            if problem.level is LogProblemLevel.FATAL or problem.code in _SHOWN_NOTES
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
        start_line=policy.start_line or None,
        solo=policy.solo,
        commits_by_agents=tuple(sorted(policy.commits_by_agents)),
        protection=None if policy.protection is None else tuple(sorted(policy.protection)),
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
        binds="tree" if rule.binds_tree else "scope",
        require_coverage=rule.require_coverage,
        headless=tuple(sorted(rule.headless)),
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
    """Says what a policy changes; one that settles a fork is compared with each side."""
    if len(before) == 1:
        return compare_policies(before[0], policy)
    return tuple(
        f"against side {number} of the fork: {change}"
        for number, side in enumerate(before, start=1)
        for change in compare_policies(side, policy) or ("nothing",)
    )
