from __future__ import annotations

import json

from handoff_tui.history.attempts.compare_page import build_compare_json, build_compare_page
from handoff_tui.history.attempts.report import AttemptComparison
from tests.support.attempt_records import COMPARISON, FIRST, SECOND
from tests.support.reviewed import list_lines


def test_comparison_has_both_sides_and_what_differs() -> None:
    """Facts side by side, points, flips, how the agents were started, commits and files."""
    lines = list_lines(build_compare_page(COMPARISON))
    assert lines[0] == "H-3:build:1 → H-3:build:2"
    assert "! something is missing" in lines
    assert "outcome | ✗ rejected | ✓ approved" in lines
    assert "    ✓ addressed  check claims-hold: claims  (it passes)" in lines
    assert lines[lines.index("command") :][:3] == ["command", "    then maker", "    now  maker --fast"]
    assert "Files changed  1 file, +2 -1" in lines


def test_shape_of_a_comparison() -> None:
    """What could not be compared is null, never empty."""
    value = json.loads(json.dumps(build_compare_json(COMPARISON)))
    assert value["schema"] == "handoff-tui/compare/v1"
    assert (value["checks"]["counts"], value["files"][0]["path"]) == ({"new": 1, "fixed": 1}, "a.py")
    bare = build_compare_json(AttemptComparison(before=FIRST, after=SECOND))
    names = ("checks", "tests", "findings", "packages", "declared_files", "commits", "run_changes", "files")
    assert {name: bare[name] for name in names} == dict.fromkeys(names)


def test_unsound_log_is_said_first() -> None:
    """What the log says of the attempts cannot be relied on then."""
    lines = list_lines(build_compare_page(COMPARISON.model_copy(update={"fatal": True})))
    assert lines[1].startswith("! the log is not sound")
