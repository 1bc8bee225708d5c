"""What merges say: which commits came with a handoff's branch, and which side's files were kept.

Only merge commits say so: where a branch points differs from clone to clone, and a gate must not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange, read_merge_differences
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
        """The handoff whose branch a merge brought; None unless exactly one handoff has that branch."""
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


class KeptChange(NamedTuple):
    """A merge chose between two sides that had both changed a path."""

    change: PathChange
    """From what it dropped to what it kept."""
    number: int
    """The position of the commit whose content it kept."""


@dataclass
class MergeChoices:
    """The history with what its merges undid, and by merge, whose work they kept."""

    history: list[ChangedCommit]
    kept: dict[str, list[KeptChange]] = field(default_factory=lambda: defaultdict(list))


def find_merge_choices(git: Git, history: list[ChangedCommit], past: frozenset[str]) -> MergeChoices:
    """Adds to each merge the changes by which it undid one side's work; the other side had not touched these paths."""
    positions = {commit.id: number for number, commit in enumerate(history)}
    merges = [
        commit
        for commit in history
        if len(commit.parents) > 1 and commit.id not in past and all(name in positions for name in commit.parents)
    ]
    choices = MergeChoices(list(history))
    if not merges:
        return choices
    sides = _Sides(history, positions)
    for merge, differences in zip(merges, read_merge_differences(git, merges), strict=True):
        undone: dict[str, PathChange] = {}
        for dropped, changes in zip(merge.parents, differences, strict=True):
            for kept, others in zip(merge.parents, differences, strict=True):
                candidates = [path for path in changes if path not in others] if kept != dropped else ()
                for path, number in sides.find_overruled(candidates, dropped, kept):
                    if number is None:
                        undone[path] = changes[path]
                    else:
                        choices.kept[merge.id].append(KeptChange(changes[path], number))
        if undone:
            place = positions[merge.id]
            choices.history[place] = merge._replace(changes=(*merge.changes, *undone.values()))
    return choices


class _Sides:
    """Which side of a fork changed a path, and where."""

    def __init__(self, history: Sequence[ChangedCommit], positions: Mapping[str, int]) -> None:
        self._history, self._positions = history, positions
        self._by_path: dict[str, list[int]] = defaultdict(list)
        for number, commit in enumerate(history):
            for change in commit.changes:
                self._by_path[change.path].append(number)

    def find_overruled(self, paths: Sequence[str], dropped: str, kept: str) -> list[tuple[str, int | None]]:
        """Those paths that one side changed in vain, each with the commit of the other side that was kept, if any."""
        overruled = self._find_changed(paths, dropped, kept)
        rivals = self._find_changed(list(overruled), kept, dropped)
        return [(path, rivals.get(path)) for path in overruled]

    def _find_changed(self, paths: Sequence[str], side: str, other: str) -> dict[str, int]:
        """Those paths that commits of a side changed which the other side doesn't have, each with the last of them."""
        if not paths:
            return {}
        commits = set(walk_side(self._history, self._positions, other, side))
        oldest = min(commits, default=0)
        changed = {}
        for path in paths:
            numbers = self._by_path.get(path, [])
            last = next((one for one in reversed(numbers[bisect_left(numbers, oldest) :]) if one in commits), None)
            if last is not None:
                changed[path] = last
        return changed
