from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from handoff_tui.live.feed.following import MOST_PATHS, follow
from handoff_tui.live.feed.notices import Notices
from handoff_tui.live.feed.snapshot import Scene, read_scene
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

DOCUMENT = "handoffs/H-1/H-1_RESULTS.md"


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return build_work(builder, handoffs=3).write(".gitignore", "*.log\n").commit()


def save(work: RepositoryBuilder, scene: Scene, path: str, text: str | None) -> Scene:
    """The scene after one file was saved, or removed."""
    work.place(path).unlink() if text is None else work.write(path, text)
    return follow(work.folder, scene, Notices(frozenset({path})))


def agrees(scene: Scene, root: RepositoryBuilder) -> bool:
    """Whether a scene is what would be read now."""
    fresh = read_scene(root.folder, scene.version)
    assert scene.state == fresh.state
    assert scene.inbox == fresh.inbox
    assert scene.reading.harvest == fresh.reading.harvest
    assert dict(scene.changed) == dict(fresh.changed)
    return scene.desk.work_tree.paths == fresh.desk.work_tree.paths


def test_saved_files_are_followed_one_by_one(work: RepositoryBuilder) -> None:
    """Edited, put back, removed, made, ignored: each scene is what a full look would find."""
    scene = read_scene(work.folder, 1)
    digest = hashlib.sha256(b"value = 5\n").hexdigest()
    for path, text in (
        ("src/part.py", "value = 5\n"),
        (DOCUMENT, build_results(1, digest=digest)),
        ("src/part.py", "value = 1\n"),
        (DOCUMENT, build_results(1)),
        ("src/part.py", None),
        ("src/part.py", "value = 6\n"),
        ("handoffs/H-7/H-7_RESULTS.md", build_results(7)),
        ("handoffs/H-7/H-7_RESULTS.md", None),
        ("src/other.log", "ignored\n"),
    ):
        version = scene.version
        scene = save(work, scene, path, text)
        assert (scene.version, scene.log_version) == (version + 1, 1), path
        assert agrees(scene, work), path


def test_what_nobody_measured_keeps_every_handoff(work: RepositoryBuilder) -> None:
    """The very same values: nobody draws them again."""
    before = read_scene(work.folder, 1)
    after = save(work, before, "src/other.py", "value = 3\n")
    assert after.state.repository.changed == ("src/other.py",)
    assert after.inbox is before.inbox
    assert all(one is other for one, other in zip(before.state.handoffs, after.state.handoffs, strict=True))


def test_nothing_that_happened_is_the_same_scene(work: RepositoryBuilder) -> None:
    """A word about no path at all."""
    scene = read_scene(work.folder, 1)
    assert follow(work.folder, scene, Notices()) is scene


@pytest.mark.parametrize(
    "notices",
    [
        Notices(everything=True),
        Notices(refs=True),
        Notices(frozenset(f"src/{number}.py" for number in range(MOST_PATHS + 1))),
        Notices(frozenset({"handoff-tui.toml"})),
        Notices(frozenset({".mosaic/state.json"})),
        Notices(frozenset({"src"})),
    ],
    ids=["everything", "refs", "many", "configuration", "looked-into", "folder"],
)
def test_everything_else_is_read_anew(work: RepositoryBuilder, notices: Notices) -> None:
    """Refs, bursts, configuration, folders, and places that are read though git ignores them."""
    scene = follow(work.folder, read_scene(work.folder, 1), notices)
    assert (scene.version, scene.log_version, scene.patches) == (2, 2, ())


def test_too_many_patches_end_in_a_full_look(work: RepositoryBuilder) -> None:
    """So that nothing that was once wrong stays wrong for ever."""
    scene = save(work, read_scene(work.folder, 1), "src/other.py", "value = 4\n")
    scene = replace(scene, patches=scene.patches * 200)
    assert save(work, scene, "src/other.py", "value = 5\n").patches == ()


def test_link_to_a_document_is_read_again_with_it(builder: RepositoryBuilder) -> None:
    """Its content changes under another name."""
    build_work(builder, handoffs=1)
    builder.write("texts/real.md", build_results(4)).place("handoffs/H-4").mkdir()
    builder.link("handoffs/H-4/H-4_RESULTS.md", "../../texts/real.md").commit()
    scene = read_scene(builder.folder, 1)
    scene = save(builder, scene, "texts/real.md", build_results(4, tests=44))
    assert agrees(scene, builder)


def test_document_that_a_full_look_caught_too_early_gets_its_time(work: RepositoryBuilder) -> None:
    """Saved between git's answer and the reading: its text is new already, and its time is that of the commit."""
    before = read_scene(work.folder, 1)
    work.write(DOCUMENT, build_results(1, tests=8))
    after = read_scene(work.folder, 1)
    mixed = replace(after, desk=before.desk, changed=before.changed, inbox=before.inbox)
    assert agrees(follow(work.folder, mixed, Notices(frozenset({DOCUMENT}))), work)
