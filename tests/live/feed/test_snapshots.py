from __future__ import annotations

import hashlib

import pytest

from handoff_tui.core.classes import replace
from handoff_tui.git.watch.noticed import Touched
from handoff_tui.git.work_tree.patched_tree import SavedPaths
from handoff_tui.handoffs.claim import Claim, ClaimKind, VerdictState
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.live.feed.following import MOST_PATCHES, MOST_PATHS, follow
from handoff_tui.live.feed.snapshot import RepositorySnapshot, read_snapshot
from handoff_tui.live.feed.verdict_cache import VerdictCache
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

DOCUMENT = "handoffs/H-1/H-1_RESULTS.md"


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return build_work(builder, handoffs=3).write(".gitignore", "*.log\n").commit()


def save(work: RepositoryBuilder, snapshot: RepositorySnapshot, path: str, text: str | None) -> RepositorySnapshot:
    """The snapshot after one file was saved, or removed."""
    work.place(path).unlink() if text is None else work.write(path, text)
    return follow(work.folder, snapshot, Touched(frozenset({path})))


def agrees(snapshot: RepositorySnapshot, root: RepositoryBuilder) -> bool:
    """Whether a snapshot is what would be read now."""
    fresh = read_snapshot(root.folder, snapshot.version)
    assert snapshot.state == fresh.state
    assert snapshot.inbox == fresh.inbox
    assert snapshot.reading.result == fresh.reading.result
    assert dict(snapshot.changed) == dict(fresh.changed)
    return snapshot.session.work_tree.paths == fresh.session.work_tree.paths


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


@pytest.mark.parametrize(
    "touched",
    [
        Touched(everything=True),
        Touched(refs=True),
        Touched(frozenset(f"src/{number}.py" for number in range(MOST_PATHS + 1))),
        Touched(frozenset({"handoff-tui.toml"})),
        Touched(frozenset({".mosaic/state.json"})),
        Touched(frozenset({"src"})),
    ],
    ids=["everything", "refs", "many", "configuration", "looked-into", "folder"],
)
def test_everything_else_is_read_anew(work: RepositoryBuilder, touched: Touched) -> None:
    """Refs, bursts, configuration, folders, and places that are read though git ignores them."""
    snapshot = follow(work.folder, read_snapshot(work.folder, 1), touched)
    assert (snapshot.version, snapshot.log_version) == (2, 2)


def test_too_many_patches_end_in_a_full_look(work: RepositoryBuilder) -> None:
    """So that nothing that was once wrong stays wrong for ever."""
    snapshot = save(work, read_snapshot(work.folder, 1), "src/other.py", "value = 4\n")
    snapshot = replace(snapshot, version=snapshot.log_version + MOST_PATCHES)
    assert save(work, snapshot, "src/other.py", "value = 5\n").log_version == snapshot.version + 1


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
    mixed = replace(after, session=before.session, changed=before.changed, inbox=before.inbox)
    assert agrees(follow(work.folder, mixed, Touched(frozenset({DOCUMENT}))), work)


PATHS = frozenset({"src/part.py"})


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Session:
    digest = hashlib.sha256(b"value = 7\n").hexdigest()
    build_work(builder).write("handoffs/H-2/H-2_RESULTS.md", build_results(2, digest=digest))
    builder.write("handoffs/H-3/H-3_RESULTS.md", "# Results: H-3\n\n## Status: FAIL\n").commit()
    return open_session(builder.folder)


def find_states(book: VerdictCache, handoffs: tuple[Handoff, ...]) -> list[VerdictState]:
    return [one.state for handoff in handoffs for one in book.measure(handoff) if one.claim.kind is ClaimKind.HASH]


