"""Commits that are work, and who made them. A commit that only adds log entries isn't work."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
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
