"""The changes as a reviewer reads them: file by file, hunk by hunk, with marks and comments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from textual import on

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.files.shown_file import Matches
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.threads import Thread
from handoff_tui.git.file_diff import DiffLine, DiffOptions, Whitespace
from handoff_tui.live.state.app import USUAL_RANGE, AppState, DiffRange, Part
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui import messages
from handoff_tui.tui.views.changes.bars import AS_STORED, AS_TEXT, EXPAND, Shown, build_status
from handoff_tui.tui.views.changes.lines_view import DiffLinesView
from handoff_tui.tui.views.changes.panels import FILES, LEAST_SPLIT, LINES, DiffPanels, Expected
from handoff_tui.tui.views.changes.row_map import RowKind
from handoff_tui.tui.views.changes.rows import DiffRows
from handoff_tui.tui.views.view import Act
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import RowList


def build_comment_place(rows: DiffRows, first: int, last: int) -> messages.CommentWanted | str:
    """Returns the place of a comment on some rows, or why there is none."""
    path = rows.file.change.path
    if not len(rows) or (first == last and rows.find_head(first) is not None):
        return messages.CommentWanted(path)
    if first == last and (comment := rows.find_comment(first)) is not None:
        return messages.CommentWanted(path, comment.line, comment.end_line, comment.text, comment)
    if first == last and rows.map.find_row(first).kind is RowKind.GAP:
        return "these lines are hidden; enter shows them"
    return _find_lines(rows, first, last) or "there's no line to comment on"


def _find_lines(rows: DiffRows, first: int, last: int) -> messages.CommentWanted | None:
    path = rows.file.change.path
    lines = [line for index in (first, last) if (line := _find_near(rows, index)) is not None]
    if not lines:
        return None
    places = [
        line.new_number or _find_new_number(rows, index) for line, index in zip(lines, (first, last), strict=False)
    ]
    numbers = [number for number in places if number is not None]
    gone = sorted(line.old_number for line in lines if line.new_number is None and line.old_number is not None)
    quoted = ""
    if gone:  # the comment goes where deleted lines were, and names them
        quoted = f"(deleted {f'line {gone[0]}' if gone[0] == gone[-1] else f'lines {gone[0]}-{gone[-1]}'}) "
    if not numbers:
        return messages.CommentWanted(path, None, None, quoted)
    start, end = min(numbers), max(numbers)
    return messages.CommentWanted(path, start, end if end != start else None, quoted)


def _find_near(rows: DiffRows, index: int) -> DiffLine | None:
    """Returns the line of a row; for a row that isn't a line, the one above it."""
    line = rows.map.find_line_at(index)
    shown = rows.find_line(index)
    return shown if shown is not None else None if line < 0 else rows.file.lines.read_line(line)


def _find_new_number(rows: DiffRows, index: int) -> int | None:
    """Returns the number of the line that took the place of a deleted one; the last one if nothing follows."""
    lines = rows.file.lines
    start = rows.map.find_line_at(index)
    run = lines.runs.find(start)
    following = run.middle if run is not None else start
    if following < len(lines):
        return lines.read_line(following).new_number
    return lines.find_last_numbers()[1] or None


_CONTEXTS = (0, 1, 3, 6, 12, 25, 50, 100, None)
_WHITESPACES = tuple(Whitespace)
_ON_LINES = frozenset({"review.comment", "review.select", "nav.next-section", "nav.previous-section", "app.copy"})
_ON_FILES = frozenset({
    "app.edit", "app.copy", "app.copy-all", "review.mark", "review.unmark", "review.form", "nav.next-file",
    "nav.previous-file", "changes.wrap", "changes.whitespace", "changes.more-context", "changes.less-context",
})  # fmt: skip


