from __future__ import annotations

import json

from handoff_tui.config.settings.root import Mosaic, Settings
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.handoff import RegistryState
from handoff_tui.handoffs.reading.format import CommitFact
from handoff_tui.handoffs.reading.read import read_handoffs
from tests.support.memory_files import MemoryFiles, read_with


def test_mosaic_reads_every_state_folder_and_manifest() -> None:
    """States at the root and below, and manifests, are handoffs in a fixed order."""
    files = {
        "svc/.mosaic/agent_state.json": '{"last_agent": "wren", "next_agent": "x"}',
        ".mosaic/agent_state.json": '{"last_agent": "robin", "next_agent": "x"}',
        ".ai-agents/handoff_2.json": '{"commit": "aaa1111", "branch": "b"}',
        ".ai-agents/handoff_1.json": '{"commit": "aaa1111", "branch": "b"}',
    }
    reading = read_with(MOSAIC, MemoryFiles(files))
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
    shelf = MemoryFiles(files)
    reading = read_with(MOSAIC, shelf)
    assert [handoff.id for handoff in reading.handoffs] == ["mosaic"]
    assert len(reading.handoffs[0].documents) == 3
    assert reading.problems == []
    assert all(len(shelf.source(path).problems()) == 1 for path in shelf.paths)


def test_mosaic_without_any_file_reads_nothing() -> None:
    """A repository without a state has neither handoffs nor problems."""
    reading = read_with(MOSAIC, MemoryFiles({"README.md": "# Hello"}))
    assert (reading.handoffs, reading.problems, reading.used) == ([], [], set())


def test_mosaic_manifests_are_superseded_by_what_is_newer() -> None:
    """Of those in a folder only the newest can wait for someone, and only if no state was written after it."""
    files = {
        ".ai-agents/handoff_1.json": '{"commit": "aaa1111", "branch": "b", "timestamp": "2031-01-01T00:00:00Z"}',
        ".ai-agents/handoff_2.json": '{"commit": "aaa1111", "branch": "b", "timestamp": "2031-01-02T00:00:00Z"}',
    }

    def superseded() -> list[str]:
        handoffs = read_with(MOSAIC, MemoryFiles(files)).handoffs
        return [handoff.id for handoff in handoffs if handoff.registry is RegistryState.SUPERSEDED]

    assert superseded() == ["mosaic/1"]
    files[".mosaic/agent_state.json"] = '{"last_agent": "wren", "last_session_end": "2031-01-03T00:00:00Z"}'
    assert superseded() == ["mosaic/1", "mosaic/2"]


def test_mosaic_state_of_another_type_is_an_error() -> None:
    """Blockers that cannot be read may be anything: that is no detail."""
    shelf = MemoryFiles({".mosaic/agent_state.json": '{"last_agent": "wren"}', ".mosaic/blockers.json": "[1]"})
    read_with(MOSAIC, shelf)
    assert [(problem.path, problem.level.value) for problem in shelf.problems()] == [(".mosaic/blockers.json", "error")]


def test_mosaic_file_that_is_not_understood_is_listed() -> None:
    """A state file with foreign content is not dropped in silence."""
    shelf = MemoryFiles(
        {".mosaic/project_state.json": '{"theme": "dark"}', "docs/handoffs/odd.md": "# Odd\n\nWords.\n"}
    )
    assert read_handoffs(shelf, FORMATS).unknown == (".mosaic/project_state.json", "docs/handoffs/odd.md")


def test_problems_of_documents_that_no_path_led_to_are_told() -> None:
    """A note in git that is no JSON is reported like a file."""
    commit = CommitFact("1" * 40, "test: lamp", "test: lamp", "Ada", "2031-01-01")
    ref = "refs/notes/tdd-handoffs"
    shelf = MemoryFiles({}, git_commits=(commit,), git_notes={ref: {commit.id: "{broken"}})
    assert [problem.path for problem in read_handoffs(shelf, FORMATS).problems] == [f"notes:{ref}/{commit.id}"]


def test_mosaic_words_come_from_the_settings() -> None:
    """Statuses of blockers, and which state files must be there."""
    files = {
        ".mosaic/blockers.json": json.dumps({"blockers": [{"id": "B1", "title": "x", "status": "Parked"}]}),
        ".mosaic/project_state.json": json.dumps({"blocking_issues": [{"id": "B2", "status": "parked"}]}),
    }
    words = Mosaic(open_statuses=("open",), closed_statuses=("parked",), state_files=("blockers.json", "crew.json"))
    shelf = MemoryFiles(files, Settings(mosaic=words))
    reading = read_with(MOSAIC, shelf)
    assert [(blocker.id, blocker.open) for blocker in reading.handoffs[0].blockers] == [("B1", False), ("B2", False)]
    assert shelf.problems() == []
    assert [problem.path for problem in reading.problems] == [".mosaic/crew.json"]
    assert all(blocker.open for blocker in read_with(MOSAIC, MemoryFiles(files)).handoffs[0].blockers)
