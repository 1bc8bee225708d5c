"""Snapshots of test repositories, taken as the program takes them."""

from __future__ import annotations

from handoff_tui.changes.snapshots.capture import Captured, capture_snapshot
from handoff_tui.checks.report import CheckReport
from handoff_tui.handoffs.formats.registry import DIALECTS
from handoff_tui.handoffs.reading.read import Harvest, read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryShelf
from handoff_tui.handoffs.session import Desk, open_desk
from tests.support.repositories import RepositoryBuilder


def read_harvest(desk: Desk) -> Harvest:
    return read_handoffs(RepositoryShelf(desk.repository, desk.work_tree, desk.loaded.settings), DIALECTS)


def capture_repository(builder: RepositoryBuilder, report: CheckReport | None = None) -> Captured:
    """Opened anew, with the handoffs that are in it."""
    desk = open_desk(builder.folder)
    return capture_snapshot(desk, read_harvest(desk), report)
