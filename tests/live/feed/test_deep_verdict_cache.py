from __future__ import annotations

import hashlib

import pytest

from handoff_tui.handoffs.claim import VerdictState
from handoff_tui.live.feed.deep_verdict_cache import DeepBook
from handoff_tui.live.feed.following import follow
from handoff_tui.live.feed.notices import Notices
from handoff_tui.live.feed.snapshot import Scene, read_scene
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

DOCUMENT = "handoffs/H-1/H-1_RESULTS.md"


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return build_work(builder, handoffs=1)


def find_states(books: DeepBook, scene: Scene) -> set[VerdictState]:
    (handoff,) = scene.reading.harvest.handoffs
    return {verdict.state for verdict in books.find(scene).measure(handoff) if verdict.claim.kind.value == "hash"}


def test_book_goes_from_scene_to_scene(work: RepositoryBuilder) -> None:
    """By a save of a file, of a document, by a removal, and by a full look."""
    books, scene = DeepBook(), read_scene(work.folder, 1)
    first = books.find(scene)
    assert books.find(scene) is first
    assert find_states(books, scene) == {VerdictState.CONTRADICTED}
    work.write("src/part.py", "value = 3\n")
    scene = follow(work.folder, scene, Notices(frozenset({"src/part.py"})))
    assert books.find(scene) is first
    work.write(DOCUMENT, build_results(1, digest=hashlib.sha256(b"value = 3\n").hexdigest()))
    scene = follow(work.folder, scene, Notices(frozenset({DOCUMENT})))
    assert find_states(books, scene) == {VerdictState.HOLDS}
    work.place("src/part.py").unlink()
    scene = follow(work.folder, scene, Notices(frozenset({"src/part.py"})))
    assert find_states(books, scene) == {VerdictState.CONTRADICTED}
    work.write("src/part.py", "value = 3\n")
    scene = follow(work.folder, scene, Notices(everything=True))
    assert find_states(books, scene) == {VerdictState.HOLDS}
