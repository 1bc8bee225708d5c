from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from handoff_tui.live.feed.following import MOST_PATHS, follow
from handoff_tui.live.feed.repository_feed import Notices
from handoff_tui.live.feed.snapshot import RepositorySnapshot, SavedPaths, read_snapshot
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

DOCUMENT = "handoffs/H-1/H-1_RESULTS.md"


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return build_work(builder, handoffs=3).write(".gitignore", "*.log\n").commit()


def save(work: RepositoryBuilder, snapshot: RepositorySnapshot, path: str, text: str | None) -> RepositorySnapshot:
    """The snapshot after one file was saved, or removed."""
    work.place(path).unlink() if text is None else work.write(path, text)
    return follow(work.folder, snapshot, Notices(frozenset({path})))


def agrees(snapshot: RepositorySnapshot, root: RepositoryBuilder) -> bool:
    """Whether a snapshot is what would be read now."""
    fresh = read_snapshot(root.folder, snapshot.version)
    assert snapshot.state == fresh.state
    assert snapshot.inbox == fresh.inbox
    assert snapshot.reading.result == fresh.reading.result
    assert dict(snapshot.changed) == dict(fresh.changed)
    return snapshot.desk.work_tree.paths == fresh.desk.work_tree.paths


def test_saved_files_are_followed_one_by_one(work: RepositoryBuilder) -> None:
    """Edited, put back, removed, made, ignored: each snapshot is what a full look would find."""
    snapshot = read_snapshot(work.folder, 1)
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
        version = snapshot.version
        snapshot = save(work, snapshot, path, text)
        assert (snapshot.version, snapshot.log_version) == (version + 1, 1), path
        assert agrees(snapshot, work), path


def test_what_nobody_measured_keeps_every_handoff(work: RepositoryBuilder) -> None:
    """The very same values: nobody draws them again."""
    before = read_snapshot(work.folder, 1)
    after = save(work, before, "src/other.py", "value = 3\n")
    assert after.state.repository.changed == ("src/other.py",)
    assert after.inbox is before.inbox
    assert all(one is other for one, other in zip(before.state.handoffs, after.state.handoffs, strict=True))


def test_nothing_that_happened_is_the_same_scene(work: RepositoryBuilder) -> None:
    """A word about no path at all."""
    snapshot = read_snapshot(work.folder, 1)
    assert follow(work.folder, snapshot, Notices()) is snapshot


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
    snapshot = follow(work.folder, read_snapshot(work.folder, 1), notices)
    assert (snapshot.version, snapshot.log_version, snapshot.patches) == (2, 2, ())


def test_too_many_patches_end_in_a_full_look(work: RepositoryBuilder) -> None:
    """So that nothing that was once wrong stays wrong for ever."""
    snapshot = save(work, read_snapshot(work.folder, 1), "src/other.py", "value = 4\n")
    snapshot = replace(snapshot, patches=snapshot.patches * 200)
    assert save(work, snapshot, "src/other.py", "value = 5\n").patches == ()


def test_link_to_a_document_is_read_again_with_it(builder: RepositoryBuilder) -> None:
    """Its content changes under another name."""
    build_work(builder, handoffs=1)
    builder.write("texts/real.md", build_results(4)).place("handoffs/H-4").mkdir()
    builder.link("handoffs/H-4/H-4_RESULTS.md", "../../texts/real.md").commit()
    snapshot = read_snapshot(builder.folder, 1)
    snapshot = save(builder, snapshot, "texts/real.md", build_results(4, tests=44))
    assert agrees(snapshot, builder)


def test_document_that_a_full_look_caught_too_early_gets_its_time(work: RepositoryBuilder) -> None:
    """Saved between git's answer and the reading: its text is new already, and its time is that of the commit."""
    before = read_snapshot(work.folder, 1)
    work.write(DOCUMENT, build_results(1, tests=8))
    after = read_snapshot(work.folder, 1)
    mixed = replace(after, desk=before.desk, changed=before.changed, inbox=before.inbox)
    assert agrees(follow(work.folder, mixed, Notices(frozenset({DOCUMENT}))), work)


def add(snapshot: RepositorySnapshot, *paths: str, presence: bool = False) -> RepositorySnapshot:
    patch = SavedPaths(snapshot.version + 1, frozenset(paths), presence)
    return replace(snapshot, version=patch.version, patches=(*snapshot.patches, patch))


def test_patches_since_a_version_are_put_together(builder: RepositoryBuilder) -> None:
    """All that came after it, in one; none for the snapshot itself."""
    first = read_snapshot(build_work(builder).folder, 5)
    third = add(add(first, "a"), "b", presence=True)
    assert third.find_patch(7) == SavedPaths(7, frozenset())
    assert third.find_patch(6) == SavedPaths(7, frozenset({"b"}), presence=True)
    assert third.find_patch(5) == SavedPaths(7, frozenset({"a", "b"}), presence=True)


def test_full_look_in_between_is_no_patch(builder: RepositoryBuilder) -> None:
    """Nor is a version that is not known."""
    snapshot = add(read_snapshot(build_work(builder).folder, 5), "a")
    assert snapshot.find_patch(4) is None
    assert snapshot.find_patch(9) is None
    assert replace(snapshot, patches=()).find_patch(5) is None
