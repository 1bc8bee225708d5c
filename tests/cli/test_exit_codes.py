from __future__ import annotations

from handoff_tui.cli.exit_codes import ExitCode


def test_exit_codes_are_as_promised() -> None:
    """Scripts rely on the numbers; they never change."""
    assert {code.name: code.value for code in ExitCode} == {
        "OK": 0,
        "BLOCKED": 1,
        "USAGE": 2,
        "INTEGRITY": 3,
        "NO_HUMAN": 4,
        "STILL_PENDING": 5,
        "BUG": 70,
        "INTERRUPTED": 130,
    }