def test_claims_are_measured_again_when_their_file_was_saved(builder: RepositoryBuilder, desk: Session) -> None:
    """Only those of handoffs that hashed it; the others keep their very verdicts."""
    handoffs = read_repository(desk).result.handoffs
    book = VerdictCache(desk, handoffs)
    before = [book.measure(handoff) for handoff in handoffs]
    assert find_states(book, handoffs) == [VerdictState.CONTRADICTED] * 2
    builder.write("src/part.py", "value = 7\n")
    now = open_session(builder.folder)
    assert book.carry(now, SavedPaths(PATHS), handoffs) is book
    after = [book.measure(handoff) for handoff in handoffs]
    assert [one is other for one, other in zip(before, after, strict=True)] == [False, False, True]
    assert find_states(book, handoffs) == [VerdictState.CONTRADICTED, VerdictState.HOLDS]


def test_other_files_leave_every_verdict(builder: RepositoryBuilder, desk: Session) -> None:
    """A claim about uncommitted files would be measured again; there is none."""
    handoffs = read_repository(desk).result.handoffs
    book = VerdictCache(desk, handoffs)
    before = [book.measure(handoff) for handoff in handoffs]
    builder.write("src/other.py", "value = 7\n")
    book.carry(open_session(builder.folder), SavedPaths(frozenset({"src/other.py"})), handoffs)
    assert all(book.measure(handoff) is one for handoff, one in zip(handoffs, before, strict=True))


def test_names_that_claims_speak_of_are_remembered(desk: Session) -> None:
    """A file that is in no list may come and go; who named it must be asked again."""
    book = VerdictCache(desk, read_repository(desk).result.handoffs)
    for handoff in read_repository(desk).result.handoffs:
        book.measure(handoff)
    assert book.has_sought(PATHS)
    assert not book.has_sought(frozenset({"src/other.py"}))


def test_edited_handoff_is_measured_and_others_keep_their_verdicts(builder: RepositoryBuilder, desk: Session) -> None:
    """Unless it quotes a hash from before, which speaks for somebody else's claim."""
    first, second, third = read_repository(desk).result.handoffs
    book = VerdictCache(desk, (first, second, third))
    before = [book.measure(handoff) for handoff in (first, second, third)]
    builder.write("handoffs/H-1/H-1_RESULTS.md", build_results(1, tests=9))
    now = open_session(builder.folder)
    edited = read_repository(now).result.handoffs[0]
    book.carry(now, SavedPaths(frozenset({"handoffs/H-1/H-1_RESULTS.md"})), (edited, second, third))
    assert book.measure(edited) != before[0]
    assert [book.measure(second) is before[1], book.measure(third) is before[2]] == [True, True]
    quoting = edited.model_copy(update={"claims": (build_quote(edited),)})
    book.carry(now, SavedPaths(frozenset()), (quoting, second, third))
    assert [book.measure(second) is before[1], book.measure(third) is before[2]] == [False, False]


def build_quote(handoff: Handoff) -> Claim:
    hashed = next(claim for claim in handoff.claims if claim.kind is ClaimKind.HASH)
    return hashed.model_copy(update={"kind": ClaimKind.HASH_BEFORE})


def find_hash_states(snapshot: RepositorySnapshot) -> set[VerdictState]:
    return {verdict.state for verdict in snapshot.verdicts["H-1"] if verdict.claim.kind is ClaimKind.HASH}


def test_snapshots_have_the_verdicts_of_their_moment(builder: RepositoryBuilder) -> None:
    """After a save of a file, of a document, a removal, and a full read; an earlier snapshot keeps its own."""
    first = snapshot = read_snapshot(build_work(builder, handoffs=1).folder, 1)
    assert find_hash_states(snapshot) == {VerdictState.CONTRADICTED}
    snapshot = save(builder, snapshot, "src/part.py", "value = 3\n")
    snapshot = save(builder, snapshot, DOCUMENT, build_results(1, digest=hashlib.sha256(b"value = 3\n").hexdigest()))
    assert find_hash_states(snapshot) == {VerdictState.HOLDS}
    snapshot = save(builder, snapshot, "src/part.py", None)
    assert find_hash_states(snapshot) == {VerdictState.CONTRADICTED}
    builder.write("src/part.py", "value = 3\n")
    snapshot = follow(builder.folder, snapshot, Touched(everything=True))
    assert find_hash_states(snapshot) == {VerdictState.HOLDS}
    assert find_hash_states(first) == {VerdictState.CONTRADICTED}
