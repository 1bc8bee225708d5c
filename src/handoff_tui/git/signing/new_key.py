"""A new key for a person who has none: made by ssh-keygen, protected unless the person says otherwise."""

from __future__ import annotations

import binascii
from pathlib import Path

from handoff_tui.core.errors import NoHumanError, SigningError
from handoff_tui.git.signing.ssh_keygen import Prompt, generate_key
from handoff_tui.system.processes.programs import expand_home
from handoff_tui.system.processes.terminal import has_terminal

_PLACE = "~/.ssh/id_ed25519"
_BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
_MAGIC = b"openssh-key-v1\0"
_OPEN = b"none"


def write_new_key(comment: str, *, protected: bool) -> Path:
    """Makes the user's default key; never overwrites. `protected` asks for a passphrase on the terminal."""
    place = expand_home(_PLACE)
    if not place.is_absolute():
        raise SigningError("there is no home folder for a new key", "Make one with ssh-keygen where you want it.")
    if not protected:
        generate_key(place, comment)
        return place
    if not has_terminal():
        raise NoHumanError(
            "there is no terminal to ask for a passphrase, so no key was made",
            "Run this at a terminal; --no-passphrase makes a key that anybody who can read the file can use.",
        )
    generate_key(place, comment, prompt=Prompt.TERMINAL)
    if not is_protected(place.read_text(encoding="utf-8", errors="replace")):
        place.unlink()
        place.with_name(place.name + ".pub").unlink()
        raise NoHumanError(
            "no passphrase was given, so the new key was thrown away",
            "Give one; --no-passphrase makes a key that anybody who can read the file can use.",
        )
    return place


def is_protected(text: str) -> bool:
    """Whether an OpenSSH private key is encrypted; what is no such key counts as open."""
    lines = text.strip().split("\n")
    if lines[0] != _BEGIN:
        return False
    try:
        data = binascii.a2b_base64("".join(lines[1:-1]))
    except binascii.Error:
        return False
    start = len(_MAGIC) + 4
    size = int.from_bytes(data[len(_MAGIC) : start], "big")
    return data.startswith(_MAGIC) and data[start : start + size] != _OPEN
