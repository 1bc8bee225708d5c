from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.mosaic import layout


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".mosaic/agent_state.json", True),
        ("services/api/.mosaic/blockers.json", True),
        (".mosaic/schemas/deep/state.schema.json", True),
        (".mosaic/SESSION_HANDOFF_2031-02-03.md", True),
        (".mosaic/enforcement/README.md", False),
        (".mosaic/enforcement/gate.py", False),
        (".ai-agents/handoff_20310203_040506.json", True),
        (".ai-agents/emergency_handoff.txt", True),
        (".ai-agents/notes.json", False),
        ("handoff_20310203.json", False),
        ("mosaic/agent_state.json", False),
        (".mosaic", False),
    ],
)
def test_may_own_follows_the_places_of_the_state(path: str, *, expected: bool) -> None:
    """Only files at the places of the state are worth reading."""
    assert layout.may_own(path) is expected


def test_ids_tell_the_folder_of_the_state() -> None:
    """The state at the root is `mosaic`; others carry their folder."""
    assert layout.build_live_id(".mosaic") == "mosaic"
    assert layout.build_live_id("services/api/.mosaic") == "services/api/mosaic"
    assert layout.build_manifest_id(".ai-agents/handoff_20310203_040506.json") == "mosaic/20310203_040506"
    assert layout.build_emergency_id("sub/.ai-agents/emergency_handoff.txt") == "sub/mosaic/emergency"


def test_split_state_path_takes_the_innermost_folder() -> None:
    """A state inside a state's archive belongs to the inner one."""
    assert layout.split_state_path(".mosaic/old/.mosaic/blockers.json") == (".mosaic/old/.mosaic", "blockers.json")
    assert layout.split_state_path("docs/readme.md") is None
