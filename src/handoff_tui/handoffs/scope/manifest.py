"""The manifest of a scope: the canonical bytes that a decision binds. Pure; docs/log-format.md has the format."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping

from handoff_tui.handoffs.scope.scope import Content, Scope

GONE = "deleted"
_NO_MODE = "000000"


def build_files(scope: Scope, sha256_by_blob: Mapping[str, str]) -> list[dict[str, str]]:
    """Each own path that is bound, with mode and content hash, sorted by the bytes of the path."""
    results = sorted(scope.bound.items(), key=lambda item: os.fsencode(item[0]))
    return [_build_file(path, content, sha256_by_blob) for path, content in results]


def build_manifest(scope: Scope, sha256_by_blob: Mapping[str, str]) -> dict[str, object]:
    """What the review record keeps: the files, and where they were seen."""
    return {
        "commits": list(scope.commits),
        "files": build_files(scope, sha256_by_blob),
        "start": scope.start or "",
    }


def build_scope_digest(files: list[dict[str, str]]) -> str:
    """SHA-256 of the files alone: a rebase that keeps the content keeps the digest."""
    text = json.dumps({"files": files}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _build_file(path: str, content: Content, sha256_by_blob: Mapping[str, str]) -> dict[str, str]:
    found = {"content": GONE, "mode": _NO_MODE}
    if not content.deleted:
        found = {"content": f"sha256:{sha256_by_blob[content.blob]}", "mode": content.mode}
    return found | write_path(path)


def write_path(path: str) -> dict[str, str]:
    """A path as a field of a file."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:  # no UTF-8: JSON cannot hold it
        return {"path_hex": os.fsencode(path).hex()}
    return {"path": path}


def read_path(file: Mapping[str, str]) -> str:
    """The path of a file that was written so."""
    return file["path"] if "path" in file else os.fsdecode(bytes.fromhex(file["path_hex"]))
