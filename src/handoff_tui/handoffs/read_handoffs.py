"""The door of the room: reads every handoff of a repository."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import ReadHandoffs, read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Desk


class RepositoryReading(NamedTuple):
    """What was read, and the files it was read from, which keep what was read of them and of the history."""

    files: RepositoryFiles
    result: ReadHandoffs


def read_repository(desk: Desk) -> RepositoryReading:
    """Reads every handoff of the repository, in every format."""
    files = RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings)
    return RepositoryReading(files, read_handoffs(files, FORMATS))
