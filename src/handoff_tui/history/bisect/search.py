"""Which commit to try next, and what is left: the way `git bisect` narrows a history with merges. Pure.

The same commits are tried in the same order as git would try them, so that both end at the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isqrt

from handoff_tui.history.bisect.report import Standing

_MODULUS = 32_768
_NEARLY_HALF = 1_024
"""Of very many commits it is enough to be within a thousandth of the middle."""


class Search:
    """The commits that may be the first bad one: those that lead to a bad one and to no good one."""

    def __init__(self, parents: Mapping[str, Sequence[str]], bad: str) -> None:
        """`parents` are those of every commit that leads to `bad`, newest first in git's order, and to no good one."""
        self._parents = {commit: [one for one in found if one in parents] for commit, found in parents.items()}
        self._order = list(parents)[::-1]
        self._skipped: set[str] = set()
        self.bad = bad

    @property
    def left(self) -> list[str]:
        """Every commit that may still be it, newest first."""
        return self._order[::-1]

    @property
    def is_found(self) -> bool:
        return self._order == [self.bad]

    def note(self, commit: str, standing: Standing) -> None:
        """What a trial says."""
        if standing is Standing.UNTESTABLE:
            self._skipped.add(commit)
            return
        behind = self._find_behind(commit)
        if standing is Standing.BAD:
            self.bad = commit
            self._keep(one for one in self._order if one in behind)
        else:
            self._keep(one for one in self._order if one not in behind)

    def choose(self) -> str | None:
        """The commit to try next; nothing where one is left, or none that can be tried."""
        if len(self._order) <= 1:
            return None
        weights = self._weigh()
        if self._skipped.isdisjoint(self._order):
            return self._choose_half(weights)
        return self._choose_beside_skipped(weights)

    def _keep(self, commits: Iterable[str]) -> None:
        self._order = list(commits)
        kept = set(self._order)
        self._parents = {one: [p for p in self._parents[one] if p in kept] for one in self._order}

    def _find_behind(self, commit: str) -> set[str]:
        """A commit and all that lead to it."""
        seen = {commit}
        waiting = [commit]
        while waiting:
            for parent in self._parents[waiting.pop()]:
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return seen

    def _weigh(self) -> dict[str, int]:
        """Of each commit, how many lead to it, itself counted.

        Sets are whole numbers, a bit for each commit, and are dropped as soon as no child needs them.
        """
        waiting = dict.fromkeys(self._order, 0)
        for parents in self._parents.values():
            for parent in parents:
                waiting[parent] += 1
        reached: dict[str, int] = {}
        weights: dict[str, int] = {}
        for number, commit in enumerate(self._sort_parents_first()):
            mask = 1 << number
            for parent in self._parents[commit]:
                mask |= reached[parent]
                waiting[parent] -= 1
                if not waiting[parent]:
                    del reached[parent]
            weights[commit] = mask.bit_count()
            reached[commit] = mask
        return weights

    def _sort_parents_first(self) -> list[str]:
        """Clocks differ, so that the order by date can have a child before its parent."""
        done: set[str] = set()
        ordered: list[str] = []
        for start in self._order:
            waiting = [start]
            while waiting:
                commit = waiting[-1]
                open_parents = [parent for parent in self._parents[commit] if parent not in done]
                if open_parents and commit not in done:
                    waiting += open_parents
                    continue
                waiting.pop()
                if commit not in done:
                    done.add(commit)
                    ordered.append(commit)
        return ordered

    def _choose_half(self, weights: Mapping[str, int]) -> str:
        """The first that halves them, merges before others; else the one nearest to it."""
        merges = [commit for commit in self._order if len(self._parents[commit]) > 1]
        found = next((commit for commit in merges if self._is_half(weights[commit])), None)
        if found is not None:
            return found
        known = {commit for commit in self._order if len(self._parents[commit]) != 1}
        while len(known) < len(self._order):
            for commit in self._order:
                if commit in known or self._parents[commit][0] not in known:
                    continue
                known.add(commit)
                if self._is_half(weights[commit]):
                    return commit
        return max(self._order, key=lambda commit: self._measure(weights[commit]))

    def _choose_beside_skipped(self, weights: Mapping[str, int]) -> str | None:
        """The best that can be tried; where the very best cannot, one further away: its neighbours may be like it."""
        ranked = sorted(self._order, key=lambda commit: (-self._measure(weights[commit]), commit))
        usable = [commit for commit in ranked if commit not in self._skipped]
        if usable == [self.bad]:
            return None
        if ranked[0] not in self._skipped:
            return ranked[0]
        count = len(usable)
        number = (count * 1_103_515_245 + 12_345) % (1 << 32) // 65_536 % _MODULUS
        index = count * number // _MODULUS * isqrt(number) // isqrt(_MODULUS)
        if usable[index] != self.bad:
            return usable[index]
        return usable[index - 1] if index else usable[1]

    def _is_half(self, weight: int) -> bool:
        difference = abs(2 * weight - len(self._order))
        return difference <= 1 or difference < len(self._order) // _NEARLY_HALF

    def _measure(self, weight: int) -> int:
        return min(weight, len(self._order) - weight)


def build_places(last: int, most: int) -> list[int]:
    """Where on a line to look for a good commit, counted from the bad one: 1, 2, 4 and so on, and the last.

    Then the middles of the gaps between them, newest first, and again of what is left, until all or `most` are named.
    """
    places = [place for place in (1 << power for power in range(last.bit_length())) if place < last]
    places += [last] if last else []
    known = [0, *places]
    while len(places) < most:
        middles = [(newer + older) // 2 for newer, older in pairwise(known) if older - newer > 1]
        if not middles:
            break
        places += middles
        known = sorted([*known, *middles])
    return places[:most]


def count_steps(left: int) -> int:
    """About how many trials so many commits need."""
    return max(0, left - 1).bit_length()
