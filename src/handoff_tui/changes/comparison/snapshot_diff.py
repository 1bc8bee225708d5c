"""How two snapshots differ: by id and fingerprint, never by count alone."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from pydantic import SkipValidation

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place


class ItemChange(StrEnum):
    """What became of one thing between two snapshots."""

    NEW = "new"
    """Not there before. For a test: it exists now and did not."""
    NEWLY_FAILING = "newly-failing"
    FIXED = "fixed"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    """Still there, and different (an upgraded package, another outcome that is neither fixed nor failing)."""
    REMOVED = "removed"
    VANISHED = "vanished"
    """A test that no longer runs, while no handoff says it was removed and nothing took its place."""
    NEWLY_SKIPPED = "newly-skipped"
    RENAMED = "renamed"


class ComparedItem(NamedTuple):
    """One thing that differs. When a folder of tests is moved there are 50,000, so it is a tuple and no model."""

    id: str
    change: ItemChange
    before: str | None = None
    after: str | None = None
    old_id: str | None = None
    """The former name of what was renamed."""
    explained: bool | None = None
    """For a drop: whether a handoff names it. Nothing where no explanation is owed."""
    explanation: Place | None = None
    note: str = ""
    """What else there is to say of it, in words."""


class ComparedSection(Model):
    """One kind of thing compared: what differs, and how many stayed the same."""

    items: SkipValidation[tuple[ComparedItem, ...]] = ()
    unchanged: int = 0
    before_total: int = 0
    after_total: int = 0


class Clash(Model):
    """A file that two packages own."""

    path: str
    owners: tuple[str, ...]
    known: bool = False
    """Whether the same packages clashed over it before."""


class ClaimCheck(Model):
    """A number that a document claims beside what was measured now and before."""

    handoff: str
    what: str
    claimed: int
    measured: int | None
    before: int | None
    where: str
    agrees: bool | None
    """Nothing where there is nothing to compare with."""
    text: str
    """In words: says 22 packages, baseline had 21, here are 22."""
    previous: int | None = None
    """What the document before it claims."""


class NotRead(Model):
    """Something that could not be read into one of the snapshots, or into both."""

    path: str
    reason: str
    in_before: bool
    in_after: bool


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
    """What the reader must know to read the numbers right: no test report here, none in the baseline."""
    unread: tuple[NotRead, ...] = ()

    @property
    def sections(self) -> dict[str, ComparedSection]:
        """Every kind of thing compared, by name."""
        return {
            "tests": self.tests,
            "checks": self.checks,
            "findings": self.findings,
            "packages": self.packages,
            "dependencies": self.dependencies,
            "files": self.files,
            "measures": self.measures,
        }

    @property
    def unexplained(self) -> tuple[ComparedItem, ...]:
        """Drops that no handoff names."""
        sections = self.sections.values()
        return tuple(item for section in sections for item in section.items if item.explained is False)


class BaselineChoice(Model):
    """Which snapshot or commit the work is compared with, and why that one; nothing when there is none, and why."""

    snapshot: str | None = None
    """Digest of a stored snapshot, 64 hex."""
    commit: str | None = None
    reason: str
    tree: str | None = None
    """Files alone, where nobody stored a snapshot of them."""


class DiffScope(StrEnum):
    """From where on a reviewer wants to see what changed."""

    SINCE_BASELINE = "since-baseline"
    SINCE_MY_REVIEW = "since-my-review"
    SINCE_PREVIOUS_ATTEMPT = "since-previous-attempt"
    BETWEEN = "between"
    """Between any two snapshots or commits."""
    SINCE_SHOWN = "since-shown"
    """Since a decision was shown that something moved under."""


class ComparedPair(Model):
    """The two sides of a comparison, each with the reason for it."""

    scope: DiffScope
    before: BaselineChoice
    after: BaselineChoice | None = None
    """Nothing: the work tree as it is now."""

    @property
    def comparable(self) -> bool:
        return _is_there(self.before) and (self.after is None or _is_there(self.after))


def _is_there(choice: BaselineChoice) -> bool:
    return any(one is not None for one in (choice.snapshot, choice.commit, choice.tree))
