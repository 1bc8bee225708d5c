"""Who would sign here, and whether they may decide: by keys that lie here and the policy, without asking anybody."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.core.errors import HandoffError
from handoff_tui.git.signing.signing_key import Identity, UserSettings, read_identity, read_signing_key
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.policy.policy import Policy

_NO_LOG = "no decision was signed here yet; `handoff-tui init` begins the log"
_ASKS = "gpg.ssh.defaultKeyCommand names your key, and is asked only when you sign"


class DeskReviewer(NamedTuple):
    """The person at the desk."""

    principal: str | None = None
    """As the policy names the owner of the key that would sign; nothing where nobody can sign."""
    may_decide: bool = False
    note: str = ""
    """Why nobody can sign, or may decide."""
    names: frozenset[str] = frozenset()
    """All that this person is called, in small letters: nobody reviews their own work under another name."""

    def is_called(self, name: str | None) -> bool:
        return name is not None and name.casefold() in self.names


def read_reviewer(desk: Desk, policy: Policy | None) -> DeskReviewer:
    """The owner of the user's own key. Without a policy nobody is kept from deciding, and nobody can sign yet."""
    identity = read_identity(desk.repository.git)
    if policy is None:
        return DeskReviewer(None, may_decide=True, note=_NO_LOG, names=_build_names(identity, None))
    try:
        principal, note = _find_principal(desk, policy, identity)
    except HandoffError as missing:
        note = f"{missing.message}. {missing.hint}" if missing.hint else missing.message
        return DeskReviewer(None, may_decide=False, note=note, names=_build_names(identity, None))
    names = _build_names(identity, principal)
    if principal is None:
        return DeskReviewer(None, may_decide=False, note=note, names=names)
    if not policy.may_decide(principal):
        role = "as an agent" if principal in policy.agents else "in no role that decides"
        return DeskReviewer(principal, may_decide=False, note=f"the policy has {principal} {role}", names=names)
    return DeskReviewer(principal, may_decide=True, note=note, names=names)


def _find_principal(desk: Desk, policy: Policy, identity: Identity) -> tuple[str | None, str]:
    """The owner of the key, and a remark; a command that would have to be run for it is not run."""
    settings = UserSettings(desk.repository.git)
    configured = settings.get("gpg.format") == "ssh" and settings.get("user.signingkey")
    if not configured and settings.get("gpg.ssh.defaultkeycommand"):
        enrolled = {signer.principal.casefold(): signer.principal for signer in policy.signers.values()}
        return enrolled.get((identity.email or "").casefold()), _ASKS
    key = read_signing_key(desk.repository.git, [signer.key for signer in policy.signers.values()])
    keyid = parse_public_key(key.public_text).fingerprint
    signer = policy.signers.get(keyid)
    if signer is None:
        return None, f"your key {keyid} ({key.source}) is not in the policy; `handoff-tui keys enroll` says what to do"
    return signer.principal, ""


def _build_names(identity: Identity, principal: str | None) -> frozenset[str]:
    return frozenset(name.casefold() for name in (identity.name, identity.email, principal) if name)
