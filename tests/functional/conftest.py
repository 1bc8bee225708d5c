"""Fixtures for tests that drive the app."""

from __future__ import annotations

import pytest

from tests.support.desk_states import MOMENT


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ages on the screen stay what they are."""
    for name in ("inbox.view", "pipeline.view", "checks.view", "log.view", "listed_view", "rail"):
        monkeypatch.setattr(f"handoff_tui.tui.views.{name}.read_now", lambda: MOMENT)
