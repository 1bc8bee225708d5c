from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.hub import layout


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("HANDOFF_12_T007.md", True),
        ("workspaces/lantern/WORK_CYCLE_12.md", True),
        ("docs/context.md", True),
        ("README.md", False),
        ("todo.json", True),
        ("a/security_report.json", True),
        ("bugs.json", True),
        ("bugsnag.json", False),
        ("handoffs/a.json", True),
        ("runs/12/qa.json", True),
        ("package.json", False),
        ("proofs/a.png", False),
    ],
)
def test_may_own_follows_the_names_of_the_hub(path: str, *, expected: bool) -> None:
    """Only files whose names or folders sound like the hub are worth reading."""
    assert layout.may_own(path) is expected


@pytest.mark.parametrize(
    ("path", "task", "run"),
    [
        ("proofs/T007/run-12/a.png", "T007", "12"),
        ("workspaces/lantern/proofs/task_LN-3/a.log", "LN-3", None),
        ("tasks/633/runs/9/proofs/a.png", "633", "9"),
        ("proofs/V2/final/a.png", None, None),
        ("T007.png", None, None),
    ],
)
def test_task_and_run_are_read_from_folders(path: str, task: str | None, run: str | None) -> None:
    """Folders name the task and the run; what only resembles an id names nothing."""
    assert (layout.find_task(path), layout.find_run(path)) == (task, run)
