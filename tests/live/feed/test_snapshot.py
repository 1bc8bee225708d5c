from __future__ import annotations

from dataclasses import replace

from handoff_tui.live.feed.snapshot import Patch, Scene, read_scene
from tests.support.gates import GateDesk
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder


def add(scene: Scene, *paths: str, presence: bool = False) -> Scene:
    patch = Patch(scene.version + 1, frozenset(paths), presence)
    return replace(scene, version=patch.version, patches=(*scene.patches, patch))


def test_patches_since_a_version_are_put_together(builder: RepositoryBuilder) -> None:
    """All that came after it, in one; none for the scene itself."""
    first = read_scene(build_work(builder).folder, 5)
    third = add(add(first, "a"), "b", presence=True)
    assert third.find_patch(7) == Patch(7, frozenset())
    assert third.find_patch(6) == Patch(7, frozenset({"b"}), presence=True)
    assert third.find_patch(5) == Patch(7, frozenset({"a", "b"}), presence=True)


def test_full_look_in_between_is_no_patch(builder: RepositoryBuilder) -> None:
    """Nor is a version that is not known."""
    scene = add(read_scene(build_work(builder).folder, 5), "a")
    assert scene.find_patch(4) is None
    assert scene.find_patch(9) is None
    assert replace(scene, patches=()).find_patch(5) is None


def test_sound_log_has_nothing_fatal(gate_desk: GateDesk) -> None:
    """And one whose first entry is gone says so."""
    gate_desk.begin(gate_desk.person("bob"))
    assert read_scene(gate_desk.root, 1).fatal == ()
    for entry in (gate_desk.root / ".handoff-tui" / "log").rglob("*"):
        if entry.is_file():
            entry.unlink()
    assert read_scene(gate_desk.root, 1).fatal != ()
