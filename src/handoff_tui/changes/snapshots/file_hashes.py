"""SHA-256 of declared files as they are on disk. A content that was hashed once is not read again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from handoff_tui.changes.snapshots.ecosystem.reading import build_text
from handoff_tui.changes.snapshots.snapshot import Unread
from handoff_tui.core.errors import FileUnreadableError, TreeMovedError, UnsafePathError
from handoff_tui.git.objects.blob_hashes import (
    BlobHash,
    append_blob_hashes,
    list_converted,
    load_blob_hashes,
    read_path_blobs,
)
from handoff_tui.git.objects.tree_files import Objects
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.probe import is_link, read_size
from handoff_tui.system.files.reader import FileReader


class FileHashes(NamedTuple):
    """Hashes by path, `sha256:<64 hex>`, and what could not be read."""

    hashes: dict[str, str]
    unread: tuple[Unread, ...]


def load_file_hashes(
    repository: Repository, tree: str, paths: Collection[str], objects: Objects, cache_folder: Path, max_bytes: int
) -> FileHashes:
    """Hashes of files of the work tree, whose tree this is. A file that has another content by now is an error."""
    place = cache_folder / "sha256-by-blob"
    blobs = read_path_blobs(repository.git, tree, sorted(paths), objects)
    for path in list_converted(repository.git, blobs.keys(), cache_folder):
        del blobs[path]
    known = load_blob_hashes(place, set(blobs.values()))
    reader = FileReader(repository.root, max_bytes)
    hashes: dict[str, str] = {}
    unread: list[Unread] = []
    learned: list[BlobHash] = []
    for path in sorted(paths):
        blob = None if is_link(repository.root, path) else blobs.get(path)
        row = known.get(blob) if blob else None
        # a file with other line ends than its blob has another size
        if row is not None and read_size(repository.root, path) == row.size:
            hashes[build_text(path)] = f"sha256:{row.sha256}"
            continue
        try:
            content = reader.read_bytes(path)
        except (FileUnreadableError, UnsafePathError) as refused:
            unread.append(Unread(path=build_text(path), reason=build_text(refused.message.removeprefix(f"{path} "))))
            continue
        digest = hashlib.sha256(content).hexdigest()
        hashes[build_text(path)] = f"sha256:{digest}"
        if blob is not None and _is_stored_as(path, content, blob):
            learned.append(BlobHash(blob, len(content), digest))
    append_blob_hashes(place, learned)
    return FileHashes(hashes, tuple(unread))


def _is_stored_as(path: str, content: bytes, blob: str) -> bool:
    """Whether the blob is the file byte for byte; false where only its line ends were converted."""
    if build_blob_id(content, len(blob)) == blob:
        return True
    if build_blob_id(content.replace(b"\r\n", b"\n"), len(blob)) == blob:
        return False
    raise TreeMovedError(
        f"the work tree changed while it was captured: {path}",
        "Wait until nothing writes to the repository any more, then try again.",
    )


def build_blob_id(content: bytes, digits: int) -> str:
    """The id that git gives a content, in a repository whose ids have so many digits."""
    stored = b"blob %d\0" % len(content) + content
    is_sha256 = digits == hashlib.sha256().digest_size * 2
    return (hashlib.sha256(stored) if is_sha256 else hashlib.sha1(stored, usedforsecurity=False)).hexdigest()
