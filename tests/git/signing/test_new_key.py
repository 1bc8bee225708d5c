from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import NoHumanError, SigningError
from handoff_tui.git.signing.signing_key import write_new_key
from handoff_tui.git.signing.ssh_keygen import Prompt
from tests.support.ssh_keys import make_key


def test_open_key_is_made_only_when_it_was_spelled_out(isolated_user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal and without that consent nothing is made; a key that is there is never overwritten."""
    monkeypatch.setattr("handoff_tui.system.processes.terminal._PLACE", "/nonexistent/tty")
    with pytest.raises(NoHumanError, match="no terminal to ask for a passphrase"):
        write_new_key("ada", protected=True)
    assert not (isolated_user / ".ssh").exists()
    place = write_new_key("ada", protected=False)
    assert place == isolated_user / ".ssh/id_ed25519"
    assert place.stat().st_mode & 0o077 == 0
    before = place.read_bytes()
    with pytest.raises(SigningError, match="there already"):
        write_new_key("ada", protected=False)
    assert place.read_bytes() == before


def test_key_without_the_passphrase_that_was_asked_for_is_thrown_away(
    isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who just presses Enter has no key afterwards."""

    def generate(place: Path, _comment: str, *, prompt: Prompt) -> str:
        assert prompt is Prompt.TERMINAL
        make_key(place)
        return ""

    monkeypatch.setattr("handoff_tui.git.signing.signing_key.has_terminal", lambda: True)
    monkeypatch.setattr("handoff_tui.git.signing.signing_key.generate_key", generate)
    with pytest.raises(NoHumanError, match="thrown away"):
        write_new_key("ada", protected=True)
    assert list((isolated_user / ".ssh").iterdir()) == []
