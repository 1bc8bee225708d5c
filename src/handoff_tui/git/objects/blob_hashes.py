"""The SHA-256 of contents by blob id, in a file that is only ever added to; and which paths may be looked up there."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import can_be_asked
from handoff_tui.git.objects.tree_files import Objects

_CONVERTS = ("filter", "ident", "working-tree-encoding")
_PLAIN = frozenset({"unspecified", "unset"})
_FIELDS = 3
_HASH_DIGITS = 64


class BlobHash(NamedTuple):
    """A blob, how long it is, and the SHA-256 of its content."""

    blob: str
    size: int
    sha256: str


def load_blob_hashes(place: Path, wanted: Collection[str]) -> dict[str, BlobHash]:
    """What is known of the wanted blobs; a damaged line counts as absent."""
    try:
        lines = place.read_bytes().decode("ascii", "replace").split("\n")
    except OSError:
        return {}
    found: dict[str, BlobHash] = {}
    for line in lines:
        fields = line.split(" ")
        if fields[0] in wanted and len(fields) == _FIELDS and fields[1].isdigit() and len(fields[2]) == _HASH_DIGITS:
            found[fields[0]] = BlobHash(fields[0], int(fields[1]), fields[2])
    return found


def append_blob_hashes(place: Path, rows: Iterable[BlobHash]) -> None:
    """Adds lines in one write; where that is not possible, they are computed again next time."""
    content = "".join(f"{row.blob} {row.size} {row.sha256}\n" for row in rows).encode("ascii")
    if not content:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with place.open("ab", buffering=0) as file:
            file.write(content)
    except OSError:
        return


def read_path_blobs(git: Git, tree: str, paths: Iterable[str], objects: Objects) -> dict[str, str]:
    """Paths that are files or links in a tree, with their blob ids."""
    asked = [path for path in paths if can_be_asked(f"{tree}:{path}")]
    if not asked:
        return {}
    stdin = b"".join(os.fsencode(f"{tree}:{path}") + b"\n" for path in asked)
    output = git.read("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=stdin, extra=objects)
    lines = os.fsdecode(output).split("\n")
    return {
        path: line.removeprefix("blob ")
        for path, line in zip(asked, lines, strict=False)
        if line.startswith("blob ") and len(line) == len(tree) + len("blob ")
    }


def list_converted(git: Git, paths: Collection[str], cache_folder: Path) -> frozenset[str]:
    """Paths whose content git changes between the file and the blob in other ways than by its line ends."""
    if not paths:
        return frozenset()
    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
    # the attributes of the work tree are asked for; reading a large index first would take longer than all the rest
    extra = {"GIT_INDEX_FILE": str(cache_folder / "no-index")}
    fields = os.fsdecode(git.read("check-attr", "-z", "--stdin", *_CONVERTS, stdin=stdin, extra=extra)).split("\0")
    rows = zip(fields[::3], fields[2::3], strict=False)
    return frozenset(path for path, value in rows if value not in _PLAIN)
