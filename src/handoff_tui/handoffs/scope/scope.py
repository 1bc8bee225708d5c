"""The scope of a handoff: the changes that belong to it, and what they amount to. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property

from handoff_tui.core.classes import NamedTuple, dataclass, field, replace


class Attribution(StrEnum):
    """Why a change belongs to a handoff, strongest first."""

    EXPLICIT = "explicit"
    """A person said so: `submit --since --path`, or `[scopes]` in the configuration."""
    RUN = "run"
    """An agent that we started for this handoff made the commit."""
    COMMITS = "commits"
    """The commit names the handoff, or the handoff names the commit."""
    DECLARED = "declared"
    """The handoff's documents list the path, or the path is one of its documents."""
    SPAN = "span"
    """A guess: the commit lies between the previous handoff document and this one's."""
    OWNER = "owner"
    """Nobody claims the change; the handoff changed the path last before it, or next after it."""


class Content(NamedTuple):
    """What a path holds: its mode and its blob, or nothing once it is deleted."""

    mode: str = ""
    blob: str = ""

    @property
    def deleted(self) -> bool:
        return not self.mode


DELETED = Content()


class OwnChange(NamedTuple):
    """One change of a handoff. `commit` is None for a change that is not committed."""

    path: str
    commit: str | None
    before: Content
    after: Content
    source: Attribution


@dataclass(frozen=True)
class Scope:
    """All changes of one handoff, oldest first."""

    handoff: str
    changes: tuple[OwnChange, ...] = ()
    start: str | None = None
    """The parent of its first own commit; HEAD if nothing is committed; None before the first commit."""
    shared: frozenset[str] = frozenset()
    """Own paths whose last change belongs to other handoffs, too."""
    records: frozenset[str] = frozenset()
    """Own paths that are reviews, evaluations or registries."""
    undeclared: tuple[str, ...] = ()
    """Paths that its commits change and its documents do not list, if they list any."""
    never_changed: tuple[str, ...] = ()
    """Paths that it declares as changed and that no change of its own touches."""
    changed_by_others: Mapping[str, str] = field(default_factory=dict)
    """Paths that it declares as changed and that another handoff changed last, and which."""
    taken_over: Mapping[str, str] = field(default_factory=dict)
    """Own paths that another handoff changed after this one's last change, and which."""

    @cached_property
    def results(self) -> dict[str, Content]:
        """Each own path with its content after the last own change, sorted by path."""
        last = {change.path: change.after for change in self.changes}
        return dict(sorted(last.items()))

    @cached_property
    def bound(self) -> dict[str, Content]:
        """The results that a decision binds: without reviews and registries, which record decisions."""
        return {path: content for path, content in self.results.items() if path not in self.records}

    @cached_property
    def unbound(self) -> tuple[str, ...]:
        """Own changed files that a decision doesn't bind."""
        return tuple(path for path in self.results if path in self.records and self.results[path] != self.befores[path])

    @cached_property
    def present(self) -> frozenset[str]:
        """Own paths that are there after the last own change."""
        return frozenset(path for path, content in self.results.items() if not content.deleted)

    @cached_property
    def befores(self) -> dict[str, Content]:
        """Each own path with its content before the first own change."""
        first: dict[str, Content] = {}
        for change in self.changes:
            first.setdefault(change.path, change.before)
        return first

    @cached_property
    def commits(self) -> tuple[str, ...]:
        """Its own commits, oldest first."""
        return tuple(dict.fromkeys(change.commit for change in self.changes if change.commit is not None))

    @cached_property
    def source(self) -> Attribution | None:
        """The strongest reason for any of its changes; None if it has no changes."""
        order = list(Attribution)
        return min((change.source for change in self.changes), key=order.index, default=None)

    @cached_property
    def _by_path(self) -> dict[str, list[OwnChange]]:
        found: dict[str, list[OwnChange]] = {}
        for change in self.changes:
            found.setdefault(change.path, []).append(change)
        return found

    def find_changes(self, path: str) -> tuple[OwnChange, ...]:
        """Its own changes of one path, oldest first."""
        return tuple(self._by_path.get(path, ()))

    def reasons(self) -> Iterator[tuple[str, Attribution]]:
        """Each own path with the reason for its last change."""
        yield from sorted({change.path: change.source for change in self.changes}.items())

    def compare_bound(self, other: Scope) -> tuple[str, ...]:
        """The bound paths whose content differs from that of another scope of the same handoff."""
        mine, theirs = self.bound, other.bound
        return tuple(sorted(path for path in mine.keys() | theirs.keys() if mine.get(path) != theirs.get(path)))

    def without_uncommitted(self) -> Scope:
        """The committed part of the scope."""
        committed = tuple(change for change in self.changes if change.commit is not None)
        return replace(self, changes=committed)


@dataclass(frozen=True)
class Scopes:
    """Every change, given to the handoffs it belongs to."""

    by_handoff: Mapping[str, Scope]
    unclaimed: tuple[OwnChange, ...] = ()
    """Changes that belong to nobody; `source` says nothing here."""
    changed: frozenset[str] = frozenset()
    """Every path that changed after the start line; each has owners, or is unclaimed."""
    head: str | None = None
    past: frozenset[str] = frozenset()
    """Commits that don't count as work: those up to the start line; without a policy, a first commit that has files."""
    merged: frozenset[str] = frozenset()
    """The names of branches that merges brought."""
    restored: frozenset[str] = frozenset()
    """Paths that nobody claims and that hold again what they held before: there is nothing to review."""
    cut_off: frozenset[str] = frozenset()
    """First commits of a history that lacks its beginning: nobody can tell what they changed."""
    problems: tuple[str, ...] = ()
    """What a person should know about them: a stated scope that means nothing here, a history that is cut off."""

    def of(self, handoff: str) -> Scope:
        return self.by_handoff.get(handoff) or Scope(handoff, start=self.head)

    @cached_property
    def unclaimed_paths(self) -> tuple[str, ...]:
        """Paths whose last change nobody claims."""
        return tuple(sorted({change.path for change in self.unclaimed}))
