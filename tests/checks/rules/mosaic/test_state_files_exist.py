from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.mosaic.state_files import STATE_FILES_EXIST
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.session_states import build_state
from tests.support.world import MemoryWorld, judge

NOTE = "# Handoff\n\nNothing of a session.\n"


def test_whole_state_passes() -> None:
    """With all three state files nothing is found."""
    assert judge(STATE_FILES_EXIST, MemoryWorld(files=build_state())) == []


@pytest.mark.parametrize("name", ["agent_state.json", "blockers.json", "current_task.json"])
def test_missing_file_is_named(name: str) -> None:
    """Each required file that is not there is a finding with its path."""
    files = build_state()
    del files[f".mosaic/{name}"]
    [found] = judge(STATE_FILES_EXIST, MemoryWorld(files=files))
    assert (found.message, found.subject) == (f".mosaic/{name} is missing", f".mosaic/{name}")
    assert found.place is not None
    assert found.command is None


def test_optional_file_may_be_missing() -> None:
    """Only the files that the configuration requires must be there."""
    world = MemoryWorld(files=build_state(), overrides={"mosaic.state_files": ("agent_state.json", "plan.json")})
    assert [found.subject for found in judge(STATE_FILES_EXIST, world)] == [".mosaic/plan.json"]


def test_folder_in_place_of_a_file_is_found() -> None:
    """What is there but cannot be read is no state file."""
    files = build_state()
    files[".mosaic/blockers.json/readme"] = files.pop(".mosaic/blockers.json")
    [found] = judge(STATE_FILES_EXIST, MemoryWorld(files=files))
    assert found.message == ".mosaic/blockers.json is there, but cannot be read"


def test_empty_file_exists() -> None:
    """Whether a file says anything is the question of another rule."""
    assert judge(STATE_FILES_EXIST, MemoryWorld(files={**build_state(), ".mosaic/blockers.json": ""})) == []


def test_state_of_another_folder_is_judged_too() -> None:
    """Each state folder is judged by itself."""
    files = {**build_state(), **build_state(folder="server/.mosaic")}
    del files["server/.mosaic/current_task.json"]
    [found] = judge(STATE_FILES_EXIST, MemoryWorld(files=files))
    assert found.subject == "server/.mosaic/current_task.json"


def test_enforcement_without_a_state_fails() -> None:
    """Who deletes the state but leaves its session gate does not get past."""
    world = MemoryWorld(files={".mosaic/enforcement/session-gate.sh": "exit 0"})
    assert len(judge(STATE_FILES_EXIST, world)) == 3


def test_state_that_git_still_tracks_fails_with_the_way_back() -> None:
    """State files that were deleted and not committed can be restored."""
    changed = tuple(f".mosaic/{name}" for name in ("agent_state.json", "blockers.json", "current_task.json"))
    facts = RepositoryFacts(root="/r", branch="main", changed=changed)
    found = judge(STATE_FILES_EXIST, MemoryWorld(files={"a.txt": ""}, repository=facts))
    assert [finding.command for finding in found] == [f"git restore -- {path}" for path in changed]


def test_repository_without_a_state_does_not_apply() -> None:
    """Other files, also in a folder of that name, are no session state."""
    world = MemoryWorld(files={".mosaic/palette.css": "", "HANDOFF.md": NOTE})
    with pytest.raises(NotApplicableError, match="no session state here"):
        judge(STATE_FILES_EXIST, world)


def test_handoff_of_another_kind_does_not_apply() -> None:
    """While one handoff is under review, the state of another is not its fault."""
    files = {**build_state(), "HANDOFF.md": NOTE}
    del files[".mosaic/blockers.json"]
    world = MemoryWorld(files=files)
    [note] = [handoff.id for handoff in world.handoffs() if handoff.dialect == "notes"]
    with pytest.raises(NotApplicableError, match="is no session state"):
        judge(STATE_FILES_EXIST, world, scope=note)
    assert len(judge(STATE_FILES_EXIST, world, scope="mosaic")) == 1
