"""Who signs here, and with what: the user's own key, the name the policy has for it, and whether they may decide."""

from __future__ import annotations

import os
from pathlib import Path

from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.errors import HandoffError, NoHumanError, SigningError, UsageError
from handoff_tui.git.repository import Repository
from handoff_tui.git.signing.signing_key import (
    Identity,
    SigningKey,
    UserSettings,
    read_identity,
    read_signing_key,
)
from handoff_tui.git.signing.ssh_keygen import Prompt, SigningTool
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entries.fields import PRINCIPAL
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.policy.policy import Policy
from handoff_tui.system.processes.terminal import has_terminal

_NO_LOG = "there is no signed log yet"
_ASKS = "gpg.ssh.defaultKeyCommand names your key; it runs only when you sign"


class LocalReviewer(NamedTuple):
    """The person at this computer, found by keys and the policy without asking anybody."""

    principal: str | None = None
    """The owner of the key that would sign, as the policy names them; None if nobody can sign."""
    may_decide: bool = False
    note: str = ""
    """Why nobody can sign, or may not decide."""
    names: frozenset[str] = frozenset()
    """All names of this person, in lower case: nobody reviews their own work under another name."""

    def is_called(self, name: str | None) -> bool:
        return name is not None and name.casefold() in self.names


def read_reviewer(session: Session, policy: Policy | None) -> LocalReviewer:
    """Finds the owner of the user's own key. Without a policy everybody may decide, but nobody can sign yet."""
    identity = read_identity(session.repository.git)
    if policy is None:
        return LocalReviewer(None, may_decide=True, note=_NO_LOG, names=_build_names(identity, None))
    try:
        principal, note = _find_principal(session, policy, identity)
    except HandoffError as missing:
        note = f"{missing.message}. {missing.hint}" if missing.hint else missing.message
        return LocalReviewer(None, may_decide=False, note=note, names=_build_names(identity, None))
    names = _build_names(identity, principal)
    if principal is None:
        return LocalReviewer(None, may_decide=False, note=note, names=names)
    if not policy.may_decide(principal):
        role = "as an agent" if principal in policy.agents else "in no role that decides"
        return LocalReviewer(principal, may_decide=False, note=f"the policy has {principal} {role}", names=names)
    return LocalReviewer(principal, may_decide=True, note=note, names=names)


def _find_principal(session: Session, policy: Policy, identity: Identity) -> tuple[str | None, str]:
    """Returns the owner of the key, and a note; never runs a command to find out."""
    settings = UserSettings(session.repository.git)
    configured = settings.get("gpg.format") == "ssh" and settings.get("user.signingkey")
    if not configured and settings.get("gpg.ssh.defaultkeycommand"):
        enrolled = {signer.principal.casefold(): signer.principal for signer in policy.signers.values()}
        return enrolled.get((identity.email or "").casefold()), _ASKS
    key = read_signing_key(session.repository.git, [signer.key for signer in policy.signers.values()])
    keyid = parse_public_key(key.public_text).fingerprint
    signer = policy.signers.get(keyid)
    if signer is None:
        return None, f"your key {keyid} ({key.source}) is not in the policy; run `handoff-tui keys enroll`"
    return signer.principal, ""


def _build_names(identity: Identity, principal: str | None) -> frozenset[str]:
    return frozenset(name.casefold() for name in (identity.name, identity.email, principal) if name)


@dataclass(frozen=True, slots=True)
class Signing:
    """The key that signs, and whose it is."""

    principal: str
    keyid: str
    key: SigningKey
    tool: SigningTool

    @property
    def waits(self) -> bool:
        """Whether signing may ask a person for something: a passphrase, or a touch."""
        return self.tool.prompt is not Prompt.NOBODY or self.key.needs_touch


def find_signing(session: Session, policy: Policy, key_file: Path | None = None) -> Signing:
    """Finds the signer by the user's own configuration or a named key file; refuses an unknown key."""
    enrolled = [signer.key for signer in policy.signers.values()]
    key = read_signing_key(session.repository.git, enrolled, key_file)
    keyid = parse_public_key(key.public_text).fingerprint
    signer = policy.signers.get(keyid)
    if signer is None:
        raise NoHumanError(
            f"your key {keyid} ({key.source}) is not in the policy, so your signature would be refused",
            "`handoff-tui keys enroll` prints the line that somebody with the root role adds to the policy.",
        )
    return Signing(signer.principal, keyid, key, key.build_tool(choose_prompt()))


def read_principal(repository: Repository, named: str | None = None, option: str = "") -> str:
    """What the user is called in the log: as they name themselves, else the e-mail address of their git identity.

    `option` is the one with which they can name themselves, where there is one.
    """
    name = named or read_identity(repository.git).email
    if name is None:
        way = f", or name yourself with {option}" if option else ""
        raise SigningError(
            "your git configuration doesn't say who you are; a repository's own configuration doesn't count",
            f"Run `git config --global user.email you@example.org` first{way}.",
        )
    if not PRINCIPAL.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be a name in the log", "Letters, digits and ._%+@- are allowed; an e-mail address is."
        )
    return name


def choose_prompt() -> Prompt:
    """Chooses who is asked for a passphrase: the terminal, an askpass window, or nobody."""
    if has_terminal():
        return Prompt.TERMINAL
    return Prompt.ASKPASS if os.environ.get("SSH_ASKPASS") else Prompt.NOBODY
