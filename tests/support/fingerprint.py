"""What a folder looks like, byte for byte, so that a test can say that nothing changed."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}

Fingerprint = dict[str, tuple[str, ...]]
"""Path to kind, mode, size, mtime in nanoseconds, and the sha256 of a file or the target of a link."""


def read_fingerprint(folder: Path) -> Fingerprint:
    """Everything at and below a folder, `.git` included; access times are not looked at."""
    found = {".": _describe(folder)}
    for place in folder.rglob("*"):
        found[str(place.relative_to(folder))] = _describe(place)
    return dict(sorted(found.items()))


def compare_fingerprints(before: Fingerprint, after: Fingerprint) -> list[str]:
    """One line for each path that came, went or changed; empty when nothing did."""
    lines = [f"new: {path}" for path in sorted(after.keys() - before.keys())]
    lines += [f"gone: {path}" for path in sorted(before.keys() - after.keys())]
    lines += [
        f"changed: {path}: {before[path]} -> {after[path]}"
        for path in sorted(before.keys() & after.keys())
        if before[path] != after[path]
    ]
    return lines


def _describe(place: Path) -> tuple[str, ...]:
    status = place.lstat()
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
    content = ""
    if kind == "file":
        content = hashlib.sha256(place.read_bytes()).hexdigest()
    elif kind == "link":
        content = os.fspath(place.readlink())
    return (kind, oct(stat.S_IMODE(status.st_mode)), str(status.st_size), str(status.st_mtime_ns), content)
