"""Fixtures for expected outputs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from handoff_tui.checks import engine


@pytest.fixture(autouse=True)
def _no_rule_takes_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a rule may take long enough for its page to say so."""
    monkeypatch.setattr(engine, "time", SimpleNamespace(perf_counter=float))
