"""Makes and edits the two texts of a policy as text, so that what people wrote around a change stays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import TrustPolicyError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.toml_text import find_first_table, find_table, parse_toml
from handoff_tui.log.entries.fields import PRINCIPAL
from handoff_tui.log.entry import PolicyText
from handoff_tui.log.policy.policy import Wall
from handoff_tui.log.policy.signers import Signer, build_line, parse_allowed_signers

_VERSION = compile_later(r"^([ \t]*version[ \t]*=[ \t]*)[0-9_]+", re.MULTILINE)
_PRINCIPALS = compile_later(r"^([ \t]*principals[ \t]*=[ \t]*)\[[^\]]*\]", re.MULTILINE)
_BY_HAND = "Change it by hand: handoff-tui policy propose --edit"
_SHORTEST_KEYID = len("SHA256:") + 6
_POLICY = """\
# Who may do what in the handoff log of this repository. What counts is the signed copy inside the log:
# edit here, then `handoff-tui policy propose --from .handoff-tui/trust`.
version = 1
{start_line}{solo}{protection}
[roles.root]  # may change this policy, with so many signatures
principals = {person}
threshold = 1

[roles.reviewer]  # may decide at gates
principals = {person}

[roles.agent]  # may hand over work, may never decide
principals = {agents}

