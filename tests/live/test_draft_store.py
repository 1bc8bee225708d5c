from __future__ import annotations

import threading
from pathlib import Path

import pytest

from handoff_tui.core.errors import DraftsUnkeptError
from handoff_tui.decisions.values.drafts import StoredDrafts
from handoff_tui.live.drafts import DraftStore, parse_drafts, render_drafts
from handoff_tui.log.review_record import Comment
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER, LocalFolder
from tests.support.diffs import build_change

REMARK = Comment(text="größe?\n[red]", path="a.py", line=3)
DRAFTS = StoredDrafts().add_comment("H-1", REMARK).keep_reason("H-1", "reject", "no").mark(build_change(), viewed=True)


def find_place(root: Path) -> Path:
    return find_choices_folder(root) / LOCAL_FOLDER / "drafts.json"


def test_drafts_are_read_as_they_were_kept(tmp_path: Path) -> None:
    """By another store of the same repository; a second repository has its own."""
    assert DraftStore(tmp_path).load() == StoredDrafts()
    assert DraftStore(tmp_path).change(lambda _: DRAFTS) == DRAFTS
    assert DraftStore(tmp_path).load() == DRAFTS
    assert DraftStore(tmp_path / "other").load() == StoredDrafts()
    assert parse_drafts(render_drafts(DRAFTS)) == DRAFTS
    assert find_place(tmp_path).stat().st_mode & 0o077 == 0


def test_changes_of_two_apps_are_both_kept(tmp_path: Path) -> None:
    """Each reads before it writes, under a lock."""
    remarks = [Comment(text=str(number), path="a.py", line=number) for number in range(1, 41)]

    def write(some: list[Comment]) -> None:
        store = DraftStore(tmp_path)
        for remark in some:
            store.change(lambda stored, remark=remark: stored.add_comment("H-1", remark))  # type: ignore[misc]

    threads = [threading.Thread(target=write, args=(remarks[start::2],)) for start in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = DraftStore(tmp_path).load().get("H-1").comments
    assert sorted(kept, key=lambda one: one.line or 0) == remarks


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema_version": 9}', b'{"viewed": 3}', b"\xff"])
def test_damaged_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    """It counts as absent, and nothing in it is lost when the next draft is kept."""
    place = find_place(tmp_path)
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    assert DraftStore(tmp_path).load() == StoredDrafts()
    DraftStore(tmp_path).change(lambda stored: stored.add_comment("H-1", REMARK))
    assert DraftStore(tmp_path).load().get("H-1").comments == (REMARK,)
    assert place.with_name("drafts.damaged.json").read_bytes() == content


def test_unchanged_drafts_are_not_written(tmp_path: Path) -> None:
    """Marking twice touches the disk once."""
    DraftStore(tmp_path).change(lambda _: DRAFTS)
    before = find_place(tmp_path).stat().st_mtime_ns
    DraftStore(tmp_path).change(lambda stored: stored.mark(build_change(), viewed=True))
    assert find_place(tmp_path).stat().st_mtime_ns == before


def test_drafts_that_cannot_be_kept_are_an_error(tmp_path: Path) -> None:
    """A file where the folder should be; what is wrong is said."""
    folder = find_choices_folder(tmp_path)
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    with pytest.raises(DraftsUnkeptError, match="your drafts are not kept"):
        DraftStore(tmp_path).change(lambda _: DRAFTS)
    assert DraftStore(tmp_path).load() == StoredDrafts()


def test_another_app_that_holds_the_file_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reviewer is told, and goes on."""
    monkeypatch.setattr("handoff_tui.live.drafts._LOCK_SECONDS", 0.05)
    folder = LocalFolder(find_choices_folder(tmp_path), make_outer=True)
    with LogLock(folder).hold(), pytest.raises(DraftsUnkeptError, match="another handoff-tui has held"):
        DraftStore(tmp_path).change(lambda _: DRAFTS)
