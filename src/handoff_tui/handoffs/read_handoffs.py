"""One reading of a repository's handoffs: the shelf they were read from, and what was read."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.handoffs.formats.registry import DIALECTS
from handoff_tui.handoffs.reading.read import Harvest, read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryShelf
from handoff_tui.handoffs.session import Desk


class Reading(NamedTuple):
    """What was read, and where: the shelf keeps what it has read of files and history."""

    shelf: RepositoryShelf
    harvest: Harvest


def read_shelf(desk: Desk) -> Reading:
    """Every handoff of the repository, by every dialect."""
    shelf = RepositoryShelf(desk.repository, desk.work_tree, desk.loaded.settings)
    return Reading(shelf, read_handoffs(shelf, DIALECTS))
