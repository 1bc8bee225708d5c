"""Which commit the work is compared with, and why that one."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.errors import UsageError
from handoff_tui.repo.changes import find_merge_base
from handoff_tui.repo.history import read_refs, resolve_commits
from handoff_tui.review.desk import Desk

_USUAL_NAMES = ("main", "master", "trunk", "develop")


class Baseline(NamedTuple):
    """A commit and the reason for it; nothing, with the reason, when there is none."""

    commit: str | None
    reason: str


def choose_baseline(desk: Desk, named: str | None) -> Baseline:
    """The one that was named; else where unpushed work began; else where this branch left the main one."""
    git, facts = desk.repository.git, desk.work_tree.facts
    if named is not None:
        commit = resolve_commits(git, [named]).get(named)
        if commit is None:
            raise UsageError(f"{named!r} is no commit here", "Name a commit, branch or tag with --baseline.")
        return Baseline(commit, f"named: {named}")
    if facts.head is None:
        return Baseline(None, "there is no commit yet")
    if facts.upstream is not None and facts.ahead:
        base = find_merge_base(git, "HEAD", "@{upstream}")
        if base is not None:
            return Baseline(base, f"where {facts.upstream} ends: everything after it is unpushed")
    for ref in _list_main_branches(desk):
        base = find_merge_base(git, "HEAD", ref)
        if base is not None and base != facts.head:
            return Baseline(
                base, f"where this branch left {ref.removeprefix('refs/heads/').removeprefix('refs/remotes/')}"
            )
    return Baseline(None, "everything is pushed and on the main branch; name an earlier commit with --baseline")


def _list_main_branches(desk: Desk) -> list[str]:
    names = {ref.name for ref in read_refs(desk.repository.git, "refs/heads", "refs/remotes")}
    own = f"refs/heads/{desk.work_tree.facts.branch}"
    wanted = (f"refs/{place}{name}" for name in _USUAL_NAMES for place in ("remotes/origin/", "heads/"))
    return [ref for ref in wanted if ref in names and ref != own]
