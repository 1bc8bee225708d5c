from __future__ import annotations

import hashlib

import pytest

from handoff_tui.handoffs.claim import Claim, ClaimKind, VerdictState
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.live.feed.following import follow
from handoff_tui.live.feed.repository_feed import Notices
from handoff_tui.live.feed.snapshot import RepositorySnapshot, read_snapshot
from handoff_tui.live.feed.verdict_cache import DeepVerdictCache, VerdictCache
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

PATHS = frozenset({"src/part.py"})


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Desk:
    digest = hashlib.sha256(b"value = 7\n").hexdigest()
    build_work(builder).write("handoffs/H-2/H-2_RESULTS.md", build_results(2, digest=digest))
    builder.write("handoffs/H-3/H-3_RESULTS.md", "# Results: H-3\n\n## Status: FAIL\n").commit()
    return open_desk(builder.folder)


def find_states(book: VerdictCache, handoffs: tuple[Handoff, ...]) -> list[VerdictState]:
    return [one.state for handoff in handoffs for one in book.measure(handoff) if one.claim.kind is ClaimKind.HASH]


def test_claims_are_measured_again_when_their_file_was_saved(builder: RepositoryBuilder, desk: Desk) -> None:
    """Only those of handoffs that hashed it; the others keep their very verdicts."""
    handoffs = read_repository(desk).result.handoffs
    book = VerdictCache(desk, handoffs, deep=True)
    before = [book.measure(handoff) for handoff in handoffs]
    assert find_states(book, handoffs) == [VerdictState.CONTRADICTED] * 2
    builder.write("src/part.py", "value = 7\n")
    now = open_desk(builder.folder)
    assert book.move_on(now, PATHS, handoffs) == {"H-1", "H-2"}
    after = [book.measure(handoff) for handoff in handoffs]
    assert [one is other for one, other in zip(before, after, strict=True)] == [False, False, True]
    assert find_states(book, handoffs) == [VerdictState.CONTRADICTED, VerdictState.HOLDS]


def test_other_files_leave_every_verdict(builder: RepositoryBuilder, desk: Desk) -> None:
    """A claim about uncommitted files would be measured again; there is none."""
    handoffs = read_repository(desk).result.handoffs
    book = VerdictCache(desk, handoffs, deep=False)
    before = [book.measure(handoff) for handoff in handoffs]
    builder.write("src/other.py", "value = 7\n")
    assert book.move_on(open_desk(builder.folder), frozenset({"src/other.py"}), handoffs) == frozenset()
    assert all(book.measure(handoff) is one for handoff, one in zip(handoffs, before, strict=True))


def test_names_that_claims_speak_of_are_remembered(desk: Desk) -> None:
    """A file that is in no list may come and go; who named it must be asked again."""
    book = VerdictCache(desk, read_repository(desk).result.handoffs, deep=False)
    for handoff in read_repository(desk).result.handoffs:
        book.measure(handoff)
    assert book.has_sought(PATHS)
    assert not book.has_sought(frozenset({"src/other.py"}))


def test_edited_handoff_is_measured_and_others_keep_their_verdicts(builder: RepositoryBuilder, desk: Desk) -> None:
    """Unless it quotes a hash from before, which speaks for somebody else's claim."""
    first, second, third = read_repository(desk).result.handoffs
    book = VerdictCache(desk, (first, second, third), deep=False)
    before = [book.measure(handoff) for handoff in (first, second, third)]
    builder.write("handoffs/H-1/H-1_RESULTS.md", build_results(1, tests=9))
    now = open_desk(builder.folder)
    edited = read_repository(now).result.handoffs[0]
    book.move_on(now, frozenset({"handoffs/H-1/H-1_RESULTS.md"}), (edited, second, third))
    assert book.measure(edited) != before[0]
    assert [book.measure(second) is before[1], book.measure(third) is before[2]] == [True, True]
    quoting = edited.model_copy(update={"claims": (build_quote(edited),)})
    assert book.move_on(now, frozenset(), (quoting, second, third)) == {"H-1", "H-2", "H-3"}


def build_quote(handoff: Handoff) -> Claim:
    hashed = next(claim for claim in handoff.claims if claim.kind is ClaimKind.HASH)
    return hashed.model_copy(update={"kind": ClaimKind.HASH_BEFORE})


DOCUMENT = "handoffs/H-1/H-1_RESULTS.md"


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return build_work(builder, handoffs=1)


def find_deep_states(books: DeepVerdictCache, snapshot: RepositorySnapshot) -> set[VerdictState]:
    (handoff,) = snapshot.reading.result.handoffs
    return {verdict.state for verdict in books.find(snapshot).measure(handoff) if verdict.claim.kind.value == "hash"}


def test_book_goes_from_scene_to_scene(work: RepositoryBuilder) -> None:
    """By a save of a file, of a document, by a removal, and by a full look."""
    books, snapshot = DeepVerdictCache(), read_snapshot(work.folder, 1)
    first = books.find(snapshot)
    assert books.find(snapshot) is first
    assert find_deep_states(books, snapshot) == {VerdictState.CONTRADICTED}
    work.write("src/part.py", "value = 3\n")
    snapshot = follow(work.folder, snapshot, Notices(frozenset({"src/part.py"})))
    assert books.find(snapshot) is first
    work.write(DOCUMENT, build_results(1, digest=hashlib.sha256(b"value = 3\n").hexdigest()))
    snapshot = follow(work.folder, snapshot, Notices(frozenset({DOCUMENT})))
    assert find_deep_states(books, snapshot) == {VerdictState.HOLDS}
    work.place("src/part.py").unlink()
    snapshot = follow(work.folder, snapshot, Notices(frozenset({"src/part.py"})))
    assert find_deep_states(books, snapshot) == {VerdictState.CONTRADICTED}
    work.write("src/part.py", "value = 3\n")
    snapshot = follow(work.folder, snapshot, Notices(everything=True))
    assert find_deep_states(books, snapshot) == {VerdictState.HOLDS}
