from __future__ import annotations

from handoff_tui.agents.runs.unlock_page import build_locks_page, build_unlock_json
from tests.support.reviewed import list_lines
from tests.support.step_reports import build_lock


def test_locks_are_told_with_their_holders() -> None:
    """One that was left behind is marked; none is said, too."""
    lines = list_lines(build_locks_page((build_lock(), build_lock(stale=True))))
    assert lines[0].startswith("» held  QA: ada@example.org on desk (process 42) for H-1, attempt 2")
    assert lines[1].startswith("? stale")
    assert list_lines(build_locks_page(())) == ["nothing is locked here"]


def test_json_tells_what_is_there_and_what_was_broken() -> None:
    """For scripts."""
    value = build_unlock_json((build_lock(),), None)
    assert (value["schema"], value["broken"]) == ("handoff-tui/unlock/v1", None)
    broken = build_unlock_json((), build_lock(stale=True))["broken"]
    assert isinstance(broken, dict)
    assert broken["stale"] is True
