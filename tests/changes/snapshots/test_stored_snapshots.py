from __future__ import annotations

import pytest

from handoff_tui.changes.snapshots import stored_snapshots as snapshots
from handoff_tui.changes.snapshots.stored_snapshots import (
    capture,
    list_newest_first,
    pin,
    show_snapshot,
    take,
    take_still,
)
from handoff_tui.checks.run.check import ProgressCallbacks, find_movement
from handoff_tui.core.errors import (
    SnapshotUnusableError,
    StoredFileDamagedError,
    StoredFileMissingError,
    TreeMovedError,
)
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.system.files.cache_files import find_choices_folder
from tests.support.compared import build_lamp
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder


def move_after(monkeypatch: pytest.MonkeyPatch, builder: RepositoryBuilder, times: int) -> None:
    """Somebody writes a file each time a snapshot was taken, that often."""
    left = iter(range(times))

    def find(desk: Desk, handoffs_read: ReadHandoffs) -> str | None:
        number = next(left, None)
        if number is not None:
            builder.write(f"written-{number}")
        return real(desk, handoffs_read)

    real = find_movement
    monkeypatch.setattr(snapshots, "find_movement", find)


def test_taking_stores_nothing(builder: RepositoryBuilder) -> None:
    """Handoffs, checks and snapshot are of one look, and the repository stays as it is."""
    root = build_lamp(builder).folder
    before = read_fingerprint(root)
    taken = take(open_desk(root))
    assert [handoff.id for handoff in taken.handoffs_read.handoffs] == ["H-1"]
    assert taken.captured.snapshot.checks.keys() == {result.id for result in taken.report.results}
    assert compare_fingerprints(before, read_fingerprint(root)) == []


def test_repository_that_moves_once_is_taken_again(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot is of the state after."""
    root = build_lamp(builder).folder
    move_after(monkeypatch, builder, 1)
    taken = take_still(open_desk(root))
    assert taken.captured.snapshot.tree == take(open_desk(root)).captured.snapshot.tree


def test_repository_that_keeps_moving_is_an_error(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is stored, and it is said what to do."""
    root = build_lamp(builder).folder
    move_after(monkeypatch, builder, 5)
    with pytest.raises(TreeMovedError, match="kept changing") as caught:
        capture(open_desk(root))
    assert "Wait" in caught.value.hint
    assert not (root / ".handoff-tui").exists()


def test_head_that_moved_before_is_looked_at_again(builder: RepositoryBuilder) -> None:
    """The desk is opened anew, once."""
    desk = open_desk(build_lamp(builder).folder)
    builder.write("more").commit()
    assert take_still(desk).captured.snapshot.commit == builder.head()


def test_cancelled_snapshot_is_not_stored(builder: RepositoryBuilder) -> None:
    """Checks that did not run are no baseline."""
    telling = ProgressCallbacks()
    telling.cancel.set()
    root = build_lamp(builder).folder
    assert not capture(open_desk(root), telling).is_new
    assert not (root / ".handoff-tui").exists()


def test_list_has_what_cannot_be_used_and_what_is_foreign(builder: RepositoryBuilder) -> None:
    """Damaged ones with the reason, pins of what is not there, and files that are no snapshot."""
    root = build_lamp(builder).folder
    desk = open_desk(root)
    digest = capture(desk).summary.digest
    pin(desk, digest, "H-1")
    folder = root / ".handoff-tui" / "baselines"
    (folder / f"{digest}.json").write_text("{}", encoding="utf-8")
    (folder / "notes.txt").touch()
    stored = list_newest_first(desk)
    [summary] = stored.summaries
    assert (summary.problem, summary.pinned_for) == ("does not have the content that its name says", ("H-1",))
    assert stored.foreign == (".handoff-tui/baselines/notes.txt",)
    (folder / f"{digest}.json").unlink()
    assert list_newest_first(desk).lost_pins == {"H-1": digest}


def test_pin_of_what_cannot_be_read_is_refused(builder: RepositoryBuilder) -> None:
    """Neither missing nor of an unknown version."""
    root = build_lamp(builder).folder
    desk = open_desk(root)
    with pytest.raises(StoredFileMissingError):
        pin(desk, "abcdef", None)
    place = root / ".handoff-tui/baselines" / f"{'1' * 64}.json"
    place.parent.mkdir(parents=True)
    place.write_text("{}", encoding="utf-8")
    with pytest.raises(StoredFileDamagedError, match="does not have the content"):
        pin(desk, "111111", None)
    assert not find_choices_folder(root / ".git").exists()


def test_damaged_pins_are_told(builder: RepositoryBuilder) -> None:
    """No other baseline is chosen in silence."""
    root = build_lamp(builder).folder
    desk = open_desk(root)
    digest = capture(desk).summary.digest
    pin(desk, digest, None)
    assert show_snapshot(desk, digest[:6])[0].pinned_for == ("*",)
    place = find_choices_folder(root / ".git") / "handoff-tui/pins.json"
    place.write_text('{"*": "no digest"}', encoding="utf-8")
    with pytest.raises(SnapshotUnusableError, match=r"pins\.json is damaged"):
        list_newest_first(desk)
