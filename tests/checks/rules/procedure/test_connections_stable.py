from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.procedure.target_resources import CONNECTIONS_STABLE
from tests.support.world import MemoryWorld, judge

REMOTES = {"origin": "../kiln.git", "far": "https://example.com/kiln.git"}


def test_connections_stable_passes_when_asked_remotes_answer() -> None:
    """One that may not be asked is left out."""
    assert judge(CONNECTIONS_STABLE, MemoryWorld(known_remotes=REMOTES, reached={"origin": True})) == []


def test_connections_stable_names_a_remote_that_does_not_answer() -> None:
    """With the command that asks it."""
    (found,) = judge(CONNECTIONS_STABLE, MemoryWorld(known_remotes=REMOTES, reached={"origin": False}))
    assert (found.subject, found.command) == ("remote origin", "git ls-remote -- origin")
    assert found.message.startswith("VR006: ")


@pytest.mark.parametrize("remotes", [{}, REMOTES])
def test_connections_stable_does_not_apply_when_nothing_was_asked(remotes: dict[str, str]) -> None:
    """No remote, or none that may be asked without consent."""
    with pytest.raises(NotApplicableError):
        judge(CONNECTIONS_STABLE, MemoryWorld(known_remotes=remotes))
