"""How well a signing key is protected from programs that run as its owner: an agent, for one."""

from __future__ import annotations

import os
from collections.abc import Collection
from enum import StrEnum
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.command import Git, find_git
from handoff_tui.git.signing.signing_key import (
    SigningKey,
    UserSettings,
    find_private_file,
    is_encrypted,
    is_touchless,
    read_agent_keys,
    read_key_text,
)
from handoff_tui.system.processes.programs import find_program, find_writable_part

_SIGNER = "ssh-keygen"
_FIDO_PAGE = b"\x06\xd0\xf1"
"""In a device's report descriptor: usage page 0xF1D0, which is FIDO's."""
_DEVICES = Path("/sys/class/hidraw")


class KeyGrade(StrEnum):
    """What a program that runs as the owner needs to sign with a key. This is where the words are."""

    OPEN = "open"
    CACHED = "cached"
    UNKNOWN = "unknown"
    PASSPHRASE = "passphrase"
    TOUCH = "touch"

    @property
    def is_weak(self) -> bool:
        """Whether any program that runs as the owner can sign, unasked, as far as can be told."""
        return self in {KeyGrade.OPEN, KeyGrade.CACHED}

    @property
    def words(self) -> str:
        return _WORDS[self]

    @property
    def advice(self) -> str:
        """What to do about a weak one; empty if it isn't."""
        return _ADVICE.get(self, "")


_WORDS = {
    KeyGrade.OPEN: "it signs without asking: any program that runs as you, even an agent, can sign with it",
    KeyGrade.CACHED: (
        "an ssh-agent holds it: any program that runs as you can sign with it, unless you added it with "
        "`ssh-add -c`, which no agent reports"
    ),
    KeyGrade.UNKNOWN: "its private half is neither in a file nor in an ssh-agent, so what protects it is unknown",
    KeyGrade.PASSPHRASE: "it asks for its passphrase each time",
    KeyGrade.TOUCH: "it is a security key and signs only when touched",
}
_ADVICE = {
    KeyGrade.OPEN: "Give it a passphrase (`ssh-keygen -p -f KEY`), or use a security key (`ssh-keygen -t ed25519-sk`)",
    KeyGrade.CACHED: "Remove it from the agent (`ssh-add -d KEY`), make the agent ask (`ssh-add -c KEY`), "
    "or use a security key",
}


def grade_key(key: SigningKey, held: Collection[str] | None = None) -> KeyGrade:
    """Grades a key without using it. `held` are the public texts in the ssh-agent, which is asked if they're missing.

    An agent never tells whether a key was added with a confirmation, so it counts as held.
    """
    private = find_private_file(key)
    text = None if private is None else read_key_text(private)
    if key.needs_touch:
        return KeyGrade.OPEN if text is not None and is_touchless(text) else KeyGrade.TOUCH
    if text is not None and not is_encrypted(text):
        return KeyGrade.OPEN
    if key.public_text in (read_agent_keys() if held is None else held):
        return KeyGrade.CACHED
    return KeyGrade.UNKNOWN if text is None else KeyGrade.PASSPHRASE


class ExposedProgram(NamedTuple):
    """A program that signing rests on, and the file or folder through which the user's account can replace it."""

    role: str
    path: str
    part: Path

    @property
    def words(self) -> str:
        through = "" if str(self.part) == self.path else f" (through {self.part})"
        return f"{self.role} is {self.path}, which any program that runs as you can replace{through}"


def list_exposed(git: Git) -> tuple[ExposedProgram, ...]:
    """Lists the programs that the user's account can replace, found as they would be run."""
    settings = UserSettings(git)
    roles = {
        "git": find_git(),
        "ssh-keygen": _find(_SIGNER),
        "ssh-add": _find("ssh-add"),
        "gpg.ssh.program": _find(settings.get("gpg.ssh.program")),
        "SSH_ASKPASS": _find(os.environ.get("SSH_ASKPASS")),
    }
    found = ((role, path, find_writable_part(path)) for role, path in roles.items() if path is not None)
    return tuple(ExposedProgram(role, path, part) for role, path, part in found if part is not None)


def list_signer_notes(key: SigningKey, git: Git) -> tuple[str, ...]:
    """What a person must know about the programs before they sign: another signer, and what can be replaced."""
    other = _find(key.program) if key.program != _SIGNER else None
    exposed = list_exposed(git)
    named = () if other is None or any(one.path == other for one in exposed) else (other,)
    return (
        *(f"{path} signs, and sees your passphrase (gpg.ssh.program)" for path in named),
        *(one.words for one in exposed),
    )


def has_security_key(devices: Path | None = None) -> bool:
    """Tells whether a FIDO device is plugged in, by what the kernel says of it; nothing is asked of the device."""
    folder = devices or _DEVICES
    try:
        descriptors = [place / "device" / "report_descriptor" for place in folder.iterdir()]
    except OSError:
        return False
    return any(_FIDO_PAGE in _read(place) for place in descriptors)


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""


def _find(name: str | None) -> str | None:
    try:
        return find_program(name) if name else None
    except HandoffError:
        return None
