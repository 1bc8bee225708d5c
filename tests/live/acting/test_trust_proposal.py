"""Consent to a repository's own commands, as they were shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.command_consent import is_trusted
from handoff_tui.core.errors import ShownMovedError, UsageError
from handoff_tui.handoffs.session import open_desk
from handoff_tui.live.acting.agent_proposals import ready_trust
from tests.support.repositories import RepositoryBuilder

ASKS = '[checks.lint]\nrun = ["sh", "lint.sh"]\n'


@pytest.fixture
def asking(builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RepositoryBuilder:
    """A repository that asks to run a script of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return builder.write("handoff-tui.toml", ASKS).write("lint.sh", "exit 0\n").commit()


def test_what_is_shown_is_what_is_trusted(asking: RepositoryBuilder) -> None:
    """Words and script by digest; nothing is trusted before it is done, and then there is nothing to ask."""
    plan, do = ready_trust(asking.folder)
    [command] = plan.commands
    assert (command.id, command.argv, [path for path, _ in command.scripts]) == ("lint", ("sh", "lint.sh"), ["lint.sh"])
    assert not is_trusted(open_desk(asking.folder), plan.digest)
    do()
    assert is_trusted(open_desk(asking.folder), plan.digest)
    with pytest.raises(UsageError, match="trusted already"):
        ready_trust(asking.folder)


def test_script_that_changed_since_it_was_shown_is_not_trusted(asking: RepositoryBuilder) -> None:
    """It is shown again instead."""
    plan, do = ready_trust(asking.folder)
    asking.write("lint.sh", "exit 1\n")
    with pytest.raises(ShownMovedError):
        do()
    again, _ = ready_trust(asking.folder)
    assert again.digest != plan.digest
    assert not is_trusted(open_desk(asking.folder), again.digest)


def test_repository_that_asks_for_nothing_has_nothing_to_trust(builder: RepositoryBuilder) -> None:
    """Said, not shown as an empty list."""
    with pytest.raises(UsageError, match="nothing to trust"):
        ready_trust(builder.write("a.py").commit().folder)
