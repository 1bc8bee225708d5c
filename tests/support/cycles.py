"""TDD cycles in memory, for tests of rules: notes on commits, oldest first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from handoff_tui.checks.world import CommitInfo
from handoff_tui.handoffs.reading.format import CommitFact
from tests.support.memory_files import MemoryFiles
from tests.support.world import MemoryWorld

NOTES_REF = "refs/notes/tdd-handoffs"
TEST_FILE = "tests/test_kettle.py"
SOURCE_FILE = "src/kettle.py"
SUBJECTS = {
    "PLAN": "plan: take up the whistle",
    "RED": "test: the kettle whistles",
    "GREEN": "feat: whistle when it boils",
    "REFACTOR": "refactor: name the boiling point",
}
_NEXT = {"PLAN": "RED", "RED": "GREEN", "GREEN": "REFACTOR", "REFACTOR": "PLAN", "COMPLETE": "COMPLETE"}
_RESULTS = {"PLAN": None, "RED": "FAIL"}


def note(phase: str, **fields: object) -> dict[str, object]:
    """A note of a phase as it should be, but for the fields given."""
    return {
        "phase": phase,
        "nextPhase": _NEXT.get(phase),
        "cycleNumber": 1,
        "currentTest": {"description": "whistles", "testFile": TEST_FILE, "implFile": SOURCE_FILE},
        "completedTests": ["boils"],
        "pendingTests": ["switches off"],
        "testResult": _RESULTS.get(phase, "PASS"),
        "retryCount": 0,
        **fields,
    }


def commit_id(position: int) -> str:
    """The id of a commit: 0 for the oldest."""
    return f"{position + 1:02d}" + "c0ffee" * 6 + "00"


def note_path(position: int) -> str:
    return f"notes:{NOTES_REF}/{commit_id(position)}"


def cycle_world(
    notes: Sequence[Mapping[str, object] | str],
    files: Mapping[str, str] | None = None,
    subjects: Sequence[str] | None = None,
) -> MemoryWorld:
    """A repository whose whole history are the commits of these notes; a note may be any text."""
    texts = [entry if isinstance(entry, str) else json.dumps(entry, indent=1) for entry in notes]
    chosen = subjects or [
        "note" if isinstance(entry, str) else SUBJECTS.get(str(entry["phase"]), "end") for entry in notes
    ]
    commits = [
        CommitInfo(
            commit_id(at), (commit_id(at - 1),) if at else (), "Ada", "ada@example.com", "2031-01-01", text, text
        )
        for at, text in enumerate(chosen)
    ]
    contents = {TEST_FILE: "def test_boils():\n    pass\n", SOURCE_FILE: "", **(files or {})}
    facts = tuple(CommitFact(found.id, found.subject, found.body, found.author, found.date) for found in commits[::-1])
    shelf = MemoryFiles(
        contents, git_commits=facts, git_notes={NOTES_REF: {commit_id(at): text for at, text in enumerate(texts)}}
    )
    world = MemoryWorld(files=dict(contents), shelf=shelf, log=tuple(commits[::-1]))
    world.known_commits = {found.id: age for age, found in enumerate(commits[::-1])}
    return world
