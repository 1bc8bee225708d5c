"""No state folder can break the mosaic dialect."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.reading.format import Confidence, FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, line_texts

_KEYS = [
    "last_agent",
    "current_agent",
    "next_agent",
    "last_mode",
    "handoff_message",
    "current_task",
    "objective",
    "status",
    "priority",
    "details",
    "completed_tasks",
    "in_progress",
    "success_criteria",
    "artifacts_created",
    "blockers",
    "archived_blockers",
    "id",
    "title",
    "severity",
    "resolution",
    "owner",
    "gates_status",
    "next_phase",
    "current_phase",
    "implementation_steps",
    "implementation_plan",
    "phases",
    "session_history",
    "commit",
    "git_commit",
    "last_commit",
    "plan_document",
    "blocking_issues",
    "verdict",
    "note",
    "criteria_results",
    "required_fixes",
    "implementation_progress",
    "deployment_status",
    "render_service_url",
    "open_questions",
    "user_decisions",
    "briefing_acknowledgment",
    "files",
    "timestamp",
    "outcome",
    "git_state",
    "uncommitted_changes",
    "session_continuity",
    "modified_files",
    "last_5_commits",
    "next_agent_checklist",
    "critical_features",
    "tests_passed",
    "next_session_action",
]
_WORDS = ("PASS", "resolved", "4/5 passed", "abc1234", "docs/plan.md", "Simulated (no API key)", "critical")
_LINES = (
    "# Session handoff",
    "## Files created",
    "- `src/a.py`",
    "| File | Change |",
    "|---|---|",
    "| `b.py` | new |",
    "**Status:** COMPLETE",
    "**Agent**: robin",
    "Backend https://x.example LIVE",
    "- Commit: `abc1234`",
    "5/6 tests passed",
    "```",
)
_JSON_PATHS = (
    ".mosaic/agent_state.json",
    ".mosaic/blockers.json",
    ".mosaic/current_task.json",
    ".mosaic/project_state.json",
    ".mosaic/gemini_approval.json",
    ".mosaic/session_log.jsonl",
    ".mosaic/other/anything.json",
    "deep/er/.mosaic/agent_state.json",
    ".ai-agents/handoff_1.json",
)
_TEXT_PATHS = (".mosaic/SESSION_HANDOFF_1.md", ".mosaic/LATEST_HANDOFF.md", ".ai-agents/emergency_handoff.txt")

_files = st.builds(
    lambda json_files, text_files: json_files | text_files,
    st.dictionaries(st.sampled_from(_JSON_PATHS), json_texts(_KEYS, _WORDS), max_size=5),
    st.dictionaries(st.sampled_from(_TEXT_PATHS), line_texts(_LINES), max_size=3),
)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    reading = read_with(MOSAIC, shelf)
    return reading, [problem for path in shelf.paths for problem in shelf.source(path).problems()]


@given(_files)
@settings(max_examples=100, deadline=None)
def test_mosaic_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under the state's names is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(st.text(max_size=40), st.text(max_size=80))
@settings(max_examples=50, deadline=None)
def test_mosaic_owns_nothing_outside_its_places(path: str, text: str) -> None:
    """A file that is not at one of the dialect's places is never recognised."""
    if not MOSAIC.may_own(path):
        assert MOSAIC.recognise(MemoryFiles({path: text}).source(path)) == Confidence.NO
