"""What one `git status` on the private index says: what must still be added there, and how it differs from HEAD."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

_NOTHING, _DELETED = ".", "D"


class LookedPath(NamedTuple):
    """A path of the work tree that the index does not have as it is."""

    path: str
    untracked: bool = False
    unmerged: bool = False
    deleted: bool = False


class Look(NamedTuple):
    """One look. `pending`: work tree and index differ; `staged`: index and HEAD differ."""

    commit: str | None
    branch: str | None
    upstream: str | None
    pending: tuple[LookedPath, ...]
    staged: tuple[str, ...]
    ignored: tuple[str, ...]


def parse_look(status: bytes) -> Look:
    """Reads `status --porcelain=v2 -z --branch --no-renames`; a folder that is a repository ends with a slash."""
    headers: dict[str, str] = {}
    pending: list[LookedPath] = []
    staged: list[str] = []
    ignored: list[str] = []
    for kind, rest in _split(status):
        if kind == "#":
            name, _, value = rest.partition(" ")
            headers[name] = value
        elif kind == "1":
            staged_change, work_tree_change = rest[0], rest[1]
            path = rest.split(" ", 7)[7]
            if work_tree_change != _NOTHING:
                pending.append(LookedPath(path, deleted=work_tree_change == _DELETED))
            if staged_change != _NOTHING:
                staged.append(path)
        elif kind == "u":
            pending.append(LookedPath(rest.split(" ", 9)[9], unmerged=True))
        elif kind == "?":
            pending.append(LookedPath(rest.removesuffix("/"), untracked=True))
        elif kind == "!":
            ignored.append(rest)
    commit, branch = headers.get("branch.oid"), headers.get("branch.head")
    return Look(
        None if commit == "(initial)" else commit,
        None if branch == "(detached)" else branch,
        headers.get("branch.upstream"),
        tuple(pending),
        tuple(staged),
        tuple(sorted(ignored)),
    )


def _split(status: bytes) -> Iterator[tuple[str, str]]:
    for line in os.fsdecode(status).split("\0"):
        if line:
            yield line[0], line[2:]
