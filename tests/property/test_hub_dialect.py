"""No file of a hub can break the hub dialect."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.reading.format import FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, line_texts

_KEYS = [
    "from_role",
    "to_role",
    "stage",
    "status",
    "report_status",
    "summary",
    "report",
    "task",
    "task_id",
    "run",
    "run_id",
    "created_at",
    "completed_at",
    "handoffs",
    "work_cycles",
    "vulnerabilities",
    "findings",
    "bugs",
    "severity",
    "title",
    "id",
    "file",
    "line",
    "location",
    "total",
    "critical",
    "project",
    "tasks",
    "priority",
    "blocked_by",
    "role",
    "agent",
    "details",
    "commit_hash",
    "raw_output",
    "acceptance_criteria",
    "name",
]
_WORDS = ("pass", "fail", "pending", "T007", "high", "a.py:12", "HTTP 502", "DEV", "done")
_LINES = (
    "# Handoff Context",
    "# WorkCycle Context",
    "Generated: 2031-05-06 07:08:09",
    "Run ID: 12 | Project: Lantern | Task: T007",
    "Run 0 not found.",
    "## Pipeline Position",
    "- **Current State**: qa_failed",
    "- **Your Role**: QA",
    "## Current Task: T007",
    "**Title**: a title",
    "**Status**: in_progress",
    "### Acceptance Criteria",
    "1. something",
    "## Tasks in This Run",
    "- **T001**: one [done] (stage: QA)",
    "## Previous Agent Work",
    "### DEV Agent (05-06 01:00)",
    "**Status**: pass",
    "**Summary**: done",
    "---",
    "```",
    "Traceback",
    "## Recent Git Commits",
    "- `1234567a` feat: x",
    "## Uncommitted Changes",
    " a/b.py | 3 +",
    " 1 file changed",
)
_MARKDOWN_PATHS = ("HANDOFF_12_T007.md", "WORK_CYCLE_12.md", "handoffs/WORK_CYCLE_3_T007.md", "docs/context.md")
_JSON_PATHS = (
    "todo.json",
    "security_report.json",
    "bugs.json",
    "runs/12/report.json",
    "handoffs/a.json",
    "T007/bugs.json",
)

_contexts = line_texts(_LINES)
_headed = _contexts.map(lambda text: f"# Handoff Context\nRun ID: 12 | Project: Lantern | Task: T007\n{text}")
_files = st.builds(
    lambda documents, data, proofs: documents | data | proofs,
    st.dictionaries(st.sampled_from(_MARKDOWN_PATHS), st.one_of(_contexts, _headed), max_size=3),
    st.dictionaries(st.sampled_from(_JSON_PATHS), json_texts(_KEYS, _WORDS), max_size=4),
    st.dictionaries(st.sampled_from(("proofs/T007/run-12/a.png", "screenshots/b.png")), st.just(""), max_size=2),
)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    reading = read_with(HUB, shelf)
    return reading, [problem for path in shelf.paths for problem in shelf.source(path).problems()]


@given(_files)
@settings(max_examples=100, deadline=None)
def test_hub_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under the hub's names is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(st.sampled_from(_JSON_PATHS), json_texts(_KEYS, _WORDS))
@settings(max_examples=100, deadline=None)
def test_hub_file_that_was_recognised_is_a_document(path: str, text: str) -> None:
    """What the dialect owns is listed under some handoff; nothing owned is dropped."""
    shelf = MemoryFiles({path: text})
    recognised = HUB.may_own(path) and HUB.recognise(shelf.source(path)) > 0
    listed = {document.path for handoff in read_with(HUB, shelf).handoffs for document in handoff.documents}
    assert listed == ({path} if recognised else set())