[gates."*"]  # every phase that has no gate of its own
threshold = 1
# max_age_days = 14                  # older decisions do not count
# require_user_presence = true       # only keys that were touched (FIDO2)
# require_signed_submission = true   # the agent signs what it hands over
# require = "1 of security and 2 of reviewer"
# binds = "tree"                     # every file must stay as approved, not only the handoff's own
# require_coverage = true            # every changed file must be approved by somebody
# headless = ["ci@example.org"]      # may decide here without a terminal
"""
_START_LINE = """
# Work up to this commit is history. Nobody has to approve it; what changes after it needs an approval.
start_line = "{commit}"
"""
_SOLO_SWITCH = """
# One person reviews here, and may approve what their agents commit under their name. Such an approval shows that
# this key signed it; it does not show that a second person looked, or that no agent used the key. Entries made this
# way say "solo". It ends by itself as soon as a second reviewer is named below.
solo = true
"""


_PROTECTION = """
# What keeps agents from signing as a person here, as people said; `handoff-tui doctor` compares it with what it sees.
protection = {walls}
"""


class PolicyTexts(NamedTuple):
    """allowed_signers and policy.toml."""

    allowed_signers: str
    policy_toml: str

    def by_name(self) -> dict[str, str]:
        """Both texts by file name."""
        return {"allowed_signers": self.allowed_signers, "policy.toml": self.policy_toml}


def build_first_texts(
    principal: str,
    key: str,
    agents: Mapping[str, str],
    *,
    start_line: str = "",
    solo: bool = False,
    protection: tuple[Wall, ...] | None = None,
) -> PolicyTexts:
    """Builds a policy of one person who may do everything, and agents, each with its key (type and base64).

    With `solo` that person may approve what their agents made under their name. `protection` is left out unless it is
    given: versions that don't know the key refuse the policy.
    """
    for name in (principal, *agents):
        if not PRINCIPAL.fullmatch(name):
            raise TrustPolicyError(
                f"{name!r} cannot be a name in the log", "Letters, digits and ._%+@- are allowed; an e-mail address is."
            )
    signers = build_line(principal, key) + "".join(build_line(name, agents[name]) for name in sorted(agents))
    policy = _POLICY.format(
        person=_render_names([principal]),
        agents=_render_names(agents),
        start_line=_START_LINE.format(commit=start_line) if start_line else "",
        solo=_SOLO_SWITCH if solo else "",
        protection="" if protection is None else _PROTECTION.format(walls=_render_names(protection)),
    )
    return PolicyTexts(signers, policy)


def set_version(texts: PolicyTexts, version: int) -> PolicyTexts:
    """Sets the version of the entry that will carry them; refuses a file without one at its top."""
    old = texts.policy_toml
    match = _VERSION.search(old, 0, find_first_table(old))
    if match is None:
        raise TrustPolicyError('policy.toml has no line "version = …" at its top', f"Write version = {version} there.")
    changed = old[: match.start()] + match.group(1) + str(version) + old[match.end() :]
    return texts._replace(policy_toml=_check(changed, {**_load(old), "version": version}))


def add_signer(texts: PolicyTexts, line: str, roles: Iterable[str]) -> PolicyTexts:
    """Adds a line as `keys enroll` prints it, and its principal to some roles; refuses a key that is there already."""
    signer = parse_signer_line(line)
    for present in parse_allowed_signers(texts.allowed_signers).values():
        if present.keyid == signer.keyid:
            raise TrustPolicyError(f"the key {signer.keyid} is in the policy already, as {present.principal}'s")
    before = texts.allowed_signers
    separator = "\n" if before and not before.endswith("\n") else ""
    changed = texts._replace(allowed_signers=f"{before}{separator}{line.strip()}\n")
    for role in roles:
        names = read_principals(changed, role)
        if signer.principal not in names:
            changed = set_principals(changed, role, [*names, signer.principal])
    return changed


def drop_key(texts: PolicyTexts, keyid: str) -> PolicyTexts:
    """Drops one key, named by the beginning of its fingerprint; a person without a key leaves every role."""
    signers = parse_allowed_signers(texts.allowed_signers)
    found = [signer for signer in signers.values() if _is_named(signer, keyid)]
    if len(found) != 1:
        raise TrustPolicyError(
            f"{keyid} names {len(found)} keys of the policy", "`handoff-tui keys list` shows their fingerprints."
        )
    dropped = found[0]
    lines = texts.allowed_signers.split("\n")
    kept = [line for line in lines if not _has_key(line, dropped.keyid)]
    changed = texts._replace(allowed_signers="\n".join(kept))
    if any(other.principal == dropped.principal for other in signers.values() if other.keyid != dropped.keyid):
        return changed
    for role in _load(texts.policy_toml).get("roles", {}):
        names = read_principals(changed, role)
        if dropped.principal in names:
            changed = set_principals(changed, role, [name for name in names if name != dropped.principal])
    return changed


def set_root_threshold(texts: PolicyTexts, number: int) -> PolicyTexts:
    """Sets how many people of the root role it takes to change the policy."""
    content = _load(texts.policy_toml)
    _, start, end = find_table(texts.policy_toml, "roles", "root")
    section = texts.policy_toml[start:end]
    pattern = re.compile(r"^([ \t]*threshold[ \t]*=[ \t]*)[0-9_]+", re.MULTILINE)
    changed, count = pattern.subn(rf"\g<1>{number}", section, count=1)
    if not count:
        changed = section.rstrip("\n") + f"\nthreshold = {number}\n\n"
    content.setdefault("roles", {}).setdefault("root", {})["threshold"] = number
    return texts._replace(policy_toml=_check(texts.policy_toml[:start] + changed + texts.policy_toml[end:], content))


def parse_signer_line(line: str) -> Signer:
    """Parses exactly one line of allowed_signers."""
    signers = parse_allowed_signers(line.strip())
    if len(signers) != 1:
        raise TrustPolicyError(
            "not one line of allowed_signers", "`handoff-tui keys enroll` prints the line of a person's own key."
        )
    return next(iter(signers.values()))


def read_principals(texts: PolicyTexts, role: str) -> list[str]:
    """Lists the people of a role in the order of the file; empty if there is no such role."""
    names = _load(texts.policy_toml).get("roles", {}).get(role, {}).get("principals", [])
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def set_principals(texts: PolicyTexts, role: str, names: Iterable[str]) -> PolicyTexts:
    """Replaces the people of a role; adds a new role at the end."""
    listed = list(names)
    content, old = _load(texts.policy_toml), texts.policy_toml
    content.setdefault("roles", {}).setdefault(role, {})["principals"] = listed
    _, start, end = find_table(old, "roles", role)
    if start == end:
        changed = old.rstrip("\n") + f"\n\n[roles.{role}]\nprincipals = {_render_names(listed)}\n"
    else:
        section = _PRINCIPALS.sub(lambda match: match.group(1) + _render_names(listed), old[start:end], count=1)
        changed = old[:start] + section + old[end:]
    return texts._replace(policy_toml=_check(changed, content))


def build_policy_text(
    texts: PolicyTexts, version: int, previous: str | None = None, nonce: str | None = None
) -> PolicyText:
    return PolicyText(
        version=version,
        allowed_signers=texts.allowed_signers,
        policy_toml=texts.policy_toml,
        previous=previous,
        nonce=nonce,
    )


def _check(changed: str, expected: dict[str, Any]) -> str:
    """Checks that the changed text, read as TOML, says exactly what was meant."""
    if _load(changed) != expected:
        raise TrustPolicyError("policy.toml is written in a way that can't be changed automatically", _BY_HAND)
    return changed


def _load(text: str) -> dict[str, Any]:
    try:
        content = parse_toml(text)
    except ValueError as wrong:
        raise TrustPolicyError(f"policy.toml is not TOML: {wrong}", _BY_HAND) from wrong
    roles = content.get("roles", {})
    if not isinstance(roles, dict) or not all(isinstance(role, dict) for role in roles.values()):
        raise TrustPolicyError("policy.toml has something in roles that is not a table", _BY_HAND)
    return content


def _render_names(names: Iterable[str]) -> str:
    """Writes a TOML list of names that need no escapes."""
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _is_named(signer: Signer, keyid: str) -> bool:
    return signer.keyid == keyid or (len(keyid) >= _SHORTEST_KEYID and signer.keyid.startswith(keyid))


def _has_key(line: str, keyid: str) -> bool:
    if not line.strip() or line.startswith("#"):
        return False
    return keyid in parse_allowed_signers(line)
