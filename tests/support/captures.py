"""Snapshots of test repositories, taken as the program takes them."""

from __future__ import annotations

from handoff_tui.changes.snapshots.capture import Captured, capture_snapshot
from handoff_tui.checks.report import CheckReport
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import ReadHandoffs, read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Desk, open_desk
from tests.support.repositories import RepositoryBuilder


def read_all_handoffs(desk: Desk) -> ReadHandoffs:
    return read_handoffs(RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings), FORMATS)


def capture_repository(builder: RepositoryBuilder, report: CheckReport | None = None) -> Captured:
    """Opened anew, with the handoffs that are in it."""
    desk = open_desk(builder.folder)
    return capture_snapshot(desk, read_all_handoffs(desk), report)
