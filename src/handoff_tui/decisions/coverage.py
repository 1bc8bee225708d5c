"""Coverage: has somebody approved every changed file? And line by line, who approved what. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.log.gates.gate_state import GateName, GateReport


class Coverage(StrEnum):
    """How a changed path stands, worst first."""

    UNCLAIMED = "unclaimed"
    REJECTED = "rejected"
    WAITING = "waiting"
    OVERRIDDEN = "overridden"
    APPROVED = "approved"


_COVERED = frozenset({Coverage.APPROVED, Coverage.OVERRIDDEN})
_BY_GATE = {
    GateName.APPROVED: Coverage.APPROVED,
    GateName.OVERRIDDEN: Coverage.OVERRIDDEN,
    GateName.SKIPPED: Coverage.OVERRIDDEN,
    GateName.REJECTED: Coverage.REJECTED,
    GateName.RETRY: Coverage.REJECTED,
}


class CoveringEntry(NamedTuple):
    """A decision that covers a path."""

    entry: str
    principal: str
    handoff: str


class PathCoverage(NamedTuple):
    """One changed path: whose it is, and who approved it."""

    path: str
    state: Coverage
    handoffs: tuple[str, ...] = ()
    covered_by: tuple[CoveringEntry, ...] = ()


class LineCoverage(NamedTuple):
    """A run of lines of a file that came the same way."""

    first: int
    last: int
    commit: str | None
    state: Coverage | None
    """None for lines from before the start line."""
    handoffs: tuple[str, ...]
    covered_by: tuple[CoveringEntry, ...]


@dataclass(frozen=True)
class RepositoryCoverage:
    """Every path that changed since the start line."""

    paths: tuple[PathCoverage, ...] = ()
    counts: Mapping[Coverage, int] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return all(path.state in _COVERED for path in self.paths)


def build_coverage(
    scopes: Scopes, reports: Mapping[str, GateReport], only: Collection[str] | None = None
) -> RepositoryCoverage:
    """How each changed path stands; with `only`, those paths alone."""
    owners = find_last_owners(scopes)
    paths = [_build_path(path, handoffs, reports) for path, handoffs in owners.items()]
    paths += [PathCoverage(path, Coverage.UNCLAIMED) for path in scopes.unclaimed_paths]
    kept = tuple(sorted(path for path in paths if only is None or path.path in only))
    counted = Counter(path.state for path in kept)
    return RepositoryCoverage(kept, {state: counted[state] for state in reversed(Coverage)})


def find_last_owners(scopes: Scopes) -> dict[str, tuple[str, ...]]:
    """Each owned path with the handoffs to which its last change belongs."""
    owners: dict[str, list[str]] = {}
    for handoff, scope in scopes.by_handoff.items():
        for path in scope.results:
            if path not in scope.taken_over:
                owners.setdefault(path, []).append(handoff)
    return {path: tuple(sorted(handoffs)) for path, handoffs in owners.items()}


def build_line_coverage(
    path: str, commits: Iterable[str | None], scopes: Scopes, reports: Mapping[str, GateReport]
) -> tuple[LineCoverage, ...]:
    """Groups the lines of a file by who approved them; `commits` are the lines' own, None if not committed."""
    owners: dict[str | None, list[str]] = {}
    for handoff, scope in scopes.by_handoff.items():
        for change in scope.changes:
            if change.path == path:
                owners.setdefault(change.commit, []).append(handoff)
    unclaimed = {change.commit for change in scopes.unclaimed if change.path == path}
    groups = groupby(enumerate(commits, 1), key=lambda line: line[1])
    return tuple(_build_lines(list(lines), commit, owners, unclaimed, reports) for commit, lines in groups)


def _build_lines(
    lines: list[tuple[int, str | None]],
    commit: str | None,
    owners: Mapping[str | None, list[str]],
    unclaimed: Collection[str | None],
    reports: Mapping[str, GateReport],
) -> LineCoverage:
    handoffs = tuple(sorted(owners.get(commit, ())))
    state = _find_state(handoffs, reports) if handoffs else Coverage.UNCLAIMED if commit in unclaimed else None
    return LineCoverage(lines[0][0], lines[-1][0], commit, state, handoffs, tuple(_list_entries(handoffs, reports)))


def _build_path(path: str, handoffs: tuple[str, ...], reports: Mapping[str, GateReport]) -> PathCoverage:
    return PathCoverage(path, _find_state(handoffs, reports), handoffs, tuple(_list_entries(handoffs, reports)))


def _find_state(handoffs: tuple[str, ...], reports: Mapping[str, GateReport]) -> Coverage:
    """A shared path is as far as the handoff that is least far."""
    order = list(Coverage)
    states = [_BY_GATE.get(reports[handoff].state, Coverage.WAITING) for handoff in handoffs if handoff in reports]
    return min(states, key=order.index) if len(states) == len(handoffs) else Coverage.WAITING


def _list_entries(handoffs: tuple[str, ...], reports: Mapping[str, GateReport]) -> Iterator[CoveringEntry]:
    for handoff in handoffs:
        report = reports.get(handoff)
        for approval in report.approvals if report is not None else ():
            if approval.counted:
                yield CoveringEntry(approval.entry, approval.principal, handoff)
