from __future__ import annotations

import pytest

from handoff_tui.changes import diff as comparing
from handoff_tui.changes.comments import CommentFiles, has_changed, judge_comment, quote
from handoff_tui.changes.comparison.snapshot_diff import DiffScope, ItemChange
from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.changes.snapshots.stored_snapshots import capture, pin
from handoff_tui.checks.run.check import Prefetched, ProgressCallbacks
from handoff_tui.core.errors import HandoffNotFoundError, UsageError
from handoff_tui.git.file_diff import DiffOptions
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.review_record import Comment
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import RESULTS, build_lamp, write_junit


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Session:
    """A pinned snapshot of what is here."""
    desk = open_session(build_lamp(builder).folder)
    pin(desk, capture(desk).summary.digest, None)
    return desk


def test_drop_is_explained_by_the_handoff_under_review_alone(desk: Session, builder: RepositoryBuilder) -> None:
    """Another one's words count only where none is named."""
    write_junit(builder, test_on="")
    builder.write("handoffs/H-2/H-2_RESULTS.md", "# Results: H-2\n\n## Status: PASS\n\nRemoved `test_off`.\n")
    desk = open_session(builder.folder)
    for handoff, change in ((None, ItemChange.REMOVED), ("H-2", ItemChange.REMOVED), ("H-1", ItemChange.VANISHED)):
        found = diff(desk, DiffRequest(handoff=handoff))
        assert found.record is not None
        assert [item.change for item in found.record.tests.items] == [change]


def test_claims_stand_beside_now_and_before(desk: Session, builder: RepositoryBuilder) -> None:
    """In the words of a reviewer."""
    write_junit(builder, test_on="", test_off="", test_dim="")
    builder.write("handoffs/H-2/H-2_RESULTS.md", RESULTS.format(tests=4).replace("H-1", "H-2"))
    found = diff(open_session(builder.folder), DiffRequest(handoff="H-2"))
    assert found.record is not None
    assert [(check.text, check.agrees) for check in found.record.claims] == [
        ("says 1 package, the baseline had 1, there is 1 here; H-1 said 1 before", True),
        ("says 4 tests in all, the baseline had 2, there are 3 here; H-1 said 2 before", False),
    ]


