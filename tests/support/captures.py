"""Snapshots of test repositories, taken as the program takes them."""

from __future__ import annotations

from handoff_tui.dialects.reading import Harvest, read_handoffs
from handoff_tui.dialects.registry import DIALECTS
from handoff_tui.dialects.shelf import RepositoryShelf
from handoff_tui.models.check_report import CheckReport
from handoff_tui.review.capture import Captured, capture_snapshot
from handoff_tui.review.desk import Desk, open_desk
from tests.support.repositories import RepositoryBuilder


def read_harvest(desk: Desk) -> Harvest:
    return read_handoffs(RepositoryShelf(desk.repository, desk.work_tree, desk.loaded.settings), DIALECTS)


def capture_repository(builder: RepositoryBuilder, report: CheckReport | None = None) -> Captured:
    """Opened anew, with the handoffs that are in it."""
    desk = open_desk(builder.folder)
    return capture_snapshot(desk, read_harvest(desk), report)
