from __future__ import annotations

import pytest

from handoff_tui.decisions.confirm import ask_person, can_ask, read_page_width


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal: no question, no answer, no width."""
    monkeypatch.setattr("handoff_tui.system.processes.terminal._PLACE", "/nonexistent/tty")
    assert not can_ask()
    assert ask_person("really? ") is None
    assert read_page_width() is None
