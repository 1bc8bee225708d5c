"""A sparse index, whose left-out folders are one entry each, made whole without touching the user's objects.

Git writes all trees again when it does that, and so would mark the user's as fresh. It is given copies of the trees
that it must read, and sees no others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from handoff_tui.git.command import Git

_MARK = b"sdir\0\0\0\0"
"""The extension that says so, which is empty."""
_FOLDER_MODE = "040000"


def is_sparse_index(place: Path) -> bool:
    return _MARK in place.read_bytes()


def write_full_index(door: Git, git: Git, variables: Mapping[str, str]) -> None:
    """Makes the private index whole. `door` is git as the user configured it, which leaves the index as it is."""
    listing = os.fsdecode(door.read("ls-files", "--sparse", "--stage", "-z", extra=variables))
    folders = [line.split(" ")[1] for line in listing.split("\0") if line.startswith(_FOLDER_MODE)]
    if folders:
        asked = "".join(f"{tree}\n" for tree in folders).encode("ascii")
        words = ("rev-list", "--objects", "--no-object-names", "--filter=blob:none", "--stdin")
        trees = door.read(*words, stdin=asked, extra=variables)
        packs = Path(variables["GIT_OBJECT_DIRECTORY"]) / "pack"
        packs.mkdir(exist_ok=True)
        door.read("pack-objects", "--quiet", str(packs / "pack"), stdin=trees, extra=variables)
    alone = {**variables, "GIT_ALTERNATE_OBJECT_DIRECTORIES": ""}
    git.read("update-index", "--force-write-index", extra=alone)
