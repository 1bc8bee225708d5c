from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import UsageError
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.known_phases import find_known_phase, list_known_phases
from tests.support.attempts import HANDOFF, PHASE, build_entry, build_index
from tests.support.repositories import RepositoryBuilder

_SETTINGS = '[checks.deployed]\nrun = ["true"]\nphases = ["deploy"]\n'


def test_phase_is_known_by_log_documents_and_checks(tmp_path: Path) -> None:
    """Each as the log spells it; any other is refused, with those that are known."""
    builder = RepositoryBuilder.init(tmp_path / "r").write("handoff-tui.toml", _SETTINGS).commit("all")
    desk = open_desk(builder.folder)
    handoff = Handoff(
        id=HANDOFF,
        dialect="notes",
        source_phase="The Build",
        attempts=(Attempt(number=1, phase="plan", agent=None),),
    )
    index = build_index(build_entry(1, "alice", 1, "reject"))
    known = list_known_phases(desk, index, handoff)
    assert {PHASE, "The-Build", "plan", "deploy"} <= set(known)
    assert [find_known_phase(desk, index, handoff, name) for name in (None, "deploy")] == ["The-Build", "deploy"]
    with pytest.raises(UsageError, match="nothing here tells of a phase 'nope'") as refused:
        find_known_phase(desk, index, handoff, "nope")
    assert "The-Build, deploy, plan" in (refused.value.hint or "")
