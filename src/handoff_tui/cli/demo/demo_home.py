"""Keys and homes of the people in the sample: from public seeds, so that anybody can sign for them, here only."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from handoff_tui.core.errors import DemoError
from handoff_tui.system.files.own_paths import OWN_FOLDER

_KEY_MODE = 0o600
_FOLDER_MODE = 0o700


def write_demo_key(place: Path, seed: str, comment: str) -> str:
    """Writes an Ed25519 key pair made from a text; its public text."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - only for demo
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed.encode()).digest())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    try:
        place.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _KEY_MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(private)
        place.with_name(f"{place.name}.pub").write_text(f"{public} {comment}\n", encoding="utf-8")
    except OSError as refused:
        raise DemoError(f"the keys of the sample cannot be written: {refused}") from refused
    return public


def write_demo_home(folder: Path, name: str, email: str, key: Path) -> None:
    """A home whose git configuration signs with a key."""
    text = f'[user]\n\tname = {name}\n\temail = {email}\n\tsigningkey = "{_quote(key)}"\n[gpg]\n\tformat = ssh\n'
    try:
        folder.mkdir(mode=_FOLDER_MODE)
        (folder / ".gitconfig").write_bytes(os.fsencode(text))
    except OSError as refused:
        raise DemoError(f"the homes of the sample cannot be written: {refused}") from refused


def copy_own_folder(source: Path, target: Path) -> None:
    """Brings the log and all that belongs to it from one work tree of the sample into another."""
    try:
        shutil.copytree(source / OWN_FOLDER, target / OWN_FOLDER, dirs_exist_ok=True)
    except (OSError, shutil.Error) as refused:
        raise DemoError(f"the log of the sample cannot be copied: {refused}") from refused


def _quote(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')
