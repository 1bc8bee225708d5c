"""What differs between a commit and the work tree, and what single commits changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from handoff_tui.git.command import Git


class TreeChange(NamedTuple):
    """A path that differs: A added, M modified, D deleted, T type changed, R renamed."""

    status: str
    path: str
    old_path: str | None = None


def read_changes(git: Git, commit: str) -> list[TreeChange]:
    """Returns tracked paths that differ from a commit, with renames; untracked files aren't included."""
    output = git.read("diff", "--raw", "-z", "--find-renames", "--ignore-submodules=dirty", commit, "--")
    fields = iter(os.fsdecode(output).split("\0"))
    changes: list[TreeChange] = []
    for field in fields:
        if not field.startswith(":"):
            continue
        status = field.rpartition(" ")[2][:1]
        path = next(fields)
        if status in {"R", "C"}:
            changes.append(TreeChange("R" if status == "R" else "A", next(fields), path))
        else:
            changes.append(TreeChange(status, path))
    return changes


def read_commit_paths(git: Git, commit: str) -> list[str]:
    """Returns the paths that one commit changed, compared with its first parent."""
    output = git.read(
        "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-m", "--first-parent", "-z", commit
    )
    return [path for path in os.fsdecode(output).split("\0") if path]


def find_merge_base(git: Git, one: str, other: str) -> str | None:
    """Returns the commit where two branches forked."""
    answer = git.run("merge-base", one, other)
    return answer.text or None if answer.ok else None


def read_remotes(git: Git) -> list[tuple[str, str]]:
    """Returns names and addresses of the remotes."""
    return sorted(
        (key.removeprefix("remote.").removesuffix(".url"), url)
        for _, key, url in git.list_config()
        if url and key.startswith("remote.") and key.endswith(".url")
    )


def reaches_locally(root: Path, url: str) -> bool | None:
    """Tells whether a remote in a local folder is a repository; None for any other address."""
    if url.startswith("file://"):
        url = urlsplit(url).path
    elif "://" in url or (":" in url.partition("/")[0]):
        return None
    place = (root / url).resolve()
    return (place / "HEAD").is_file() or (place / ".git").exists()
