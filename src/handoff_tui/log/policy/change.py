"""A policy in words, and what another one changes: people, keys and gates, never mere spelling."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from handoff_tui.log.policy.policy import GateRule, Policy
from handoff_tui.log.policy.signers import Signer

_ROLE_WORDS = {
    "root": ("may change the policy from now on", "may no longer change the policy"),
    "reviewer": ("may decide from now on", "may no longer decide"),
    "agent": ("may hand over work as an agent from now on", "may no longer hand over work as an agent"),
}


def describe_gate(rule: GateRule) -> tuple[str, ...]:
    """What a gate asks for, one demand each."""
    number = rule.threshold
    words = ["one person decides" if number == 1 else f"{number} different people decide"]
    if rule.require is not None:
        words.append(f"among them {rule.require}")
    if rule.max_age_days is not None:
        words.append(f"not longer ago than {rule.max_age_days} {'day' if rule.max_age_days == 1 else 'days'}")
    if rule.require_user_presence:
        words.append("with a key that was touched")
    if rule.require_signed_submission:
        words.append("on work whose handing over was signed")
    return tuple(words)


def compare_policies(old: Policy, new: Policy) -> tuple[str, ...]:
    """What is different, a sentence each; nothing where both mean the same."""
    return tuple(
        chain(_compare_roles(old, new), _compare_threshold(old, new), _compare_gates(old, new), _compare_keys(old, new))
    )


def describe_first(policy: Policy) -> tuple[str, ...]:
    """The first policy of a log, as what it brings."""
    people = ", ".join(sorted(policy.root))
    return (
        f"root {people}, {policy.root_threshold} to change the policy",
        f"reviewers {', '.join(sorted(policy.reviewers))}",
        *([f"agents {', '.join(sorted(policy.agents))}"] if policy.agents else []),
    )


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


def _compare_gates(old: Policy, new: Policy) -> Iterable[str]:
    for phase in sorted(old.gates.keys() | new.gates.keys()):
        before, after = old.gates.get(phase), new.gates.get(phase)
        if before == after:
            continue
        now = ", ".join(describe_gate(after)) if after else "no rule of its own any more"
        then = f" (before: {', '.join(describe_gate(before))})" if before else " (new)"
        yield f"gate {phase}: {now}{then}"


def _compare_keys(old: Policy, new: Policy) -> Iterable[str]:
    for keyid in sorted(old.signers.keys() | new.signers.keys()):
        before, after = old.signers.get(keyid), new.signers.get(keyid)
        if before is None and after is not None:
            yield f"new key of {after.principal}: {keyid}{_describe_window(after)}"
        elif after is None and before is not None:
            yield f"dropped key of {before.principal}: {keyid}; what it signs from now on counts for nothing"
        elif before is not None and after is not None and before != after:
            whose = "" if before.principal == after.principal else f", which was {before.principal}'s"
            yield f"key of {after.principal}{whose}: {keyid}{_describe_window(after) or ', valid at all times'}"


def _describe_window(signer: Signer) -> str:
    after = f", valid from {signer.valid_after}" if signer.valid_after else ""
    before = f", valid until {signer.valid_before}" if signer.valid_before else ""
    return after + before
