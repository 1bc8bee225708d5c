from __future__ import annotations

import pytest

from handoff_tui.git.file_diff import FileChange


@pytest.mark.parametrize(
    ("status", "old_mode", "new_mode", "changed"),
    [
        ("M", "100644", "100755", True),
        ("R", "100755", "100644", True),
        ("T", "100644", "120000", True),
        ("M", "100644", "100644", False),
        ("A", "000000", "100755", False),
        ("D", "100644", "000000", False),
    ],
)
def test_mode_changes_where_there_are_two(status: str, old_mode: str, new_mode: str, changed: bool) -> None:  # noqa: FBT001
    """A file that was added or deleted has no mode to change from or to."""
    assert FileChange(status, "a", None, old_mode, new_mode, "a", "b").mode_changed is changed
