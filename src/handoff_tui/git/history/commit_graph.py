"""Commits with their trees and parents, as many as are between two points, in one git call."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from handoff_tui.core.classes import NamedTuple
from handoff_tui.git.command import Git


def read_first_commit(git: Git) -> str | None:
    """Returns the first commit of HEAD's history, the smallest id if there are several; None without a commit."""
    answer = git.run("rev-list", "--max-parents=0", "HEAD")
    return min(os.fsdecode(answer.stdout).split(), default=None) if answer.ok else None


_FORMAT = "%H%x00%T%x00%P%x00%ct%x00%an%x00%ae%x00%aI%x00%s%x00"
_FIELDS = 8


class GraphCommit(NamedTuple):
    """A commit, its tree and its parents. The parents of a shallow clone's last commits are unknown."""

    id: str
    tree: str
    parents: tuple[str, ...]
    committed: int
    """Seconds since 1970, by the committer's clock."""
    author: str
    author_email: str
    date: str
    subject: str

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.committed, UTC)


def read_graph(git: Git, wanted: str, *options: str, without: tuple[str, ...] = ()) -> list[GraphCommit]:
    """Returns the ancestors of one commit but not of others, newest first. `options` are those of git log."""
    words = ("log", "-z", f"--format={_FORMAT}", *options, wanted, *(f"^{one}" for one in without), "--")
    fields = os.fsdecode(git.read(*words)).split("\0")
    # `-z` adds a NUL between commits, so each commit is its fields and one empty one
    return [_build(fields[start : start + _FIELDS]) for start in range(0, len(fields) - _FIELDS, _FIELDS + 1)]


def count_commits(git: Git, wanted: str) -> int:
    """Returns the number of ancestors of a commit, including itself."""
    return int(git.read("rev-list", "--count", wanted, "--"))


def find_merge_bases(git: Git, one: str, other: str) -> list[str]:
    """Returns every commit where two branches forked; empty if they have nothing in common."""
    return git.run("merge-base", "--all", one, other).text.split()


def read_commit_paths(git: Git, commit: str) -> list[str]:
    """Returns the paths that one commit changed, compared with its first parent."""
    output = git.read(
        "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-m", "--first-parent", "-z", commit
    )
    return [path for path in os.fsdecode(output).split("\0") if path]


def read_message(git: Git, commit: str) -> str:
    """Returns the full message of a commit."""
    return os.fsdecode(git.read("log", "--max-count=1", "--format=%B", commit, "--")).strip()


def _build(fields: list[str]) -> GraphCommit:
    identifier, tree, parents, committed, author, email, date, subject = fields
    return GraphCommit(identifier.strip(), tree, tuple(parents.split()), int(committed), author, email, date, subject)
