"""What the repository is at one moment, and how two moments differ."""

from __future__ import annotations

from handoff_tui.models.base import Model
from handoff_tui.models.check_result import Outcome
from handoff_tui.models.work import Package, TestCounts


class Snapshot(Model):
    """Everything a baseline holds. No clock and no machine name, so equal content has an equal digest."""

    tree: str
    commit: str | None = None
    branch: str | None = None
    upstream: str | None = None
    packages: tuple[Package, ...] = ()
    tests: dict[str, Outcome] = {}
    totals: TestCounts | None = None
    checks: dict[str, Outcome] = {}
    files: dict[str, str] = {}
    measures: dict[str, int] = {}


class SnapshotDiff(Model):
    """Ids that are new, fixed, unchanged or removed between two snapshots; never counts alone."""

    new: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