def test_checks_run_only_where_they_are_compared(desk: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for files alone, nor against a commit, nor between two others."""

    def refuse(_: Session, __: ProgressCallbacks | None, ___: Prefetched, *, run_commands: bool) -> None:
        raise AssertionError

    monkeypatch.setattr(comparing, "take_still", refuse)
    for request in (
        DiffRequest(files_only=True),
        DiffRequest(against="HEAD"),
        DiffRequest(against="HEAD", instead="HEAD"),
    ):
        assert diff(desk, request).record is None
    with pytest.raises(AssertionError):
        diff(desk, DiffRequest())


def test_commit_has_files_alone(desk: Session, builder: RepositoryBuilder) -> None:
    """Claims stand beside what is here, and what could not be read is told."""
    builder.write("junit.xml", "<testsuite").write("src/lamp.py", "light = 2\n")
    found = diff(open_session(builder.folder), DiffRequest(against="HEAD"))
    assert found.record is None
    assert [check.what for check in found.claims] == ["baseline.packages", "baseline.tests"]
    assert [note.partition(":")[0] for note in found.notes] == ["junit.xml was not read"]
    assert found.files is not None
    [file] = found.files.list_files(counted=True)
    assert (file.change.path, file.counts) == ("src/lamp.py", (1, 1))
    assert len(found.files.read_file(file.change, DiffOptions()).hunks) == 1


def test_scope_without_a_moment_says_why(desk: Session) -> None:
    """No log: nobody reviewed anything; an attempt is one of a handoff."""
    reviewed = diff(desk, DiffRequest(scope=DiffScope.SINCE_MY_REVIEW))
    assert not reviewed.pair.comparable
    assert reviewed.files is None
    first = diff(desk, DiffRequest(handoff="H-1", scope=DiffScope.SINCE_PREVIOUS_ATTEMPT))
    assert "first attempt" in first.pair.before.reason
    with pytest.raises(UsageError, match="needs a handoff"):
        diff(desk, DiffRequest(scope=DiffScope.SINCE_PREVIOUS_ATTEMPT))
    with pytest.raises(UsageError, match="nothing to compare it with"):
        diff(desk, DiffRequest(instead="HEAD"))
    with pytest.raises(HandoffNotFoundError, match="H-9"):
        diff(desk, DiffRequest(handoff="H-9"))


CONTENT = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def test_lines_meant_are_marked_and_have_neighbours() -> None:
    """Three before and after, as far as the file goes."""
    assert quote(Comment(text="x", path="a", line=5, end_line=6), CONTENT) == (
        "     2  two",
        "     3  three",
        "     4  four",
        ">    5  five",
        ">    6  six",
        "     7  seven",
    )


def test_moved_lines_have_not_changed() -> None:
    """A comment is answered by changing the lines, not by pushing them down."""
    comment = Comment(text="x", path="a", line=2, end_line=3)
    assert not has_changed(comment, CONTENT, b"zero\n" + CONTENT)
    assert has_changed(comment, CONTENT, CONTENT.replace(b"three", b"3"))
    assert has_changed(comment, CONTENT, b"two\n")


def test_white_space_alone_is_no_change() -> None:
    """Indented, padded, joined, broken, with blank lines in between: the same, unless that is asked for."""
    comment = Comment(text="x", path="a", line=2, end_line=3)
    for same in (b"one\n  two\n\tthree \n", b"two three\n", b"two\r\n\r\nthree\r\n", b"t wo\nthr\nee\n"):
        assert not has_changed(comment, CONTENT, same)
        assert has_changed(comment, CONTENT, same, white_space=True)
    assert has_changed(comment, CONTENT, b"one two\nthree\n")
    assert not has_changed(Comment(text="x", path="a"), CONTENT, CONTENT.replace(b"\n", b"\r\n"))


def test_white_space_counts_where_there_is_nothing_else() -> None:
    """In binary content a byte is a byte; blank lines are what a comment on them is about."""
    assert has_changed(Comment(text="x", path="a"), b"\0a b", b"\0ab")
    blank = Comment(text="x", path="a", line=2)
    assert has_changed(blank, b"a\n\nb\n", b"a\nb\n")
    assert not has_changed(blank, b"a\n\nb\n", b"a\nb\n\nc\n")


def test_remark_on_a_file_is_about_all_of_it() -> None:
    """Any difference counts; so it does for a line that was never there."""
    assert not has_changed(Comment(text="x", path="a"), CONTENT, CONTENT)
    assert has_changed(Comment(text="x", path="a"), CONTENT, CONTENT + b"eight\n")
    assert has_changed(Comment(text="x", path="a", line=99), CONTENT, b"")
    assert not has_changed(Comment(text="x", path="a", line=99), CONTENT, CONTENT)


LINE = Comment(text="x", path="a.py", line=2)

FILE = Comment(text="x", path="a.py")

LOOK = "check whether that answers it"


@pytest.mark.parametrize(
    ("comment", "now", "changed", "why"),
    [
        (LINE, b"one\nTWO\n", True, "what it is about changed in attempt 2"),
        (LINE, b"zero\none\ntwo\n", False, "what it is about is the same in attempt 2"),
        (LINE, b"one\n  two\n", False, "only white space in what it is about changed in attempt 2"),
        (FILE, b"one\ntwo\nthree\n", True, "the file changed in attempt 2"),
        (FILE, b"one two\n", False, "only white space in the file changed in attempt 2"),
        (LINE, None, None, f"the file is gone from attempt 2: {LOOK}"),
    ],
)
def test_remark_is_judged_by_content(*, comment: Comment, now: bytes | None, changed: bool | None, why: str) -> None:
    """Only words that differ address it; a file that is gone is for a person to judge."""
    files = CommentFiles(then={"a.py": b"one\ntwo\n"}, now={"a.py": now})
    assert judge_comment(comment, files, "attempt 2") == (changed, why)
