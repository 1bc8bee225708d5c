"""Parts that are read for one snapshot."""

from __future__ import annotations

from threading import Event

import pytest

from handoff_tui.changes.snapshots.stored_snapshots import capture
from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.attempts.report import AttemptOutcome
from handoff_tui.live.feed.snapshot import read_snapshot
from handoff_tui.live.parts.loader import (
    WantedParts,
    cut_text,
    list_comparison_points,
    read_attempts,
    read_comparison,
    read_document,
    read_repository_metrics,
    read_threads,
    read_why,
)
from handoff_tui.live.state.app import USUAL_RANGE, ComparisonPoint
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person


def test_long_document_is_read_as_far_as_the_limit(builder: RepositoryBuilder) -> None:
    """The beginning of ten megabytes is shown, and said to be the beginning."""
    builder.write("big.md", "a long line " * 900_000).write("small.md", "short\n")
    snapshot = read_snapshot(build_work(builder).folder, 1)
    big = read_document(snapshot, "H-1", "big.md")
    assert (len(big.text), big.truncated) == (snapshot.session.loaded.settings.limits.file_bytes, True)
    assert read_document(snapshot, "H-1", "small.md").truncated is False


def test_document_of_the_handoff_comes_with_its_sections(builder: RepositoryBuilder) -> None:
    """And what isn't text is refused in words."""
    builder.write("picture.png", b"\x89PNG\x00\x01")
    snapshot = read_snapshot(build_work(builder).folder, 1)
    view = read_document(snapshot, "H-1", "handoffs/H-1/H-1_RESULTS.md")
    assert view.document is not None
    with pytest.raises(FileUnreadableError, match="isn't text"):
        read_document(snapshot, "H-1", "picture.png")


def test_text_is_never_cut_within_a_character() -> None:
    """Two bytes, three bytes, four bytes."""
    for character in ("é", "漢", "😀"):
        content = (character * 3).encode()
        for limit in range(len(content)):
            cut = cut_text(content, limit).decode()
            assert cut == character * (limit // len(character.encode()))
    assert cut_text(b"abc", 3) == b"abc"


WANTED = WantedParts(HANDOFF, None, USUAL_RANGE)


def test_readers_tell_of_a_rejection_and_of_what_came_after(gate_desk: GateDesk, bo: Person) -> None:
    """Both attempts, the difference between them, and the figure that counts the rejection."""
    gate_desk.decide(bo, "reject", "--reason", "not yet")
    gate_desk.change()
    snapshot = read_snapshot(gate_desk.root, 1)
    [history] = read_attempts(snapshot, WANTED, Event()).histories
    assert [record.outcome for record in history.attempts] == [AttemptOutcome.REJECTED, AttemptOutcome.OPEN]
    first, now = (record.name for record in history.attempts)
    comparison = read_comparison(snapshot, first, now, Event())
    assert comparison.files is not None
    assert [file.change.path for file in comparison.files] == ["src/app.py"]
    why = read_why(snapshot, WANTED, Event())
    assert (why.handoff, why.total > 0) == (HANDOFF, True)
    assert read_repository_metrics(snapshot).decisions == 1
    gate_desk.root.joinpath("handoff-tui.toml").write_text("nonsense = 1\n", encoding="utf-8")
    [recorded] = read_attempts(read_snapshot(gate_desk.root, 2), WANTED, Event()).histories
    assert [record.outcome for record in recorded.attempts] == [AttemptOutcome.REJECTED]  # nothing is judged now


def test_moments_are_snapshots_and_then_commits(builder: RepositoryBuilder) -> None:
    """Each with a name that can be asked for; the newest commit first."""
    builder.write("a.py").commit("first").write("b.py").commit("second [red]")
    desk = open_session(builder.folder)
    assert [moment.kind for moment in list_comparison_points(desk)] == ["commit", "commit"]
    stored = capture(desk)
    moments = list_comparison_points(open_session(builder.folder))
    assert moments[0] == ComparisonPoint(stored.summary.digest[:12], "snapshot")
    assert moments[1] == ComparisonPoint(builder.head()[:7], "commit", "second [red]", "2025-06-15")


def test_threads_are_carried_to_the_present_work(gate_desk: GateDesk, bo: Person) -> None:
    """None before anybody decided; then where the lines are now."""
    wanted = WantedParts(HANDOFF, None, USUAL_RANGE)
    assert read_threads(read_snapshot(gate_desk.root, 1), wanted, Event()) == ()
    file = gate_desk.folder / "comments.txt"
    file.write_text("src/app.py:5: subtract?\n", encoding="utf-8")
    gate_desk.decide(bo, "reject", "--reason", "see the comments", "--comments", file)
    gate_desk.change("# one\n" + CODE)
    (thread,) = read_threads(read_snapshot(gate_desk.root, 2), wanted, Event())
    assert (thread.place, thread.comment.text) == ("src/app.py:6", "subtract?")
