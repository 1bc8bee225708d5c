"""Remembers entries whose bytes and signatures were verified. Safe, because names are hashes.

An agent may be able to write the file. So each block carries a seal (HMAC) made with a secret of the user outside the
repository; one block with a wrong seal, and the file counts as empty.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from handoff_tui.core.errors import HandoffError
from handoff_tui.system.files.git_private_files import GitPrivateFolder

CACHE_NAME = "verified-cache"
VERIFICATION_VERSION = "3"
"""Raise it whenever verification checks bytes or signatures differently; older caches then count as empty."""
_ID_LENGTH = len("sha256:") + 64


class VerifiedCache:
    """The cache of one repository; without a secret it stays empty."""

    def __init__(
        self, files: GitPrivateFolder, secret: bytes | None, verification_version: str = VERIFICATION_VERSION
    ) -> None:
        self._files = files
        self._secret = secret
        self._version = verification_version
        self._loaded: dict[str, str] | None = None
        self._damaged = False

    def load(self) -> dict[str, str]:
        """Returns entry ids with one line of facts each. Read once; a missing or damaged file counts as empty."""
        if self._loaded is None:
            self._loaded = self._read()
        return self._loaded

    def record(self, facts: Mapping[str, str]) -> None:
        """Adds what is new. If it cannot be written, only time is lost."""
        known = self.load()
        new = {identifier: line for identifier, line in facts.items() if known.get(identifier) != line}
        if self._secret is None or not new:
            return
        block = build_block(new, self._secret, self._version)
        try:
            if self._damaged:
                self._files.write(CACHE_NAME, block, lasting=False)
            else:
                self._files.append(CACHE_NAME, block)
        except HandoffError:
            return
        self._damaged = False
        known.update(new)

    def _read(self) -> dict[str, str]:
        if self._secret is None:
            return {}
        try:
            content = self._files.read(CACHE_NAME)
        except HandoffError:
            content = b"unreadable"
        facts = parse_cache(content or b"", self._secret, self._version)
        self._damaged = facts is None
        return facts or {}


def build_block(facts: Mapping[str, str], secret: bytes, version: str) -> bytes:
    """Builds a header with length and seal, then one line per entry: its id, a space, the facts."""
    for identifier, line in facts.items():
        if len(identifier) != _ID_LENGTH or "\n" in line or not line.isascii():
            raise ValueError(f"not a line of facts about an entry: {identifier!r} {line!r}")
    body = "".join(f"{identifier} {line}\n" for identifier, line in sorted(facts.items())).encode("ascii")
    return f"{len(body)} {_build_seal(body, secret, version)}\n".encode() + body


def parse_cache(content: bytes, secret: bytes, version: str) -> dict[str, str] | None:
    """Reads all blocks of a cache; None if any of it is cut off, changed, or sealed by somebody else."""
    facts: dict[str, str] = {}
    position = 0
    while position < len(content):
        header_end = content.find(b"\n", position)
        size, _, seal = content[position : max(header_end, position)].decode("ascii", "replace").partition(" ")
        if not (size.isascii() and size.isdigit() and len(size) <= 12):  # noqa: PLR2004 - a terabyte at most
            return None
        start = header_end + 1
        position = start + int(size)
        body = content[start:position]
        if len(body) != int(size) or not hmac.compare_digest(
            seal.encode(), _build_seal(body, secret, version).encode()
        ):
            return None
        for line in body.decode("ascii").split("\n")[:-1]:
            facts[line[:_ID_LENGTH]] = line[_ID_LENGTH + 1 :]
    return facts


def _build_seal(body: bytes, secret: bytes, version: str) -> str:
    return hmac.digest(secret, f"{version}\n".encode() + body, "sha256").hex()
