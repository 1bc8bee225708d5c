"""Who is about to sign, and with what: the user's own key, and the name that the policy has for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from handoff_tui.core.errors import NoHumanError, SigningError, UsageError
from handoff_tui.git.repository import Repository
from handoff_tui.git.signing.signing_key import SigningKey, read_identity, read_key_file, read_signing_key
from handoff_tui.git.signing.ssh_keygen import Prompt, SigningTool
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.fields import PRINCIPAL
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.policy.policy import Policy
from handoff_tui.system.processes.terminal import has_terminal


@dataclass(frozen=True, slots=True)
class Signing:
    """The key that signs, and whose it is."""

    principal: str
    keyid: str
    key: SigningKey
    tool: SigningTool

    @property
    def waits(self) -> bool:
        """Whether a person may be asked for something while it signs: a passphrase, or a touch."""
        return self.tool.prompt is not Prompt.NOBODY or self.key.needs_touch


def find_signing(desk: Desk, policy: Policy, key_file: Path | None = None) -> Signing:
    """The signer by the user's own configuration, or with a key file that was named; an unknown key is refused."""
    enrolled = [signer.key for signer in policy.signers.values()]
    key = read_key_file(key_file) if key_file is not None else read_signing_key(desk.repository.git, enrolled)
    keyid = parse_public_key(key.public_text).fingerprint
    signer = policy.signers.get(keyid)
    if signer is None:
        raise NoHumanError(
            f"your key {keyid} ({key.source}) is not in the policy, so what you sign would be refused",
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
            "your git configuration does not say who you are; what a repository's own says does not count",
            f"git config --global user.email you@example.org{way}",
        )
    if not PRINCIPAL.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be a name in the log", "Letters, digits and ._%+@- are allowed; an e-mail address is."
        )
    return name


def choose_prompt() -> Prompt:
    """Who is asked for a passphrase: the terminal, a window of the user's, or nobody."""
    if has_terminal():
        return Prompt.TERMINAL
    return Prompt.ASKPASS if os.environ.get("SSH_ASKPASS") else Prompt.NOBODY
