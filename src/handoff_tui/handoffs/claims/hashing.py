"""The SHA-256 of a file, as it is written everywhere: `sha256:<64 hex>`."""

from __future__ import annotations

import hashlib

from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.system.files.reader import FileReader


def build_hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def hash_file(reader: FileReader, path: str) -> str | None:
    """The hash of a file as it is; nothing when it is missing or may not be read."""
    try:
        return build_hash(reader.read_bytes(path))
    except (FileUnreadableError, UnsafePathError):
        return None
