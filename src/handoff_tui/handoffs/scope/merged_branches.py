"""Commits that came with the merge of a handoff's branch. Pure.

Only merge commits say so: where a branch points differs from clone to clone, and a gate must not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.history.commit_changes import ChangedCommit
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Handoff, build_id

AGENT_BRANCHES = "handoff-tui"
"""The first part of the branches that agents work on: `handoff-tui/<handoff>/<phase>/a<attempt>`."""
_MERGE = compile_later(
    r"Merge (?:(?P<remote>remote-tracking )?branch '(?P<branch>[^']+)'"
    r"|pull request #[0-9]+ from [^/\s]+/(?P<request>\S+))"
)
TRUNKS = frozenset({"main", "master", "trunk", "develop", "development", "dev", "default", "HEAD"})
"""Branches that say nothing about whose work is on them."""


def find_merged_commits(history: Sequence[ChangedCommit], handoffs: Sequence[Handoff]) -> Mapping[str, frozenset[str]]:
    """Each handoff with the commits of its merged branches, and the merges."""
    branches = _Branches(handoffs)
    positions: dict[str, int] = {}
    found: dict[str, frozenset[str]] = {}
    for number, commit in enumerate(history):
        positions[commit.id] = number
        handoff = branches.find(commit.subject) if len(commit.parents) == 2 else None  # noqa: PLR2004 - a merge
        if handoff is not None:
            side = (history[one].id for one in walk_side(history, positions, *commit.parents))
            found[handoff] = found.get(handoff, frozenset()).union(side, [commit.id])
    return found


def find_merged_branches(history: Sequence[ChangedCommit]) -> frozenset[str]:
    """The names of all branches that a merge of this history brought."""
    return frozenset(filter(None, (_read_merge(one.subject) for one in history if len(one.parents) > 1)))


def _read_merge(subject: str) -> str | None:
    """The branch that a merge brought, by its subject; None if it names none."""
    merged = _MERGE.match(subject)
    if merged is None:
        return None
    name: str = merged["branch"] or merged["request"]
    return name.partition("/")[2] if merged["remote"] else name


class _Branches:
    """Whose branch a name is."""

    def __init__(self, handoffs: Sequence[Handoff]) -> None:
        claimed: dict[str, set[str]] = defaultdict(set)
        for handoff in handoffs:
            for claim in handoff.claims:
                if claim.kind is ClaimKind.BRANCH and isinstance(claim.value, str):
                    claimed[claim.value].add(handoff.id)
        self._claimed = {
            name: next(iter(owners)) for name, owners in claimed.items() if len(owners) == 1 and name not in TRUNKS
        }
        self._agents = {build_branch_part(handoff.id): handoff.id for handoff in handoffs}

    def find(self, subject: str) -> str | None:
        """The handoff whose branch a merge brought; None if it was no merge, or the branch of nobody or several."""
        name = _read_merge(subject)
        if name is None:
            return None
        prefix, _, rest = name.partition("/")
        if prefix == AGENT_BRANCHES:
            return self._agents.get(rest.partition("/")[0])
        return self._claimed.get(name)


def build_branch_part(handoff: str) -> str:
    """A handoff's id as one part of a branch name."""
    return build_id(handoff).replace("/", "-")


def walk_side(history: Sequence[ChangedCommit], positions: Mapping[str, int], kept: str, merged: str) -> Iterator[int]:
    """The commits behind `merged` that are not behind `kept`, newest first. Looks no further back than it must."""
    waiting = [(-positions[name], name == kept) for name in {kept, merged} if name in positions]
    waiting.sort()
    open_side = sum(not is_kept for _, is_kept in waiting)
    while open_side and waiting:
        place, is_kept = heappop(waiting)
        open_side -= not is_kept
        while waiting and waiting[0][0] == place:
            _, also_kept = heappop(waiting)
            open_side -= not also_kept
            is_kept |= also_kept
        if not is_kept:
            yield -place
        for parent in history[-place].parents:
            if parent in positions:
                heappush(waiting, (-positions[parent], is_kept))
                open_side += not is_kept
