"""Every changed path with its coverage and the reason it belongs to its handoffs. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from handoff_tui.core.classes import NamedTuple
from handoff_tui.handoffs.scope.scope import Scopes, Source
from handoff_tui.log.gates.coverage import PathCoverage, build_coverage
from handoff_tui.log.gates.gate_state import GateReport

SOURCE_WORDS: Mapping[str, str] = {
    Source.EXPLICIT: "stated in handoff-tui.toml",
    Source.RUN: "its agent's run made the commit",
    Source.COMMITS: "its own commits",
    Source.DECLARED: "its documents list it",
    Source.SPAN: "a guess: before its report",
    Source.OWNER: "nobody else claims the last change",
}
"""Why a change belongs to a handoff, as a person reads it."""
_ORDER = list(Source)


class ChangedPath(NamedTuple):
    """One changed path: how it stands, whose it is and why, and the commits that changed it."""

    coverage: PathCoverage
    source: Source | None = None
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
        min(last, key=_ORDER.index, default=None),
        tuple(dict.fromkeys(commit for commit in commits if commit is not None)),
        None in commits,
    )
