"""Coverage: has somebody approved every changed file, whose is it, and who approved each line. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import groupby

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.handoffs.scope.scope import Attribution, Scopes
from handoff_tui.log.gates.gate_state import GateName, GateReport

_MOST_NAMED = 3
SOURCE_WORDS: Mapping[str, str] = {
    Attribution.EXPLICIT: "stated in handoff-tui.toml",
    Attribution.RUN: "its agent's run made the commit",
    Attribution.COMMITS: "its own commits",
    Attribution.DECLARED: "its documents list it",
    Attribution.SPAN: "a guess: before its report",
    Attribution.OWNER: "nobody else claims the last change",
}
"""Why a change belongs to a handoff, as a person reads it."""
_SOURCE_ORDER = list(Attribution)


class Coverage(StrEnum):
    """How a changed path stands, worst first."""

    UNCLAIMED = "unclaimed"
    REJECTED = "rejected"
    WAITING = "waiting"
    OVERRIDDEN = "overridden"
    APPROVED = "approved"


COVERED = frozenset({Coverage.APPROVED, Coverage.OVERRIDDEN})
_BY_GATE = {
    GateName.APPROVED: Coverage.APPROVED,
    GateName.OVERRIDDEN: Coverage.OVERRIDDEN,
    GateName.SKIPPED: Coverage.OVERRIDDEN,
    GateName.REJECTED: Coverage.REJECTED,
    GateName.RETRY: Coverage.REJECTED,
}
_ORDER = list(Coverage)


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


class LineOrigin(NamedTuple):
    """Where a line comes from: a commit, and the name that the file had there. None if it is not committed."""

    commit: str | None
    path: str


class LineCoverage(NamedTuple):
    """A run of lines of a file that came the same way."""

    first: int
    last: int
    commit: str | None
    state: Coverage | None
    """None for lines from before the start line that nobody need approve."""
    handoffs: tuple[str, ...]
    covered_by: tuple[CoveringEntry, ...]


@dataclass(frozen=True)
class RepositoryCoverage:
    """Every path that changed since the start line."""

    paths: tuple[PathCoverage, ...] = ()
    counts: Mapping[Coverage, int] = field(default_factory=dict)
    cut_off: bool = False
    """Whether the history lacks its beginning, so that more may have changed."""

    @property
    def complete(self) -> bool:
        return not self.cut_off and all(path.state in COVERED for path in self.paths)

    def list_uncovered(self, but_for: str, reports: Mapping[str, GateReport]) -> tuple[PathCoverage, ...]:
        """The paths that are not covered, without those that only wait for the approval of one handoff."""
        open_paths = (path for path in self.paths if path.state not in COVERED and path.handoffs != (but_for,))
        return tuple(
            path
            for path in open_paths
            if _find_state([name for name in path.handoffs if name != but_for], reports) not in COVERED
        )


def build_coverage(
    scopes: Scopes, reports: Mapping[str, GateReport], only: Collection[str] | None = None
) -> RepositoryCoverage:
    """How each path stands that changed since the start line; with `only`, each of those paths."""
    owners = find_last_owners(scopes)
    wanted = scopes.changed if only is None else only
    standing = {handoffs: _find_standing(handoffs, reports) for handoffs in {(), *owners.values()}}
    paths = tuple(
        PathCoverage(path, state, handoffs, entries)
        for path in sorted(wanted)
        for handoffs in (owners.get(path, ()),)
        for state, entries in (standing[handoffs],)
    )
    counted = Counter(path.state for path in paths)
    return RepositoryCoverage(paths, {state: counted[state] for state in reversed(Coverage)}, bool(scopes.cut_off))


def count_coverage(scopes: Scopes, reports: Mapping[str, GateReport]) -> dict[Coverage, int]:
    """How many paths stand how."""
    owners = find_last_owners(scopes)
    counted = Counter[Coverage]()
    for handoffs, number in Counter(owners.get(path, ()) for path in scopes.changed).items():
        counted[_find_state(handoffs, reports)] += number
    return {state: counted[state] for state in reversed(Coverage)}


def find_last_owners(scopes: Scopes) -> dict[str, tuple[str, ...]]:
    """Each path with the handoffs to which its last change belongs; without those that nobody claims."""
    owners: dict[str, list[str]] = defaultdict(list)
    for handoff, scope in scopes.by_handoff.items():
        for path in scope.results:
            if path not in scope.taken_over:
                owners[path].append(handoff)
    unclaimed = frozenset(scopes.unclaimed_paths)
    return {path: tuple(sorted(handoffs)) for path, handoffs in owners.items() if path not in unclaimed}


def build_line_coverage(
    lines: Iterable[LineOrigin], scopes: Scopes, reports: Mapping[str, GateReport]
) -> tuple[LineCoverage, ...]:
    """Groups the lines of a file by who approved them."""
    owners: dict[LineOrigin, list[str]] = defaultdict(list)
    for handoff, scope in scopes.by_handoff.items():
        for change in scope.changes:
            own = owners[LineOrigin(change.commit, change.path)]
            if handoff not in own:
                own.append(handoff)
    groups = groupby(enumerate(lines, 1), key=lambda line: line[1])
    return tuple(
        _build_lines(
            [number for number, _ in group], origin, tuple(sorted(owners.get(origin, ()))), reports, scopes.past
        )
        for origin, group in groups
    )


def describe_uncovered(paths: tuple[PathCoverage, ...]) -> str:
    """`2 changed files are not approved: a.py (H-2 waiting), b.py (unclaimed)`."""
    named = name_some([f"{path.path} ({' '.join((*path.handoffs, path.state))})" for path in paths], _MOST_NAMED)
    return f"{plural(len(paths), 'changed file')} {'is' if len(paths) == 1 else 'are'} not approved: {named}"


def _build_lines(
    numbers: list[int],
    origin: LineOrigin,
    handoffs: tuple[str, ...],
    reports: Mapping[str, GateReport],
    past: Collection[str],
) -> LineCoverage:
    state: Coverage | None = _find_state(handoffs, reports)
    if origin.commit in past and state not in COVERED:
        state = None
    entries = tuple(_list_entries(handoffs, reports))
    return LineCoverage(numbers[0], numbers[-1], origin.commit, state, handoffs, entries)


def _find_standing(
    handoffs: tuple[str, ...], reports: Mapping[str, GateReport]
) -> tuple[Coverage, tuple[CoveringEntry, ...]]:
    """How a path of these handoffs stands, and the entries that cover it."""
    return _find_state(handoffs, reports), tuple(_list_entries(handoffs, reports))


def _find_state(handoffs: Collection[str], reports: Mapping[str, GateReport]) -> Coverage:
    """A shared path is as far as the handoff that is least far."""
    gates = (reports[handoff].state if handoff in reports else None for handoff in handoffs)
    states = (Coverage.WAITING if gate is None else _BY_GATE.get(gate, Coverage.WAITING) for gate in gates)
    return min(states, key=_ORDER.index, default=Coverage.UNCLAIMED)


def _list_entries(handoffs: tuple[str, ...], reports: Mapping[str, GateReport]) -> Iterator[CoveringEntry]:
    for handoff in handoffs:
        report = reports.get(handoff)
        for approval in report.approvals if report is not None else ():
            if approval.counted:
                yield CoveringEntry(approval.entry, approval.principal, handoff)


class ChangedPath(NamedTuple):
    """One changed path: how it stands, whose it is and why, and the commits that changed it."""

    coverage: PathCoverage
    source: Attribution | None = None
    """The strongest reason for its last change; None if nobody claims it."""
    commits: tuple[str, ...] = ()
    """Those of its handoffs, or those that nobody claims, oldest first."""
    uncommitted: bool = False

    @property
    def path(self) -> str:
        return self.coverage.path


def list_changed_paths(scopes: Scopes, reports: Mapping[str, GateReport]) -> tuple[ChangedPath, ...]:
    """Every path changed since the start line, sorted by name."""
    loose: dict[str, list[str | None]] = defaultdict(list)
    for change in scopes.unclaimed:
        loose[change.path].append(change.commit)
    return tuple(
        _build(covered, scopes, loose.get(covered.path, ())) for covered in build_coverage(scopes, reports).paths
    )


def _build(covered: PathCoverage, scopes: Scopes, loose: list[str | None] | tuple[()]) -> ChangedPath:
    own = [change for handoff in covered.handoffs for change in scopes.of(handoff).find_changes(covered.path)]
    commits = [change.commit for change in own] or loose
    last = [changes[-1].source for name in covered.handoffs if (changes := scopes.of(name).find_changes(covered.path))]
    return ChangedPath(
        covered,
        min(last, key=_SOURCE_ORDER.index, default=None),
        tuple(dict.fromkeys(commit for commit in commits if commit is not None)),
        None in commits,
    )
