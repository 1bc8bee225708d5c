"""Fixtures for tests that drive the app."""

from __future__ import annotations

import pytest

from tests.support.desk_states import MOMENT


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ages on the screen stay what they are."""
    for name in ("inbox", "pipeline", "checks", "claims", "log", "attempts", "metrics"):
        monkeypatch.setattr(f"handoff_tui.tui.views.{name}.view.read_now", lambda: MOMENT)
    monkeypatch.setattr("handoff_tui.tui.views.rail.read_now", lambda: MOMENT)
