from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.git.file_diff import ChangedFile, DiffOptions, FileChange, FileKind
from handoff_tui.handoffs.document import Document, DocumentRole
from handoff_tui.live.drafts import DraftKeeper, DraftStore
from handoff_tui.live.state.desk import DeskState, DocumentView, FilesView, Loaded, Part, Scope
from handoff_tui.live.state_store import Board
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.files.cache_files import find_choices_folder
from tests.support.diffs import build_change
from tests.support.inbox_items import make_item
from tests.support.live_desks import build_work, looking
from tests.support.repositories import RepositoryBuilder

REMARK = Comment(text="why?", path="a.py", line=3)
PAIR = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(commit="7" * 40, reason=""))
SPEC = Document(path="spec.md", role=DocumentRole.SPEC, sha256="1" * 64)


class Table:
    """A board with a keeper, and one handoff in view."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.board = Board(lambda _: None)
        self.bugs: list[BaseException] = []
        self.keeper = DraftKeeper(self.board, self.bugs.append)
        self.board.settle = self.keeper.settle
        self.choose("H-1")
        self.list_files(build_change())

    def choose(self, handoff: str) -> None:
        item = make_item(handoff, root=str(self.root))
        changed = item.reviewed.handoff.model_copy(update={"documents": (SPEC,)})
        item = item._replace(reviewed=item.reviewed.model_copy(update={"handoff": changed}))
        self.board.change(lambda state: replace(state, chosen=HandoffKey(str(self.root), handoff), inbox=(item,)))
        self.keeper.open(self.state.chosen)
        self.rest()

    def list_files(self, *changes: FileChange) -> None:
        files = tuple(ChangedFile(change, FileKind.TEXT) for change in changes)
        self.board.change(lambda state: replace(state, files=Loaded(FilesView(PAIR, files, counted=False))))

    @property
    def state(self) -> DeskState:
        return self.board.state

    def rest(self) -> None:
        """Until everything is on disk."""
        wait_until(self.keeper.is_idle)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path / "root")
    yield table
    table.keeper.stop()
    assert table.bugs == []


def test_draft_is_there_at_once_and_on_disk_soon(table: Table) -> None:
    """Who writes a remark sees it in the next state; after a crash it is still there."""
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
    table.keeper.note_opened(DocumentView("spec.md", "text", SPEC))
    assert table.state.drafts.opened == {"spec.md"}
    table.keeper.note_opened(DocumentView("notes.md", "text"))
    changed = SPEC.model_copy(update={"sha256": "2" * 64})
    table.keeper.note_opened(DocumentView("spec.md", "text", changed))
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
    assert table.state.telling is not None
    assert "your drafts are not kept" in table.state.telling.text


def test_desk_keeps_marks_by_content(builder: RepositoryBuilder) -> None:
    """At a real desk: a file that was read is unread as soon as it is saved with another content, and only that one."""
    work = build_work(builder)
    base = work.head()
    work.write("src/part.py", "value = 3\n").write("src/other.py", "value = 4\n").commit("the next")
    with looking(work.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", Part.SHOWN)
        onlooker.desk.choose_scope(Scope(DiffScope.BETWEEN, base))
        onlooker.desk.need(frozenset({Part.FILES}))
        onlooker.wait_for(lambda state: state.files.value is not None and state.files.value.counted)
        for path in ("src/part.py", "src/other.py"):
            onlooker.desk.mark_viewed(path, viewed=True)
        onlooker.wait_for(lambda state: state.drafts.viewed == {"src/part.py", "src/other.py"})
        work.write("src/part.py", "value = 5\n")
        onlooker.wait_for(lambda state: state.drafts.viewed == {"src/other.py"})
        onlooker.desk.open_file("src/part.py", DiffOptions())
        onlooker.desk.need(frozenset({Part.FILES, Part.FILE}))
        state = onlooker.wait_for(lambda state: state.file.value is not None and state.file.value.complete)
        assert state.file.value is not None
        assert state.file.value.lines.read_line(1).text == "value = 5"
