"""Finds faults in a policy: it can't be changed again, a gate can never open, an agent has a person's role.

Such a policy may still verify; it is refused before anybody signs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from handoff_tui.log.entries.envelope import MAX_SIGNATURES
from handoff_tui.log.entries.fields import LABEL
from handoff_tui.log.entries.times import add_seconds
from handoff_tui.log.policy.policy import ANY_GATE, GateRule, Policy, is_met
from handoff_tui.log.policy.signers import Signer

_SECURITY_KEY = "sk-"


def find_able(policy: Policy, time: str, *, touched: bool = False) -> frozenset[str]:
    """Finds people with a key that counts at a time; with `touched`, a key that can prove a touch."""
    return frozenset(
        signer.principal
        for signer in policy.signers.values()
        if signer.covers(time) and (not touched or signer.key.startswith(_SECURITY_KEY))
    )


def find_deciders(policy: Policy, rule: GateRule, time: str) -> frozenset[str]:
    """Finds people who could decide at a gate at a time."""
    able = find_able(policy, time, touched=rule.require_user_presence)
    return frozenset(person for person in able if policy.may_decide(person))


def find_faults(policy: Policy, time: str) -> tuple[str, ...]:
    """Says why a policy must not come into force at a time, one sentence each."""
    return (*_find_lockout(policy, time), *_find_closed_gates(policy, time), *_find_agents_in_roles(policy))


def find_turned_agents(former: Iterable[Policy], new: Policy) -> tuple[str, ...]:
    """Finds agents of earlier policies that would be people in the new one, by name or by key."""
    faults: list[str] = []
    people = new.root | new.reviewers | {signer.principal for signer in new.signers.values() if _is_person(new, signer)}
    for old in former:
        faults += [f"{name} was an agent, and would be a person" for name in sorted(old.agents & people)]
        for keyid, signer in sorted(old.signers.items()):
            now = new.signers.get(keyid)
            if signer.principal in old.agents and now is not None and now.principal not in new.agents:
                faults.append(f"the key {keyid} of the agent {signer.principal} would be {now.principal}'s")
    return tuple(dict.fromkeys(faults))


def find_warnings(policy: Policy) -> tuple[str, ...]:
    """Finds what is allowed but worth knowing."""
    warnings: list[str] = []
    end = _find_end(policy)
    if end is not None:
        warnings.append(f"after {end} too few root keys are valid to change the policy; renew them before")
    if ANY_GATE not in policy.gates:
        named = ", ".join(sorted(policy.gates))
        warnings.append(f"only {named} can open: there is no gate for other phases")
    enrolled = {signer.principal for signer in policy.signers.values()}
    named_people = frozenset().union(*policy.roles.values())
    warnings += [f"{person} has a role and no key" for person in sorted(named_people - enrolled)]
    warnings += [f"{person} has a key and no role" for person in sorted(enrolled - named_people)]
    return tuple(warnings)


def find_keys_together(policy: Policy, local: Collection[str]) -> tuple[str, ...]:
    """Says which numbers one person can fill, because the keys of several people (`local`, public texts) are here."""
    held = {signer.principal for signer in policy.signers.values() if signer.key in local}
    people = frozenset(person for person in held if policy.may_decide(person))
    filled = [f"the gate {phase}" for phase, rule in sorted(policy.gates.items()) if _is_filled(policy, rule, people)]
    if policy.root_threshold > 1 and len(held & policy.root) >= policy.root_threshold:
        filled.append("a change of the policy")
    if not filled:
        return ()
    names = ", ".join(sorted(held - policy.agents))
    what = ", ".join(filled)
    return (f"the keys of {names} are all on this machine, so one person can do alone what takes several: {what}",)


def _is_filled(policy: Policy, rule: GateRule, people: frozenset[str]) -> bool:
    is_several = rule.threshold > 1 or (rule.require is not None and not _can_be_met_alone(policy, rule, people))
    met = rule.require is None or is_met(rule.require, people, policy.roles)
    return is_several and len(people) >= rule.threshold and met


def _can_be_met_alone(policy: Policy, rule: GateRule, people: frozenset[str]) -> bool:
    return rule.require is None or any(is_met(rule.require, {person}, policy.roles) for person in people)


def _find_lockout(policy: Policy, time: str) -> Iterable[str]:
    able = policy.root & find_able(policy, time)
    if len(able) < policy.root_threshold:
        yield (
            f"nobody could change it again: roles.root needs {policy.root_threshold} signatures, "
            f"and {len(able)} of its people have a key that is valid"
        )
    if policy.root_threshold > MAX_SIGNATURES:
        yield f"nobody could change it again: an entry has at most {MAX_SIGNATURES} signatures"


def _find_closed_gates(policy: Policy, time: str) -> Iterable[str]:
    for phase, rule in sorted(policy.gates.items()):
        if phase != ANY_GATE and not LABEL.fullmatch(phase):
            yield f"gates.{phase} is not the name of a phase"
        people = find_deciders(policy, rule, time)
        if len(people) < rule.threshold:
            touched = " with a key that proves a touch" if rule.require_user_presence else ""
            yield (
                f"gates.{phase} could never open: it needs {rule.threshold}, and {len(people)} could decide{touched}"
            )
        elif rule.require is not None and not is_met(rule.require, people, policy.roles):
            yield f'gates.{phase} could never open: nobody can meet "{rule.require}"'


def _find_agents_in_roles(policy: Policy) -> Iterable[str]:
    for role, members in sorted(policy.roles.items()):
        if role != "agent":
            yield from (f"the agent {name} is in roles.{role}" for name in sorted(members & policy.agents))


def _find_end(policy: Policy) -> str | None:
    """Returns the time after which the root role can no longer sign, by this policy; None if it always can."""
    ends = {signer.valid_before for signer in policy.signers.values() if signer.principal in policy.root}
    for end in sorted(end for end in ends if end is not None):
        if len(policy.root & find_able(policy, add_seconds(end, 1))) < policy.root_threshold:
            return end
    return None


def _is_person(policy: Policy, signer: Signer) -> bool:
    return policy.may_decide(signer.principal) or signer.principal in policy.root
