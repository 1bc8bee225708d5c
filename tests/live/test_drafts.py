from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import DraftsUnkeptError
from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.git.file_diff import ChangedFile, DiffOptions, FileChange, FileKind
from handoff_tui.handoffs.handoff import Document, DocumentRole
from handoff_tui.live.drafts import DraftKeeper, DraftStore, parse_drafts, render_drafts
from handoff_tui.live.state.app import AppState, DiffRange, FilesView, Loaded, OpenDocument, Part
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.review_record import Comment
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER, GitPrivateFolder
from tests.support.desk_states import make_item
from tests.support.diffs import build_change
from tests.support.live_desks import build_work, looking
from tests.support.repositories import RepositoryBuilder
from tests.support.waiting import wait_until

REMARK = Comment(text="why?", path="a.py", line=3)
PAIR = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(commit="7" * 40, reason=""))
SPEC = Document(path="spec.md", role=DocumentRole.SPEC, sha256="1" * 64)


class Table:
    """A store with a keeper, and one handoff in view."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bugs: list[BaseException] = []
        self.store = StateStore(lambda _: None, self.bugs.append)
        self.keeper = DraftKeeper(self.store)
        self.store.derive = self.keeper.derive
        self.choose("H-1")
        self.list_files(build_change())

    def choose(self, handoff: str) -> None:
        item = make_item(handoff, root=str(self.root))
        changed = item.reviewed.handoff.model_copy(update={"documents": (SPEC,)})
        item = item._replace(reviewed=item.reviewed.model_copy(update={"handoff": changed}))
        self.store.change(lambda state: replace(state, chosen=HandoffKey(str(self.root), handoff), inbox=(item,)))
        self.keeper.open(self.state.chosen)
        self.rest()

    def list_files(self, *changes: FileChange) -> None:
        files = tuple(ChangedFile(change, FileKind.TEXT) for change in changes)
        self.store.change(lambda state: replace(state, files=Loaded(FilesView(PAIR, files, counted=False))))

    @property
    def state(self) -> AppState:
        return self.store.state

    def rest(self) -> None:
        """Until everything is on disk."""
        wait_until(self.keeper.is_idle)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path / "root")
    yield table
    table.keeper.stop()
    assert table.bugs == []


def test_draft_is_there_at_once_and_on_disk_soon(table: Table) -> None:
    """A comment is shown as soon as it is written: it is in the next state; after a crash it is still there."""
    table.keeper.add_comment(REMARK)
    assert table.state.drafts.comments == (REMARK,)
    table.rest()
    assert table.state.drafts.comments == (REMARK,)
    assert Table(table.root).state.drafts.comments == (REMARK,)
    table.keeper.remove_comment(REMARK)
    assert not table.state.drafts.comments


def test_each_handoff_has_its_own_remarks_and_reasons(table: Table) -> None:
    """Another handoff in view has other drafts, and the first one's come back."""
    table.keeper.add_comment(REMARK)
    table.keeper.keep_reason("reject", "no tests")
    table.choose("H-2")
    assert (table.state.drafts.comments, table.state.drafts.reasons) == ((), {})
    table.choose("H-1")
    assert table.state.drafts.comments == (REMARK,)
    assert table.state.drafts.reasons == {"reject": "no tests"}


def test_mark_drops_only_when_that_file_changes(table: Table) -> None:
    """Another file that changed leaves it; its own content does not; what was read before counts when it returns."""
    first, second = build_change("a.py"), build_change("b.py")
    table.list_files(first, second)
    table.keeper.mark_viewed("a.py", viewed=True)
    assert table.state.drafts.viewed == {"a.py"}
    table.list_files(first, second._replace(new_id="c" * 40))
    assert table.state.drafts.viewed == {"a.py"}
    table.list_files(first._replace(new_id="d" * 40), second)
    assert table.state.drafts.viewed == frozenset()
    table.list_files(first, second)
    assert table.state.drafts.viewed == {"a.py"}
    table.keeper.mark_viewed("a.py", viewed=False)
    assert table.state.drafts.viewed == frozenset()
    table.keeper.mark_viewed("not in the list", viewed=True)
    assert table.state.drafts.viewed == frozenset()


