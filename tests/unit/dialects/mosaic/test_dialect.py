from __future__ import annotations

import json

from handoff_tui.dialects.mosaic.dialect import MOSAIC
from tests.support.shelf import MemoryShelf, read_with


def test_mosaic_reads_every_state_folder_and_manifest() -> None:
    """States at the root and below, and manifests, are handoffs in a fixed order."""
    files = {
        "svc/.mosaic/agent_state.json": '{"last_agent": "wren", "next_agent": "x"}',
        ".mosaic/agent_state.json": '{"last_agent": "robin", "next_agent": "x"}',
        ".ai-agents/handoff_2.json": '{"commit": "aaa1111", "branch": "b"}',
        ".ai-agents/handoff_1.json": '{"commit": "aaa1111", "branch": "b"}',
    }
    reading = read_with(MOSAIC, MemoryShelf(files))
    assert [handoff.id for handoff in reading.handoffs] == ["mosaic", "svc/mosaic", "mosaic/1", "mosaic/2"]
    assert [problem.path for problem in reading.problems] == [
        ".mosaic/blockers.json",
        ".mosaic/current_task.json",
        "svc/.mosaic/blockers.json",
        "svc/.mosaic/current_task.json",
    ]


def test_mosaic_state_in_pieces_is_still_a_handoff() -> None:
    """Broken state files are documents with problems, and what can be read is read."""
    files = {
        ".mosaic/agent_state.json": '{"last_agent": "robin", ',
        ".mosaic/blockers.json": "",
        ".mosaic/current_task.json": json.dumps(["not", "an", "object"]),
    }
    shelf = MemoryShelf(files)
    reading = read_with(MOSAIC, shelf)
    assert [handoff.id for handoff in reading.handoffs] == ["mosaic"]
    assert len(reading.handoffs[0].documents) == 3
    assert reading.problems == []
    assert all(len(shelf.source(path).problems()) == 1 for path in shelf.paths)


def test_mosaic_without_any_file_reads_nothing() -> None:
    """A repository without a state has neither handoffs nor problems."""
    reading = read_with(MOSAIC, MemoryShelf({"README.md": "# Hello"}))
    assert (reading.handoffs, reading.problems, reading.used) == ([], [], set())
