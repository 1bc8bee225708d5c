"""The text of the current document under its name: rendered if it is Markdown and not too long, raw otherwise."""

from __future__ import annotations

from functools import partial

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import PACKET, OpenDocument
from handoff_tui.tui.drawing.cells import find_ink
from handoff_tui.tui.views.documents.markdown_blocks import MOST_RENDERED, Block, TextRow, lay_out_blocks, parse_blocks
from handoff_tui.tui.views.documents.rows import (
    LONGEST_LINE,
    DocumentText,
    LineNotes,
    RawText,
    RenderedText,
    is_markdown,
)
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.line_view import CursorView
from handoff_tui.tui.widgets.page_view import mark_found


class DocumentLines(CursorView):
    """The cursor stays on its line of the document, whatever happens to the rows around it."""

    DEFAULT_CSS = """
    DocumentLines { scrollbar-gutter: stable; }
    """
    sideways = 8
    furthest = LONGEST_LINE
    _text: DocumentText | None = None
    _found = ""

    @property
    def line_count(self) -> int:
        return 0 if self._text is None else self._text.count

    @property
    def place(self) -> int:
        """The line of the document under the cursor."""
        return 1 if self._text is None else self._text.find_line(self._index)

    def show(self, text: DocumentText | None, *, line: int | None = None) -> None:
        """Shows a new text, or the same one changed; the line under the cursor stays where it is on the screen."""
        before = self._index - self.scroll_offset.y
        target = self.place if line is None else line
        self._text = text
        self._index = 0 if text is None else min(text.find_row(target), max(0, text.count - 1))
        if line is not None:
            self._anchor, self._offset = None, 0
            before = 2 if line > 1 else 0
        self.lines_changed()
        self.scroll_to(y=max(0, self._index - max(0, before)), animate=False, force=True)

    def go_to(self, line: int) -> None:
        """Puts the cursor on a line, with a little context above it."""
        if self._text is not None:
            self.go(self._text.find_row(line))
            top = max(0, self._index - 2)
            self.scroll_to(y=top, animate=False, force=True)

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> bool:
        """Goes to the next row with the text; tells whether there is one. An empty text ends the search."""
        self._found = text.casefold()
        self.lines_changed()
        if not text or self._text is None:
            return not text
        start = self._index + ((-1 if backwards else 1) if again else 0)
        found = self._text.find(self._found, start, backwards=backwards)
        if found is not None:
            self.go(found)
        return found is not None

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:
        if self._text is None:
            return ()
        here = index == self._index
        row = self._text.build_row(index, max(1, width - 2), self._offset)
        mark = Cell("▸ " if here else "  ", "accent")
        return (mark, *(mark_found(row, self._found) if self._found else row))

    def find_ground(self, index: int) -> Style | None:
        if self._text is None or not self.has_focus:
            return None
        if self._anchor is None:
            return find_ink(self).selection if index == self._index else None
        first, last = self.range
        return find_ink(self).selection if first <= self._text.find_line(index) <= last else None

    def on_click(self, event: events.Click) -> None:
        self.go(self.scroll_offset.y + event.y)


_AT_ONCE = 16 * 1024
"""Longer texts are laid out on a thread: they take more than a frame."""
_GUTTER = 4


class DocumentPanel(Vertical):
    """One document. A layout made on a thread is shown when it is ready, if it is still wanted."""

    DEFAULT_CSS = """
    DocumentPanel { width: 1fr; }
    DocumentPanel #document-note { display: none; }
    """

    class LaidOut(Message):
        """A long document was parsed: its sections are known now."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self.raw = False
        """Whether even Markdown is shown as written."""
        self._document: OpenDocument | None = None
        self._notes = LineNotes()
        self._blocks: tuple[str, tuple[Block, ...]] = ("", ())
        self._expected: tuple[str, int] | None = None
        self._path: str | None = None

    def compose(self) -> ComposeResult:
        yield Divider(id="document-title")
        yield DocumentLines(id="document-text")
        yield Bar(id="document-note")

    @property
    def lines(self) -> DocumentLines:
        return self.query_one(DocumentLines)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the current document; none until it has been parsed."""
        document = self._document
        known = document is not None and self._blocks[0] is document.text and not self.is_raw(document)
        return self._blocks[1] if known else ()

    def is_raw(self, document: OpenDocument) -> bool:
        return self.raw or not is_markdown(document.path) or len(document.text) > MOST_RENDERED

    def expect(self, path: str, line: int) -> None:
        """Shows this document at this line once it arrives, or at once if it is the current one."""
        if self._document is not None and self._document.path == path:
            self.lines.go_to(line)
        else:
            self._expected = (path, line)

    def show(self, name: str, document: OpenDocument | None, notes: LineNotes, note: tuple[Cell, ...]) -> None:
        """Shows a document, or a message in its place."""
        self._document, self._notes = document, notes
        shown = "rejection packet" if name == PACKET else render_safe(name)
        mode = "" if document is None else "raw" if self.is_raw(document) else "rendered"
        self.query_one("#document-title", Divider).show_title(Cell(shown or "No document", "heading"), right=mode)
        said = note or self._find_note(document)
        bar = self.query_one("#document-note", Bar)
        bar.display = bool(said)
        bar.show(*said)
        self._show_text(document)

    def _find_note(self, document: OpenDocument | None) -> tuple[Cell, ...]:
        if document is None:
            return ()
        if document.truncated:
            return (Cell(" Only the beginning is shown: longer than limits.file_bytes", "warning"),)
        if not self.raw and is_markdown(document.path) and len(document.text) > MOST_RENDERED:
            return (Cell(f" Too long to render ({len(document.text):,} characters); shown raw", "warning"),)
        return ()

    def _show_text(self, document: OpenDocument | None) -> None:
        if document is None:
            self.lines.show(None)
        elif self.is_raw(document):
            self._place(document, RawText(document.text, self._notes))
        elif self._blocks[0] is document.text:
            self._take_rows(document, self._width, lay_out_blocks(self._blocks[1], self._width))
        elif len(document.text) <= _AT_ONCE:
            self._blocks = (document.text, parse_blocks(document.text))
            self._take_rows(document, self._width, lay_out_blocks(self._blocks[1], self._width))
        else:
            work = partial(self._lay_out, document, self._width)
            self.run_worker(work, thread=True, exclusive=True, group="document")

    @property
    def _width(self) -> int:
        return self.lines.room - _GUTTER

    def _lay_out(self, document: OpenDocument, width: int) -> None:
        """Lays out the text; runs on a thread."""
        blocks = parse_blocks(document.text)
        self.app.call_from_thread(self._take_blocks, document, width, blocks, lay_out_blocks(blocks, width))

    def _take_blocks(self, document: OpenDocument, width: int, blocks: tuple[Block, ...], rows: list[TextRow]) -> None:
        if document is self._document:
            self._blocks = (document.text, blocks)
            self._take_rows(document, width, rows)
            self.post_message(self.LaidOut())

    def _take_rows(self, document: OpenDocument, width: int, rows: list[TextRow]) -> None:
        if not self.is_raw(document):
            self._place(document, RenderedText(rows, self._notes, width))

    def _place(self, document: OpenDocument, text: RawText | RenderedText) -> None:
        """Keeps the line under the cursor, unless the document changed or another line was requested."""
        line = None
        if document.path != self._path:
            self._path, line = document.path, 1
        if self._expected is not None and self._expected[0] == document.path:
            line, self._expected = self._expected[1], None
        self.lines.show(text, line=line)