def test_opened_document_counts_while_it_is_the_same(table: Table) -> None:
    """It is known by its content."""
    table.keeper.note_opened(OpenDocument("spec.md", "text", SPEC))
    assert table.state.drafts.opened == {"spec.md"}
    table.keeper.note_opened(OpenDocument("notes.md", "text"))
    changed = SPEC.model_copy(update={"sha256": "2" * 64})
    table.keeper.note_opened(OpenDocument("spec.md", "text", changed))
    table.rest()
    assert DraftStore(table.root).load().opened == {"spec.md": "1" * 64}


def test_two_apps_see_each_others_drafts(table: Table) -> None:
    """What one stored, the other has after its next look, together with its own."""
    other = Table(table.root)
    other.keeper.add_comment(Comment(text="from the other", path="a.py"))
    other.keeper.stop()
    table.keeper.add_comment(REMARK)
    table.rest()
    assert {comment.text for comment in table.state.drafts.comments} == {"from the other", "why?"}
    table.keeper.refresh()
    table.rest()
    assert len(table.state.drafts.comments) == 2


def test_stopping_stores_what_was_just_written(table: Table) -> None:
    """Who writes and leaves at once loses nothing."""
    for number in range(20):
        table.keeper.add_comment(Comment(text=str(number), path="a.py"))
    table.keeper.stop()
    assert len(DraftStore(table.root).load().get("H-1").comments) == 20


def test_drafts_that_cannot_be_stored_hold_until_the_end(table: Table) -> None:
    """The reviewer is told once for each, and can go on."""
    folder = find_choices_folder(table.root)
    if folder.exists():
        folder.rename(folder.with_name("away"))
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    table.keeper.add_comment(REMARK)
    table.rest()
    assert table.state.drafts.comments == (REMARK,)
    assert table.state.status is not None
    assert "your drafts aren't saved" in table.state.status.text


def test_desk_keeps_marks_by_content(builder: RepositoryBuilder) -> None:
    """At a real desk: a file that was read is unread as soon as it is saved with another content, and only that one."""
    work = build_work(builder)
    base = work.head()
    work.write("src/part.py", "value = 3\n").write("src/other.py", "value = 4\n").commit("the next")
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN)
        onlooker.desk.parts.show_scope(DiffRange(DiffScope.BETWEEN, base))
        onlooker.desk.need(frozenset({Part.FILES}))
        onlooker.wait_for(lambda state: state.files.value is not None and state.files.value.counted)
        for path in ("src/part.py", "src/other.py"):
            onlooker.desk.drafts.mark_viewed(path, viewed=True)
        onlooker.wait_for(lambda state: state.drafts.viewed == {"src/part.py", "src/other.py"})
        work.write("src/part.py", "value = 5\n")
        onlooker.wait_for(lambda state: state.drafts.viewed == {"src/other.py"})
        onlooker.desk.parts.open_file("src/part.py", DiffOptions())
        onlooker.desk.need(frozenset({Part.FILES, Part.FILE}))
        state = onlooker.wait_for(lambda state: state.file.value is not None and state.file.value.complete)
        assert state.file.value is not None
        assert state.file.value.lines.read_line(1).text == "value = 5"


NOTE = Comment(text="größe?\n[red]", path="a.py", line=3)
DRAFTS = StoredDrafts().add_comment("H-1", NOTE).keep_reason("H-1", "reject", "no").mark(build_change(), viewed=True)


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
    DraftStore(tmp_path).change(lambda stored: stored.add_comment("H-1", NOTE))
    assert DraftStore(tmp_path).load().get("H-1").comments == (NOTE,)
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
    with pytest.raises(DraftsUnkeptError, match="your drafts aren't saved"):
        DraftStore(tmp_path).change(lambda _: DRAFTS)
    assert DraftStore(tmp_path).load() == StoredDrafts()


def test_another_app_that_holds_the_file_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reviewer is told, and goes on."""
    monkeypatch.setattr("handoff_tui.live.drafts._LOCK_SECONDS", 0.05)
    folder = GitPrivateFolder(find_choices_folder(tmp_path), make_outer=True)
    with LogLock(folder).hold(), pytest.raises(DraftsUnkeptError, match="another handoff-tui is using"):
        DraftStore(tmp_path).change(lambda _: DRAFTS)
