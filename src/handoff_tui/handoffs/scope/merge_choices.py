"""What merges chose where git's list of changes is silent: a merge that keeps one side's file drops the other's.

`git log` shows of a merge only what differs from all its parents. So a merge could undo approved work unseen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange, read_merge_differences
from handoff_tui.handoffs.scope.merged_branches import walk_side


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
