from __future__ import annotations

from handoff_tui.agents.runs.phase_locks import take_lock
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder


def test_locks_are_shown_and_broken_on_request(builder: RepositoryBuilder, say: InProcess) -> None:
    """A living holder keeps its lock unless it is forced."""
    builder.write("a").commit()
    take_lock(builder.folder / ".git", RunKey(handoff="H-1", phase="RED"), "ada")
    assert "» held" in say("unlock", "--list", "--repo", builder.folder).stdout
    assert say("unlock", "RED", "--repo", builder.folder).code == ExitCode.BLOCKED
    assert say("unlock", "red", "--force", "--repo", builder.folder).stdout == "RED is free; its lock was ada's\n"
    said = say("unlock", "--list", "--json", "--repo", builder.folder)
    assert said.json == {"schema": "handoff-tui/unlock/v1", "locks": [], "broken": None}
