from __future__ import annotations

import pytest

from handoff_tui.changes import diff as comparing
from handoff_tui.changes.comparison.snapshot_diff import DiffScope, ItemChange
from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.changes.snapshots.stored_snapshots import capture, pin
from handoff_tui.checks.run.check import Prefetched, ProgressCallbacks
from handoff_tui.core.errors import HandoffNotFoundError, UsageError
from handoff_tui.git.file_diff import DiffOptions
from handoff_tui.handoffs.session import Desk, open_desk
from tests.support.compared import RESULTS, build_lamp, write_junit
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Desk:
    """A pinned snapshot of what is here."""
    desk = open_desk(build_lamp(builder).folder)
    pin(desk, capture(desk).summary.digest, None)
    return desk


def test_nothing_differs_from_itself(desk: Desk) -> None:
    """No item in any section, no file; and looking changes nothing."""
    before = read_fingerprint(desk.repository.root)
    found = diff(desk, DiffRequest())
    assert found.record is not None
    assert found.files is not None
    assert (found.record.sections["tests"].unchanged, found.files.listed.changes, found.notes) == (2, [], ())
    assert not any(section.items for section in found.record.sections.values())
    assert compare_fingerprints(before, read_fingerprint(desk.repository.root)) == []


def test_drop_is_explained_by_the_handoff_under_review_alone(desk: Desk, builder: RepositoryBuilder) -> None:
    """Another one's words count only where none is named."""
    write_junit(builder, test_on="")
    builder.write("handoffs/H-2/H-2_RESULTS.md", "# Results: H-2\n\n## Status: PASS\n\nRemoved `test_off`.\n")
    desk = open_desk(builder.folder)
    for handoff, change in ((None, ItemChange.REMOVED), ("H-2", ItemChange.REMOVED), ("H-1", ItemChange.VANISHED)):
        found = diff(desk, DiffRequest(handoff=handoff))
        assert found.record is not None
        assert [item.change for item in found.record.tests.items] == [change]


def test_claims_stand_beside_now_and_before(desk: Desk, builder: RepositoryBuilder) -> None:
    """In the words of a reviewer."""
    write_junit(builder, test_on="", test_off="", test_dim="")
    builder.write("handoffs/H-2/H-2_RESULTS.md", RESULTS.format(tests=4).replace("H-1", "H-2"))
    found = diff(open_desk(builder.folder), DiffRequest(handoff="H-2"))
    assert found.record is not None
    assert [(check.text, check.agrees) for check in found.record.claims] == [
        ("says 1 package, baseline had 1, here is 1; H-1 said 1 before", True),
        ("says 4 tests in all, baseline had 2, here are 3; H-1 said 2 before", False),
    ]


def test_checks_run_only_where_they_are_compared(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for files alone, nor against a commit, nor between two others."""

    def refuse(_: Desk, __: ProgressCallbacks | None, ___: Prefetched, *, run_commands: bool) -> None:
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


def test_commit_has_files_alone(desk: Desk, builder: RepositoryBuilder) -> None:
    """Claims stand beside what is here, and what could not be read is told."""
    builder.write("junit.xml", "<testsuite").write("src/lamp.py", "light = 2\n")
    found = diff(open_desk(builder.folder), DiffRequest(against="HEAD"))
    assert found.record is None
    assert [check.what for check in found.claims] == ["baseline.packages", "baseline.tests"]
    assert [note.partition(":")[0] for note in found.notes] == ["junit.xml was not read"]
    assert found.files is not None
    [file] = found.files.list_files(counted=True)
    assert (file.change.path, file.counts) == ("src/lamp.py", (1, 1))
    assert len(found.files.read_file(file.change, DiffOptions()).hunks) == 1


def test_scope_without_a_moment_says_why(desk: Desk) -> None:
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
