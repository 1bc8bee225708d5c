"""Stored files that entries are bound to: snapshots and review records, in the work tree or on a branch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from handoff_tui.core.errors import HandoffError
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.addressed_files import AddressedFolder

BASELINES = "baselines"
REVIEWS = "reviews"
_SUFFIX = ".json"
_MAX_BYTES = {BASELINES: 256 * 1024 * 1024, REVIEWS: 16 * 1024 * 1024}


class EvidenceFiles:
    """What is stored by its digest, with exactly the content that the digest is of, wherever a copy is."""

    def __init__(self, repository: Repository) -> None:
        self._git = repository.git
        self._folders = {
            name: AddressedFolder(repository.root, name, _SUFFIX, max_bytes=size) for name, size in _MAX_BYTES.items()
        }

    def build_path(self, folder: str, digest: str) -> str:
        return self._folders[folder].build_path(digest)

    def read(self, folder: str, digest: str, refs: Iterable[str] = ()) -> bytes | None:
        """The content; nothing where neither the work tree nor one of these refs has it."""
        try:
            return self._folders[folder].read(digest)
        except HandoffError:
            path = self.build_path(folder, digest)
        for ref in refs:
            name = f"{ref}:{path}"
            content = read_blobs(self._git, [name], _MAX_BYTES[folder])[name]
            if content is not None and hashlib.sha256(content).hexdigest() == digest:
                return content
        return None

    def read_many(self, folder: str, digests: Iterable[str], refs: Iterable[str] = ()) -> Iterator[tuple[str, bytes]]:
        """The same for many, one at a time; what is in none of these places is left out. A ref costs two git calls."""
        missing: set[str] = set()
        for digest, answer in self._folders[folder].read_many(digests):
            if isinstance(answer, HandoffError):
                missing.add(digest)
            else:
                yield digest, answer
        for ref in refs:
            names = {f"{ref}:{self.build_path(folder, digest)}": digest for digest in sorted(missing)}
            for name, content in read_blobs(self._git, list(names), _MAX_BYTES[folder]).items():
                if content is not None and hashlib.sha256(content).hexdigest() == names[name]:
                    missing.discard(names[name])
                    yield names[name], content
