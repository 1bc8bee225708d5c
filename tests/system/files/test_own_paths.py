from __future__ import annotations

import pytest

from handoff_tui.system.files.own_folder import is_own


@pytest.mark.parametrize(
    ("path", "own"),
    [
        (".handoff-tui/log/aa/x", True),
        (".handoff-tui", False),
        (".handoff-tui-not/ours", False),
        ("a/.handoff-tui/x", False),
    ],
)
def test_only_what_is_below_our_folder_is_ours(path: str, own: bool) -> None:  # noqa: FBT001 - expected value
    """At the top of the work tree, and by its whole name."""
    assert is_own(path) is own
