"""Fixtures for tests that drive the app."""

from __future__ import annotations

import pytest

from tests.support.desk_states import MOMENT


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ages on the screen stay what they are."""
    for name in ("queue.view", "overview.view", "evidence.view", "log.view", "listed_view"):
        monkeypatch.setattr(f"handoff_tui.tui.views.{name}.read_now", lambda: MOMENT)
