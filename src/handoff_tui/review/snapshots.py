"""Stored snapshots: captured, listed, shown, pinned."""

from __future__ import annotations

from dataclasses import dataclass

from handoff_tui.baseline.pins import EVERY_HANDOFF, find_pin, read_pins, write_pin
from handoff_tui.baseline.store import find_snapshot, list_snapshots, read_snapshot, write_snapshot
from handoff_tui.checks.contract import Moment
from handoff_tui.dialects.reading import Harvest
from handoff_tui.errors import SnapshotUnusableError, StoredFileDamagedError, StoredFileMissingError
from handoff_tui.models.check_report import CheckReport
from handoff_tui.models.snapshot import Snapshot, SnapshotSummary, build_snapshot_summary
from handoff_tui.review.capture import Captured, capture_snapshot
from handoff_tui.review.check import CheckRequest, Telling, check
from handoff_tui.review.desk import Desk
from handoff_tui.review.refresh import read_harvest
from handoff_tui.review.show import find_id


@dataclass(frozen=True, slots=True)
class Taken:
    """What is here now: the handoffs as read, the checks as run, and the snapshot of both."""

    harvest: Harvest
    report: CheckReport
    captured: Captured


def take(desk: Desk, telling: Telling | None = None, baseline: str | None = None) -> Taken:
    """A snapshot of now, with the checks of a gate over the whole repository; nothing is stored."""
    harvest = read_harvest(desk)
    report = check(desk, CheckRequest(moment=Moment.GATE, baseline=baseline), telling)
    return Taken(harvest, report, capture_snapshot(desk, harvest, report))


def capture(desk: Desk, telling: Telling | None = None) -> tuple[SnapshotSummary, Snapshot]:
    """Takes a snapshot and stores it below `.handoff-tui/baselines/`."""
    snapshot = take(desk, telling).captured.snapshot
    digest = write_snapshot(desk.repository.root, snapshot)
    return build_snapshot_summary(digest, snapshot), snapshot


def list_summaries(desk: Desk) -> tuple[SnapshotSummary, ...]:
    """Every stored snapshot; one that cannot be used is listed with the reason."""
    pinned = set(read_pins(desk.repository.common_dir).values())
    return tuple(_summarise(desk, digest, pinned) for digest in list_snapshots(desk.repository.root))


def show_snapshot(desk: Desk, written: str) -> tuple[SnapshotSummary, Snapshot]:
    """One snapshot, by the beginning of its digest."""
    digest = find_snapshot(desk.repository.root, written)
    snapshot = read_snapshot(desk.repository.root, digest)
    pinned = digest in read_pins(desk.repository.common_dir).values()
    return build_snapshot_summary(digest, snapshot, pinned=pinned), snapshot


def pin(desk: Desk, written: str | None, handoff: str | None) -> tuple[str, str | None]:
    """Pins a snapshot for a handoff, or for all; without one the pin is taken away. What was pinned for whom."""
    for_whom = EVERY_HANDOFF
    if handoff is not None:
        harvest = read_harvest(desk)
        for_whom = find_id(harvest.handoffs, handoff)
    digest = None
    if written is not None:
        digest = find_snapshot(desk.repository.root, written)
        read_snapshot(desk.repository.root, digest)  # one that cannot be read is no baseline
    write_pin(desk.repository.common_dir, for_whom, digest)
    return for_whom, digest


def find_pinned(desk: Desk, handoff: str | None) -> str | None:
    return find_pin(read_pins(desk.repository.common_dir), handoff)


def _summarise(desk: Desk, digest: str, pinned: set[str]) -> SnapshotSummary:
    try:
        snapshot = read_snapshot(desk.repository.root, digest)
    except (SnapshotUnusableError, StoredFileDamagedError, StoredFileMissingError) as unusable:
        return SnapshotSummary(digest=digest, pinned=digest in pinned, problem=unusable.message)
    return build_snapshot_summary(digest, snapshot, pinned=digest in pinned)
