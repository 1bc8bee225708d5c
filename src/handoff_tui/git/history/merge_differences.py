"""How merges differ from each of their parents, in one `git diff-tree`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from handoff_tui.core.errors import GitError
from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange, build_change
from handoff_tui.git.session import session_of

_WORDS = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--always", "--no-renames", "--no-abbrev")


def read_merge_differences(git: Git, merges: Sequence[ChangedCommit]) -> list[list[dict[str, PathChange]]]:
    """For each merge and each of its parents, by path: what the parent had and what the merge has."""
    asked = "".join(f"{merge.id} {parent}\n" for merge in merges for parent in merge.parents).encode("ascii")
    words = (*_WORDS, "--ignore-submodules=none")
    output = session_of(git).once(("merge differences", asked), lambda: git.read(*words, stdin=asked))
    fields = iter(os.fsdecode(output).split("\0"))
    pairs: list[dict[str, PathChange]] = []
    for field in fields:
        if field.startswith(":"):
            path = next(fields)
            pairs[-1][path] = build_change(field, path)
        elif field:
            pairs.append({})
    if len(pairs) != sum(len(merge.parents) for merge in merges):
        raise GitError("git diff-tree did not tell about every merge")
    waiting = iter(pairs)
    return [[next(waiting) for _ in merge.parents] for merge in merges]
