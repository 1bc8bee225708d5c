from __future__ import annotations

import threading

import pytest

from handoff_tui.core.errors import GitError
from handoff_tui.system.background import Background


def test_background_begins_before_it_is_waited_for() -> None:
    """The work goes on while the caller does something else, and its answer is waited for."""
    begun, go_on = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        go_on.wait(10)
        return "done"

    background = Background(work)
    assert begun.wait(10)
    go_on.set()
    assert background.finish() == "done"
    assert background.finish() == "done"


def test_background_raises_where_it_is_waited_for() -> None:
    """A fault of the work belongs to who wants the answer."""

    def work() -> str:
        raise GitError("no")

    background = Background(work)
    with pytest.raises(GitError, match="no"):
        background.finish()
