"""The diff on screen: the snapshot diff's summary, the files, and the lines of the current file."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from handoff_tui.changes.files.shown_file import Matches, ShownFile
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.threads import Thread
from handoff_tui.git.file_diff import ChangedFile, DiffOptions
from handoff_tui.live.state.app import AppState, FilesView
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui import messages
from handoff_tui.tui.drawing.cells import find_ink
from handoff_tui.tui.views.changes.bars import build_file_title, build_record_page, build_record_sum
from handoff_tui.tui.views.changes.file_rows import ChangedFileRows, FileFacts, count_read, filter_files
from handoff_tui.tui.views.changes.lines_view import DiffLinesView, Position
from handoff_tui.tui.views.changes.row_map import Folding, RowKind
from handoff_tui.tui.views.changes.rows import DiffLook, DiffRows
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

LEAST_SPLIT = 160
"""Side by side needs 80 columns for each side."""
_LEAST_WIDTH = 100
"""From this width on, the files are beside the lines; below it, above them, until the lines are read."""
_LIST_SHARE = 3
"""The part of the width that the list of files may take."""
_LEAST_LIST, _MOST_LIST = 34, 60
FILES, LINES = "files", "lines"
"""The two panels."""


class Expected(NamedTuple):
    """The place to show once its file has been read; without a number, its beginning."""

    path: str
    number: int | None = None
    old: bool = False


class DiffPanels(View):
    """Snapshot diff, files, lines. With little room, Enter gives the lines all of it, escape returns to the files."""

    DEFAULT_CSS = """
    DiffPanels #record { height: 1fr; display: none; }
    DiffPanels #files-panel { width: 1fr; }
    DiffPanels #lines-panel { width: 1fr; }
    DiffPanels.-both #lines-panel { border-left: solid $border; }
    DiffPanels.-stacked Horizontal { layout: vertical; }
    DiffPanels #files { height: 1fr; }
    DiffPanels #lines { height: 1fr; }
    DiffPanels #diff-note { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._panel = FILES
        self._record_open = False
        self._filter = ""
        self._mode = "auto"
        self._around: int | None = 3
        self._opened: frozenset[int] = frozenset()
        self._expanded = False
        self._options = DiffOptions(most_lines=None)
        self._expected: Expected | None = None
        self._sought = ""
        self._asked: tuple[object, ...] = ()
        self._wanted: str | None = None
        """The file that was asked for last; it may not be open yet."""
        self._places: tuple[FilesView | None, dict[str, int]] = (None, {})
        self._last_files: dict[HandoffKey | None, str] = {}
        """The file that was open last, by handoff."""
        self._positions: dict[tuple[HandoffKey | None, str], Position] = {}
        """Where the cursor was in a file, by handoff: coming back goes on from there."""
        self._drawn_place: tuple[HandoffKey | None, str] | None = None
        self._drawn_files: tuple[object, ...] = ()
        self._drawn_record: tuple[object, ...] = ()
        self._drawn_file: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        yield Bar(id="record-sum")
        yield PageView(id="record")
        with Horizontal():
            with Vertical(id="files-panel"):
                yield Divider(id="files-title")
                yield RowList(id="files")
            with Vertical(id="lines-panel"):
                yield Bar(id="file-title", raised=True)
                yield DiffLinesView(id="lines")
                yield Bar(id="diff-note")

    # content

    def show(self, state: AppState) -> None:
        self._state = state
        self._ask_for_first()
        self._draw_record()
        self._draw_files()
        self._draw_file()

    def on_resize(self) -> None:
        self.call_after_refresh(self._redraw)

    @on(DiffLinesView.Resized)
    def lay_out_lines(self, event: DiffLinesView.Resized) -> None:
        event.stop()
        self._draw_file()
        self.post_message(messages.StatusChanged())

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn_file = ()

    def _redraw(self) -> None:
        self._place()
        self._drawn_files = self._drawn_record = ()
        self.show(self._state)
        self.post_message(messages.StatusChanged())

    @property
    def _view(self) -> FilesView | None:
        return self._state.files.value

    @property
    def _files(self) -> tuple[ChangedFile, ...]:
        return self._view.files if self._view is not None else ()

    @property
    def _path(self) -> str | None:
        return self._state.open_file.path if self._state.open_file is not None else None

    @property
    def _file(self) -> ShownFile | None:
        """The current file, if its lines have been read."""
        file = self._state.file.value
        return file if file is not None and file.change.path == self._path else None

    @property
    def _lines(self) -> DiffLinesView:
        return self.query_one(DiffLinesView)

    @property
    def _list(self) -> RowList:
        return self.query_one("#files", RowList)

    @property
    def _roomy(self) -> bool:
        return self.size.width >= _LEAST_WIDTH and bool(self._files)

    @property
    def _is_stacked(self) -> bool:
        """Whether the files are above the first lines of the selected one."""
        return bool(self._files) and not self._roomy and self._panel == FILES

    @property
    def _split(self) -> bool:
        return self._mode == "auto" and self._lines.size.width >= LEAST_SPLIT

    def _ask_for_first(self) -> None:
        """Asks for the first unread file, once per handoff and scope."""
        state = self._state
        now = (state.chosen, state.scope)
        gone = self._path is None or self._find_file(self._path) is None
        if gone and self._files and self._asked != now:
            self._asked = now
            viewed = state.drafts.viewed
            unread = next((file for file in self._files if file.change.path not in viewed), self._files[0])
            last = self._last_files.get(state.chosen)
            self._want(last if last is not None and self._find_file(last) is not None else unread.change.path)

    def _want(self, path: str) -> None:
        if path != self._path:  # the layout of one file doesn't carry over to another
            self._options = self._options._replace(as_text=False, as_stored=False)
        self._wanted = path
        self.post_message(messages.FileWanted(path, self._options))

    def _place(self) -> None:
        """Decides which panels have room."""
        record, both, stacked = self._record_open, self._roomy, self._is_stacked
        self.query_one("#record").display = record
        if self.zoomed:
            return
        files, lines = self.query_one("#files-panel"), self.query_one("#lines-panel")
        files.display = not record and (both or self._panel == FILES)
        lines.display = not record and (both or stacked or self._panel == LINES)
        self.set_class(both, "-both")
        self.set_class(stacked, "-stacked")
        files.styles.height = min(len(self._files) + 1, self.size.height // 2) if stacked else "1fr"
        files.styles.width = min(max(self.size.width // _LIST_SHARE, _LEAST_LIST), _MOST_LIST) if both else "1fr"

    def _draw_record(self) -> None:
        state = self._state
        now = (state.difference, self._view, self._record_open, state.item is None)
        if is_same(now, self._drawn_record):
            return
        self._drawn_record = now
        files = len(self._files) if self._view is not None else None
        summed = (
            build_record_sum(state.difference, files, self.show_key("changes.snapshots"))
            if state.item is not None
            else ()
        )
        bar = self.query_one("#record-sum", Bar)
        bar.show(*summed)
        bar.display = bool(summed)
        if self._record_open:
            self.query_one("#record", PageView).show(build_record_page(state.difference, files))

    def _draw_files(self) -> None:
        state = self._state
        facts = self._find_facts()
        now = (state.files, state.drafts, self._path, self._filter, facts, state.changed_text if self._filter else None)
        if is_same(now, self._drawn_files):
            return
        before, self._drawn_files = self._drawn_files, now
        files = self._list_filtered()
        if files:
            self._list.show(ChangedFileRows(files, state.drafts.viewed, state.drafts.comments, self._path, facts))
            if self._path is not None and (self._panel == LINES or not before or before[2] is None):
                self._list.choose(self._path)  # the cursor follows what is being read
        else:
            self._list.show(EmptyRows(*self._describe_nothing()))
        read = count_read(self._files, state.drafts.viewed)
        counted = f"{len(files)} of {len(self._files)} shown" if self._filter else f"{read} of {len(self._files)} read"
        title = f"Files · {counted}" if self._files else "Files"
        note = self._view.note if self._view is not None and self._view.note else ""
        self.query_one("#files-title", Divider).show_title(
            Cell(title, "heading"), Cell(f"  ! {render_safe(note, 60)}" if note else "", "warning")
        )
        self._place()

    def _find_matches(self) -> Matches | None:
        """Where the text is that is searched for; None while the changed lines are being read."""
        text = self._state.changed_text
        return text.value.find(self._sought) if text.value is not None and self._sought else None

    def _list_filtered(self) -> tuple[ChangedFile, ...]:
        matches = self._find_matches() if self._filter else None
        having = frozenset(path for path, _, _ in matches.files) if matches is not None else frozenset[str]()
        return filter_files(self._files, self._filter, having)

    @property
    def _threads(self) -> tuple[Thread, ...]:
        """The signed comments, where their lines are in the present work."""
        return (self._state.threads.value or ()) if self._state.travel is None else ()

    def _find_wrong_lines(self) -> frozenset[int]:
        """The lines of the current file that have a problem."""
        measured = self._state.problems.value
        places = [
            place for one in (measured.problems if measured else ()) for place in (one.place, *one.places) if place
        ]
        return frozenset(place.line for place in places if place.path == self._path and place.line is not None)

    def _find_facts(self) -> FileFacts:
        """Which files have a problem at one of their lines, and which are shared with other handoffs."""
        measured, shown = self._state.problems.value, self._state.shown.value
        blocking = [one for one in (measured.problems if measured else ()) if one.blocks]
        places = [place for one in blocking for place in (one.place, *one.places) if place]
        own = shown.scope.files if shown is not None and shown.scope is not None else ()
        return FileFacts(frozenset(place.path for place in places), frozenset(file.path for file in own if file.shared))

    def _describe_nothing(self) -> tuple[Cell, ...]:
        state = self._state
        if state.files.trouble is not None:
            trouble = state.files.trouble
            return (Cell(f"✗ {render_safe(trouble.message)} ", "fail"), Cell(render_safe(trouble.hint), "muted"))
        if self._filter and self._files:
            return (Cell(f'No matches for "{render_safe(self._filter, 40)}"', "muted"),)
        if self._view is None:
            return (Cell("no handoff selected" if state.chosen is None else "Comparing the files…", "muted"),)
        if not self._view.pair.comparable:
            return (Cell(f"Nothing to compare with: {render_safe(self._view.pair.before.reason)}", "warning"),)
        return (Cell("No changes", "muted"),)

    def _draw_file(self) -> None:
        file, state = self._file, self._state
        if file is None and self._is_read_again():
            self._draw_title()
            return
        look = DiffLook(
            wrong=self._find_wrong_lines(),
            split=self._split,
            folding=Folding(self._around, self._opened),
            tinted=find_ink(self).tinted,
            expanded=self._expanded,
        )
        now = (file, (state.drafts.comments, self._threads), look, self._lines.room)
        if not self._drawn_file or now[0] is not self._drawn_file[0] or now[1:] != self._drawn_file[1:]:
            before = self._lines.rows
            anew = file is None or before is None or before.file.change.path != file.change.path
            self._drawn_file = now
            if anew:
                self._opened, self._expanded = frozenset(), False
                look = look._replace(folding=Folding(self._around), expanded=False)
                self._drawn_file = (file, (state.drafts.comments, self._threads), look, self._lines.room)
            width = max(20, self._lines.room - 1)
            self._note_position(file if anew else None)
            self._lines.show(
                DiffRows(file, look, state.drafts.comments, width, self._threads) if file is not None else None,
                anew=anew,
            )
            if anew and self._drawn_place in self._positions:
                self._lines.restore(self._positions[self._drawn_place])
            self._meet_expectation()
        self._draw_title()

    def _note_position(self, following: ShownFile | None) -> None:
        """Remembers where the cursor was before another file is shown."""
        if self._drawn_place is not None and (position := self._lines.get_position()) is not None:
            self._positions[self._drawn_place] = position
        if following is not None:
            self._drawn_place = (self._state.chosen, following.change.path)
            self._last_files[self._state.chosen] = following.change.path

    def _is_read_again(self) -> bool:
        """Whether the current file is only being read in another mode: until then it stays as it is."""
        shown = self._lines.rows
        same = shown is not None and shown.file.change.path == self._path
        return same and self._state.file.trouble is None and self._find_file(self._path) is not None

    def _draw_title(self) -> None:
        found = self._find_file(self._path)
        bar, note = self.query_one("#file-title", Bar), self.query_one("#diff-note", Bar)
        trouble = self._state.file.trouble
        note.display = trouble is not None and bool(self._files) and not self._record_open
        if trouble is not None:
            note.show(Cell(f" ✗ {render_safe(trouble.message)} ", "fail"), Cell(render_safe(trouble.hint), "muted"))
        if found is None:
            words = f" {render_safe(self._path)}" if self._path else " No file open"
            bar.show(Cell(words, "muted"), Cell("  unchanged" if self._path and self._view else "", "warning"))
            return
        file, place = found
        bar.show(
            *build_file_title(
                file.change,
                file.counts,
                (place + 1, len(self._files)),
                self._view.pair if self._view else None,
                read=file.change.path in self._state.drafts.viewed,
                width=self._lines.size.width or self.size.width,
            )
        )

    def _find_file(self, path: str | None) -> tuple[ChangedFile, int] | None:
        if self._places[0] is not self._view:
            self._places = (self._view, {file.change.path: place for place, file in enumerate(self._files)})
        place = self._places[1].get(path or "")
        return (self._files[place], place) if place is not None else None

    def _meet_expectation(self) -> None:
        """Goes to the requested line once its file has been read."""
        file = self._file
        if self._expected is None or file is None or file.change.path != self._expected.path:
            return
        _, number, old = self._expected
        if number is None:
            self._expected = None
            return
        known = file.lines.find_last_numbers()[0 if old else 1]
        if file.complete or number <= known:
            self._expected = None
            line = file.lines.find_numbered(number, old=old)
            if line is not None:
                self._go_to_line(line)

    def _go_to_line(self, line: int) -> None:
        """Shows a line of the patch, even if it is folded."""
        rows = self._lines.rows
        if rows is None:
            return
        self._expanded = True
        row = rows.map.find_row(rows.map.find_line(line))
        if row.kind is RowKind.GAP:
            self._opened |= {row.block}
        self._draw_file()
        self._lines.go_to_line(line)


def is_same(now: tuple[object, ...], drawn: tuple[object, ...]) -> bool:
    return len(now) == len(drawn) and all(one is other or one == other for one, other in zip(now, drawn, strict=True))
