"""Commits with their trees and parents: those between two points, those that are work, and who made them.

A commit that only adds log entries isn't work.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_changes import find_read_paths
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.session import session_of
from handoff_tui.system.files.own_folder import ALL_BUT_OWN

# not git's own idea of trailers: what it takes for one can be changed in .git/config (comment character, separators)
_CO_AUTHOR = compile_later(r"^co-authored-by[ \t]*[:=](.*(?:\n[ \t]+\S.*)*)", re.IGNORECASE | re.MULTILINE)
_BETWEEN = compile_later(r"[\s<>()\[\],;:\"']+")
"""What parts the words of a line, an address being a word; splitting takes no longer for a hostile line."""


def list_work_commits(git: Git, base: str | None, head: str = "HEAD") -> list[str]:
    """Lists commits after `base` that change anything outside `.handoff-tui/`, newest first; all without a base.

    A merge that took one side unchanged isn't work of whoever merged.
    """
    reach = head if base is None else f"{base}..{head}"
    return os.fsdecode(git.read("rev-list", reach, *ALL_BUT_OWN)).split()


def list_work_times(git: Git, since: int) -> list[int]:
    """Lists when work commits since `since` were made, in seconds since 1970, sorted."""
    listed = os.fsdecode(git.read("rev-list", "--timestamp", f"--max-age={max(0, since)}", "HEAD", *ALL_BUT_OWN))
    return sorted(int(line.partition(" ")[0]) for line in listed.splitlines())


def find_work_commit(git: Git) -> str | None:
    """Returns the newest commit that is work: the source of the work tree's content."""
    return (
        os.fsdecode(session_of(git).read_history_of("rev-list", "--max-count=1", "HEAD", *ALL_BUT_OWN)).strip() or None
    )


def list_co_authors(body: str) -> frozenset[str]:
    """Returns the addresses in the `Co-authored-by` trailers of a message, in lower case."""
    words = (word for named in _CO_AUTHOR.findall(body) for word in _BETWEEN.split(named))
    return frozenset(word.casefold() for word in words if "@" in word.strip("@"))


def find_ancestors(git: Git, commits: Iterable[str], head: str = "HEAD") -> frozenset[str]:
    """Returns those of many commits that are `head` or its ancestors, in two git calls; a missing commit isn't."""
    history = session_of(git).read_history() if head == "HEAD" else None
    if history is not None and history.complete:
        return frozenset(commit for commit in commits if commit in history.parents)
    here = {name for name, commit in resolve_commits(git, list(dict.fromkeys(commits))).items() if commit is not None}
    if not here:
        return frozenset()
    lines = "".join(f"{line}\n" for line in (f"^{head}", *sorted(here))).encode()
    return frozenset(here.difference(os.fsdecode(git.read("rev-list", "--stdin", stdin=lines)).split()))


def is_ancestor(git: Git, commit: str, head: str) -> bool:
    """Tells whether a commit is `head` or its ancestor; a missing commit isn't."""
    history = session_of(git).read_history()
    if history.complete and head in {"HEAD", next(iter(history.parents), None)}:
        return commit in history.parents
    return git.run("merge-base", "--is-ancestor", commit, head).ok


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
    known = find_read_paths(git, commit)
    if known is not None:
        return known
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
