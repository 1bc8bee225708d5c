"""Our files, sealed: an agent may be able to write them, but only handoff-tui seals them, with a secret of the user.

A file without its seal counts as absent. The seal is about the content and its place, so a copy elsewhere counts as
absent too. Imports little, because a remembered answer is read through here.
"""

from __future__ import annotations

import hmac
import json
import os
from contextlib import suppress
from pathlib import Path

from handoff_tui.system.files.cache_files import find_state_folder
from handoff_tui.system.files.noted import note

_SECRET_NAME = "cache-secret"
_SECRET_BYTES = 32
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
"""Not blocking: a named pipe in the place of a file would hold us forever."""
_SEAL = b"\n# seal "
_MAX_BYTES = 64 * 1024 * 1024


def load_cache_secret() -> bytes | None:
    """Returns a secret of this user, kept outside every repository and created if missing; None if it can't be kept.

    An agent can write to `.git`; only handoff-tui can seal something with this secret.
    """
    place = find_state_folder() / _SECRET_NAME
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            _write_secret(place)
        with open(os.open(place, _READ), "rb") as file:  # noqa: PTH123 - opened by its descriptor
            secret = file.read(_SECRET_BYTES + 1)
    except OSError:
        return None
    return secret if len(secret) == _SECRET_BYTES else None


def _write_secret(place: Path) -> None:
    """Writes it in full before it gets its name, so that two first runs at once agree on one secret."""
    if place.exists():
        return
    temporary = place.with_name(f".tmp-{os.urandom(16).hex()}")
    descriptor = os.open(temporary, _NEW_FILE, 0o600)
    try:
        os.write(descriptor, os.urandom(_SECRET_BYTES))
        os.close(descriptor)
        place.hardlink_to(temporary)
    finally:
        temporary.unlink()


def seal(content: bytes, name: str, secret: bytes) -> bytes:
    """Returns the content with its seal; `name` says what it is, so that it can't stand for something else."""
    return content + _SEAL + _build_seal(content, name, secret) + b"\n"


def unseal(stored: bytes, name: str, secret: bytes | None) -> bytes | None:
    """Returns the content; None if the seal is missing or somebody else's, or there is no secret."""
    content, _, written = stored.rpartition(_SEAL)
    if secret is None or not hmac.compare_digest(written.rstrip(b"\n"), _build_seal(content, name, secret)):
        return None
    return content


def find_name(place: str | os.PathLike[str]) -> str:
    """The name that a file is sealed under: where it really is."""
    return os.path.realpath(place)


def read_sealed(place: Path) -> bytes | None:
    """Returns the content of a sealed file; None if it is missing, damaged, or not written by handoff-tui."""
    note(place)
    try:
        with open(os.open(place, _READ), "rb") as file:  # noqa: PTH123 - opened by its descriptor
            stored = file.read(_MAX_BYTES + 1)
    except OSError:
        return None
    return None if len(stored) > _MAX_BYTES else unseal(stored, find_name(place), load_cache_secret())


def load_json(place: Path) -> object:
    """Returns the value in a sealed file; None if it is missing, damaged, or not written by handoff-tui."""
    content = read_sealed(place)
    try:
        return None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return None


def load_words(place: Path) -> frozenset[str]:
    """Loads a list of texts that we sealed; empty if there is none."""
    stored = load_json(place)
    return frozenset(one for one in stored if isinstance(one, str)) if isinstance(stored, list) else frozenset()


def write_json(place: Path, value: object) -> bool:
    """Replaces a sealed file in one step; returns False if it can't, which only costs time."""
    secret = load_cache_secret()
    if secret is None:
        return False
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = place.parent / f".tmp-{os.urandom(8).hex()}"
        with open(os.open(temporary, _NEW_FILE, 0o600), "wb") as file:  # noqa: PTH123 - opened by its descriptor
            file.write(seal(json.dumps(value).encode(), find_name(place), secret))
        temporary.replace(place)
    except OSError:
        return False
    return True


def _build_seal(content: bytes, name: str, secret: bytes) -> bytes:
    return hmac.digest(secret, os.fsencode(name) + b"\0" + content, "sha256").hex().encode()
