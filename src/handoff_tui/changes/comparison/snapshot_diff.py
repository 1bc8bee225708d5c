"""The differences between two snapshots: by id and fingerprint, never by count alone."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.model import Model
from handoff_tui.core.place import Place


class ItemChange(StrEnum):
    """What happened to one thing between two snapshots."""

    NEW = "new"
    """Not there before."""
    NEWLY_FAILING = "newly-failing"
    FIXED = "fixed"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    """Still there, but different: an upgraded package, an outcome that is neither fixed nor failing."""
    REMOVED = "removed"
    VANISHED = "vanished"
    """A test that no longer runs, and no handoff says it was removed."""
    NEWLY_SKIPPED = "newly-skipped"
    RENAMED = "renamed"


class ComparedItem(NamedTuple):
    """One thing that differs. There can be 50,000 when a folder of tests moves, so it is a tuple, not a model."""

    id: str
    change: ItemChange
    before: str | None = None
    after: str | None = None
    old_id: str | None = None
    """Its name before it was renamed."""
    explained: bool | None = None
    """For a drop: whether a handoff mentions it. None if no explanation is needed."""
    explanation: Place | None = None
    note: str = ""
    """Anything else worth saying about it."""

    def explain(self, place: Place | None) -> ComparedItem:
        """A drop, with the place that explains it, if any."""
        return self._replace(explained=place is not None, explanation=place)


class ComparedSection(Model):
    """One kind of thing compared: what differs, and how many are unchanged."""

    items: tuple[ComparedItem, ...] = ()
    unchanged: int = 0
    before_total: int = 0
    after_total: int = 0


def build_section(items: Iterable[ComparedItem], before_total: int, after_total: int) -> ComparedSection:
    """What differs, by id."""
    ordered = tuple(sorted(items, key=lambda item: item.id))
    unchanged = before_total - sum(item.before is not None for item in ordered)
    return ComparedSection(items=ordered, unchanged=unchanged, before_total=before_total, after_total=after_total)


class Clash(Model):
    """A file two packages own."""

    path: str
    owners: tuple[str, ...]
    known: bool = False
    """Whether the same packages clashed over it before."""


class ClaimCheck(Model):
    """A number a document claims, with what was measured now and before."""

    handoff: str
    what: str
    claimed: int
    measured: int | None
    before: int | None
    where: str
    agrees: bool | None
    """None if there is nothing to compare with."""
    text: str
    """In words: says 22 packages, baseline had 21, here are 22."""
    previous: int | None = None
    """What the previous document claims."""


class NotRead(Model):
    """Something that couldn't be read into one or both snapshots."""

    path: str
    reason: str
    in_before: bool
    in_after: bool


SECTIONS = ("tests", "checks", "findings", "packages", "dependencies", "files", "measures")


class SnapshotDiff(Model):
    """Everything that differs between two snapshots."""

    tests: ComparedSection = ComparedSection.model_construct()
    checks: ComparedSection = ComparedSection.model_construct()
    findings: ComparedSection = ComparedSection.model_construct()
    packages: ComparedSection = ComparedSection.model_construct()
    dependencies: ComparedSection = ComparedSection.model_construct()
    """Edges, as `package -> dependency`."""
    files: ComparedSection = ComparedSection.model_construct()
    measures: ComparedSection = ComparedSection.model_construct()
    clashes: tuple[Clash, ...] = ()
    claims: tuple[ClaimCheck, ...] = ()
    notes: tuple[str, ...] = ()
    """How to read the numbers: no test report here, none in the baseline."""
    unread: tuple[NotRead, ...] = ()

    @property
    def sections(self) -> dict[str, ComparedSection]:
        """Every section by name."""
        return {name: getattr(self, name) for name in SECTIONS}

    @property
    def unexplained(self) -> tuple[ComparedItem, ...]:
        """Drops no handoff mentions."""
        return tuple(item for one in self.sections.values() for item in one.items if item.explained is False)


class BaselineChoice(Model):
    """Which snapshot or commit the work is compared with, and why; all None if there is none."""

    snapshot: str | None = None
    """Digest of a stored snapshot, 64 hex."""
    commit: str | None = None
    reason: str
    tree: str | None = None
    """Files only, if there is no snapshot of them."""


class DiffScope(StrEnum):
    """Since when a reviewer wants to see changes."""

    SINCE_BASELINE = "since-baseline"
    SINCE_MY_REVIEW = "since-my-review"
    SINCE_PREVIOUS_ATTEMPT = "since-previous-attempt"
    BETWEEN = "between"
    """Between any two snapshots or commits."""
    BETWEEN_ATTEMPTS = "between-attempts"
    """A handoff's own files at one attempt and at another."""
    OWN = "own"
    """What belongs to one handoff, from where it began to its result."""
    SINCE_SHOWN = "since-shown"
    """Since a decision was shown whose subject then changed."""


class ComparedPair(Model):
    """The two sides of a comparison, each with its reason."""

    scope: DiffScope
    before: BaselineChoice
    after: BaselineChoice | None = None
    """None: the work tree as it is now."""

    @property
    def comparable(self) -> bool:
        return _is_there(self.before) and (self.after is None or _is_there(self.after))


def _is_there(choice: BaselineChoice) -> bool:
    return any(one is not None for one in (choice.snapshot, choice.commit, choice.tree))