class ChangesView(DiffPanels):
    """Enter reads a file, escape returns to the list."""

    parts = frozenset({Part.FILES, Part.FILE, Part.DIFFERENCE, Part.PROBLEMS, Part.SHOWN, Part.THREADS})
    hints: ClassVar[tuple[str, ...]] = (
        *("review.next", "review.mark", "review.comment", "nav.next-section", "nav.next-file", "decide.approve"),
        *("decide.reject", "review.lens", "review.compare", "review.select", "app.edit", "nav.next-handoff"),
    )

    _awaited: tuple[bool, bool] | None = None
    """A search, backwards or not, again or not, that goes on when the changed lines of all files have been read."""

    _is_left = False
    """Whether the search was confirmed before the changed lines had been read."""

    def refuse(self, action: str) -> str:
        if action in {"changes.snapshots", "review.compare", "review.lens"}:
            is_past = action == "review.lens" and self._state.travel is not None
            none = "" if self._state.chosen is not None else "no handoff selected"
            return "the past shows what each commit changed" if is_past else none
        if action not in _ON_FILES | _ON_LINES:
            return ""
        if not self._files:
            return "No changes" if self._view is not None else "still comparing the files"
        if action == "review.form" and self._lines.size.width < LEAST_SPLIT:
            return f"side by side needs {LEAST_SPLIT} columns for the lines"
        if action in _ON_LINES and self._file is None:
            return "no file open"
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {
            "nav.next-section": partial(self._step_change, backwards=False),
            "nav.previous-section": partial(self._step_change, backwards=True),
            "nav.next-file": partial(self._step_file, 1),
            "nav.previous-file": partial(self._step_file, -1),
            "review.lens": self._switch_lens,
            "review.compare": messages.PointsWanted(),
            "review.form": self._toggle_mode,
            "review.mark": self._mark_and_go_on,
            "review.unmark": partial(self._mark, viewed=False),
            "changes.wrap": lambda: self._lines.set_wrap(wrap=not self._lines.wrap),
            "changes.whitespace": self._step_whitespace,
            "changes.more-context": partial(self._step_context, 1),
            "changes.less-context": partial(self._step_context, -1),
            "review.comment": self._comment,
            "review.resolve": self._settle,
            "review.select": self._lines.toggle_range,
            "changes.snapshots": self._toggle_record,
            "app.edit": self._edit,
            "app.copy": self._copy,
        }
        if self.focused_lines is self._list:
            acts["app.open"] = partial(self._open_lines, self._list.key)
        path = self._list.key if self._panel == FILES else self._path
        return acts | {"app.copy-all": messages.CopyWanted(path, "the path")} if path else acts

    def perform(self, action: str) -> bool:
        return self._step_back() if action == "app.back" else super().perform(action)

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        if self._record_open:
            found = self.query_one("#record", PageView).find(text, backwards=backwards, again=again)
            return "" if found else f'No matches for "{render_safe(text, 40)}" in the snapshot diff'
        self._seek(text)
        if self._panel == FILES and not again:
            self._filter = text
            self._draw_files()
        return self._find_again(backwards=backwards, again=again) if text else ""

    def _find_again(self, *, backwards: bool, again: bool) -> str:
        """Finds the text; while not all changed lines have been read, once more when they have."""
        is_read = self._state.changed_text.value is not None
        self._awaited = (backwards, again) if not is_read and not again else None
        if self._panel == FILES and not again:
            words = plural(len(self._list_filtered()), "file")
            return words if is_read else f"{words}; reading the changed lines…"
        return self._find_line(self._sought, backwards=backwards, again=again)

    def leave_find(self) -> None:
        """Opens the only file that is left, at the text; one of several is chosen in the list."""
        left = self._list_filtered() if self._filter and self._panel == FILES else ()
        self._is_left = self._awaited is not None and len(left) != 1
        if len(left) != 1:
            self.focus_first()
            return
        path, self._filter = left[0].change.path, ""
        self._draw_files()
        self._list.choose(path)
        matches = self._find_matches()
        first = next((first for name, first, _ in matches.files if name == path), None) if matches else None
        self.go_to(path, None)
        if first is not None:
            self._expected = Expected(path, first.number, first.old)
            self._meet_expectation()

    def _seek(self, text: str) -> None:
        """Marks a text in the lines, and asks for the changed lines of all files while there is one."""
        self._awaited = None
        if bool(text) != bool(self._sought):
            self.post_message(messages.PartsChanged())
        self._sought = text
        self._lines.mark(text)

    def _find_line(self, text: str, *, backwards: bool, again: bool) -> str:
        """Goes to the next changed line with the text, in this file or in the next that has one."""
        if again:
            self._focus_panel(LINES)
        matches = self._find_matches()
        line = self._lines.find(
            text, backwards=backwards, again=again, changed=matches is not None and matches.lines > 0
        )
        if line is not None:
            self._go_to_line(line)
            return self._describe_matches(matches)
        if matches is None:
            self._awaited = (backwards, again)
            return f'No matches for "{render_safe(text, 40)}" in this file; reading the others…'
        order = {file.change.path: place for place, file in enumerate(self._files)}
        beyond = matches.find_beyond(self._path or "", order, backwards=backwards)
        if beyond is None:
            return f'No matches for "{render_safe(text, 40)}" in the changed text'
        path, found = beyond
        self._expected = Expected(path, found.number, found.old)
        if path == self._path:
            self._meet_expectation()
        else:
            self._show_file(path)
        return self._describe_matches(matches)

    def _describe_matches(self, matches: Matches | None) -> str:
        if matches is None:
            return ""
        if not matches.lines:
            return "Only in unchanged lines of this file"
        is_cut = self._state.changed_text.value is not None and self._state.changed_text.value.is_cut
        words = f"{plural(matches.lines, 'changed line')} in {plural(len(matches.files), 'file')}"
        return f"{words}; not everything was searched" if is_cut else words

    def list_parts(self) -> frozenset[Part]:
        return self.parts | {Part.CHANGED_TEXT} if self._sought else self.parts

    def show(self, state: AppState) -> None:
        super().show(state)
        if self._awaited is not None and state.changed_text.value is not None:
            (backwards, again), self._awaited = self._awaited, None
            words = self._find_again(backwards=backwards, again=again)
            self.post_message(messages.StatusTextWanted(words, "muted"))
            if self._is_left:
                self.leave_find()

    def go_to(self, path: str, line: int | None) -> None:
        """Opens a file at a line, once it has been read."""
        self._expected = Expected(path, line)
        self._record_open = False
        if path == self._path:
            self._meet_expectation()
        else:
            self._want(path)
        self._focus_panel(LINES)

    def describe(self) -> tuple[Cell, ...]:
        found = self._find_file(self._path)
        rows, file = self._lines.rows, self._file
        shown = Shown(
            split=rows.split if rows is not None else self._split,
            wanted=self._mode,
            width=self.size.width,
            wrap=self._lines.wrap,
            whitespace=self._options.whitespace,
            context=self._around,
            change=rows.map.find_change_number(self._lines.index) if rows is not None else 0,
            changes=len(file.lines.runs.starts) if file is not None else 0,
            reading=self._state.file.loading or (file is not None and not file.complete),
        )
        if self._lines.has_range:
            first, last = self._lines.range
            return (
                Cell(
                    f" {plural(last - first + 1, 'row')} selected · c comments on them · v ends the selection", "accent"
                ),
            )
        if (thread := self._find_thread()) is not None:
            return (Cell(f" {render_safe(thread.author)} commented here · c replies · d settles it", "human"),)
        return build_status(self._state, (found[1] + 1, len(self._files)) if found else (0, 0), shown)

    def focus_first(self) -> None:
        self._place()
        if self._record_open:
            self.query_one("#record").focus(scroll_visible=False)
        else:
            self._focus_panel(self._panel)

    def _focus_panel(self, panel: str) -> None:
        self._panel = panel
        self._place()
        (self._lines if panel == LINES else self._list).focus(scroll_visible=False)

    def on_descendant_focus(self) -> None:
        focused = self.screen.focused
        if focused is self._lines or focused is self._list:
            self._panel = LINES if focused is self._lines else FILES
            self._place()

    @on(RowList.Highlighted)
    def preview(self, event: RowList.Highlighted) -> None:
        """Shows the selected file, if the lines are visible."""
        event.stop()
        if (
            (self._roomy or self._is_stacked)
            and event.key
            and event.key != (self._wanted or self._path)
            and self._list.has_focus
        ):
            self._want(event.key)

    @on(RowList.Opened)
    def open_clicked(self, event: RowList.Opened) -> None:
        event.stop()
        self._open_lines(event.key)

    @on(DiffLinesView.Moved)
    def tell_move(self, event: DiffLinesView.Moved) -> None:
        event.stop()

    @on(DiffLinesView.Opened)
    def open_row(self, event: DiffLinesView.Opened) -> None:
        """Handles Enter on a row: opens a gap, edits a comment, or shows a hidden file."""
        event.stop()
        rows, row = self._lines.rows, self._lines.row
        if rows is None or row is None:
            return
        if row.kind is RowKind.GAP:
            self._opened |= {row.block}
            self._draw_file()
        elif (head := rows.find_head(self._lines.index)) is not None and head.door:
            self._open_door(head.door)
        elif rows.find_comment(self._lines.index) or rows.find_thread(self._lines.index):
            self._comment()

    def _open_door(self, door: str) -> None:
        if door == EXPAND:
            self._expanded = True
            self._draw_file()
        elif door == AS_TEXT:
            self._read_again(self._options._replace(as_text=True))
        elif door == AS_STORED:
            self._read_again(self._options._replace(as_stored=not self._options.as_stored))

    def _read_again(self, options: DiffOptions) -> None:
        self._options = options
        if self._path is not None:
            self._want(self._path)

    def _open_lines(self, path: str) -> None:
        if not path:
            return
        if path != self._path:
            self._want(path)
        self._focus_panel(LINES)

    def _step_back(self) -> bool:
        """Ends a range, closes the snapshot diff, or returns to the files; tells whether it left anything."""
        if self._lines.has_range:
            self._lines.toggle_range()
        elif self._record_open:
            self._toggle_record()
        elif self._filter:
            self._filter = ""
            self._draw_files()
        elif self._panel == LINES and not self._roomy:
            self._focus_panel(FILES)
        else:
            return False
        return True

    def _toggle_record(self) -> None:
        self._record_open = not self._record_open
        self.focus_first()
        self.call_after_refresh(self._draw_record)

    def _step_change(self, *, backwards: bool) -> None:
        rows = self._lines.rows
        if rows is None:
            return
        self._focus_panel(LINES)
        target = rows.map.find_change(self._lines.index, backwards=backwards)
        if target is not None:
            self._lines.go(target, above=3)
        else:
            words = "No earlier change in this file" if backwards else "No more changes in this file"
            self.post_message(messages.StatusTextWanted(f"{words}; }} and {{ go to the others", "muted"))

    def _step_file(self, by: int) -> None:
        found = self._find_file(self._path)
        place = (found[1] + by) % len(self._files) if found is not None else 0
        self._show_file(self._files[place].change.path)

    def _mark_and_go_on(self) -> None:
        """Marks the file as read and shows the next unread one."""
        self._mark(viewed=True)
        here = self._list.key if self._panel == FILES else self._path
        found = self._find_file(here)
        start = found[1] + 1 if found is not None else 0
        ordered = (*self._files[start:], *self._files[:start])
        read = {*self._state.drafts.viewed, here}
        unread = next((file for file in ordered if file.change.path not in read), None)
        if unread is None:
            self.post_message(messages.StatusTextWanted("Every file is marked as read", "pass"))
        else:
            self._show_file(unread.change.path)

    def read_on(self) -> bool:
        """Goes to the next hunk of the file, or a page further if the hunk is longer; tells whether there was more."""
        rows = self._lines.rows
        if self._panel != LINES or rows is None:
            return False
        last_seen = self._lines.scroll_offset.y + self._lines.scrollable_content_region.height
        target = rows.map.find_change(self._lines.index, backwards=False)
        if target is not None and target >= last_seen:
            self._lines.go(min(target, last_seen), above=1)
            return True
        if last_seen < len(rows):
            self._lines.go(last_seen, above=0)
            return True
        return False

    def get_stop(self) -> str:
        return self._path or ""

    def choose(self, name: str) -> None:
        """Shows a file, from its beginning."""
        self.go_to(name, None)

    @property
    def handoff(self) -> HandoffKey | None:
        return self._state.chosen

    def _switch_lens(self) -> None:
        """Shows the handoff's own files, or those of the whole repository."""
        is_own = self._state.scope == USUAL_RANGE
        scope = DiffRange(DiffScope.SINCE_BASELINE) if is_own else USUAL_RANGE
        self.post_message(messages.ScopeWanted(scope))
        words = "Everything in the repository since the baseline" if is_own else "The handoff's own files"
        self.post_message(messages.StatusTextWanted(words))

    def _show_file(self, path: str) -> None:
        self._list.choose(path)
        self._want(path)

    def _toggle_mode(self) -> None:
        self._mode = "unified" if self._mode == "auto" else "auto"
        self._draw_file()

    def _mark(self, *, viewed: bool) -> None:
        path = self._list.key if self._panel == FILES else self._path
        if path and self._find_file(path) is not None:
            self.post_message(messages.FileMarked(path, viewed))

    def _step_whitespace(self) -> None:
        place = (_WHITESPACES.index(self._options.whitespace) + 1) % len(_WHITESPACES)
        self._read_again(self._options._replace(whitespace=_WHITESPACES[place]))

    def _step_context(self, by: int) -> None:
        place = min(max(0, _CONTEXTS.index(self._around) + by), len(_CONTEXTS) - 1)
        self._around = _CONTEXTS[place]
        self._draw_file()

    def _comment(self) -> None:
        rows = self._lines.rows
        if rows is None:
            return
        thread = None if self._lines.has_range else self._find_thread()
        if thread is not None:
            self.post_message(messages.CommentWanted(thread.path, thread.line, thread.end_line, thread=thread.id))
            return
        place = build_comment_place(rows, *self._lines.range)
        if isinstance(place, str):
            self.post_message(messages.StatusTextWanted(place, "warning"))
            return
        self.post_message(place)
        if self._lines.has_range:
            self._lines.toggle_range()

    def _find_thread(self) -> Thread | None:
        """Returns the thread under the cursor, or the one on its line."""
        rows = self._lines.rows
        if rows is None:
            return None
        line = rows.find_line(self._lines.index)
        number = line.new_number if line is not None else None
        on_line = (one for one in self._threads if one.path == self._path and number in {one.line, one.end_line})
        return rows.find_thread(self._lines.index) or (next(on_line, None) if number is not None else None)

    def _settle(self) -> None:
        """Drafts that the thread under the cursor is settled; pressed again, takes that back."""
        thread = self._find_thread()
        if thread is None:
            self.post_message(messages.StatusTextWanted("There is no signed comment on this line", "warning"))
            return
        drafts = (one for one in self._state.drafts.comments if one.thread == thread.id and one.resolves)
        if (draft := next(drafts, None)) is not None:
            self.post_message(messages.CommentRemoved(draft))
        else:
            draft = Comment(text="", path=thread.path, line=thread.line, end_line=thread.end_line, thread=thread.id)
            self.post_message(messages.CommentWritten(draft.model_copy(update={"resolves": True})))
            self.post_message(messages.StatusTextWanted("Settled with your next decision; d again takes it back"))

    def _edit(self) -> None:
        if self._panel == FILES and self._list.key:
            self.post_message(messages.EditorWanted(self._list.key))
        elif self._path is not None:
            rows = self._lines.rows
            line = rows.find_line(self._lines.index) if rows is not None else None
            self.post_message(messages.EditorWanted(self._path, line.new_number if line else None))

    def _copy(self) -> None:
        rows = self._lines.rows
        if rows is None:
            return
        first, last = self._lines.range
        lines = [line.text for index in range(first, last + 1) if (line := rows.find_line(index)) is not None]
        if lines:
            self.post_message(messages.CopyWanted("\n".join(lines), plural(len(lines), "line")))
