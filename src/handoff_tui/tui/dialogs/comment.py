"""The box for writing a comment on some lines."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.dialogs.box import Box, TextField, keep_key
from handoff_tui.tui.widgets.bars import Bar, Divider


class CommentField(TextField):
    """A text field in which Enter doesn't start a new line."""

    class Kept(Message):
        """The comment is finished."""

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            keep_key(event)
            self.post_message(self.Kept())
        elif event.key == "ctrl+j":
            keep_key(event)
            self.insert("\n")


class CommentScreen(Box[Comment | None]):
    """Enter keeps the comment, ctrl+j starts a new line, escape discards it. Nothing is signed."""

    DEFAULT_CSS = """
    CommentScreen { align: center middle; background: $background 60%; }
    #comment { width: 80%; max-width: 90; height: 10; background: $surface; border: heavy $border; }
    #comment-field { height: 1fr; padding: 0 1; background: $surface; color: $foreground; border: none; }
    """

    def __init__(
        self, path: str, line: int | None = None, end_line: int | None = None, text: str = "", thread: str = ""
    ) -> None:
        """`thread` is the one that it replies to."""
        super().__init__()
        self._text = text
        self._blank = Comment(text="", path=path, line=line, end_line=end_line, thread=thread)

    def compose(self) -> ComposeResult:
        with Vertical(id="comment"):
            yield Divider(id="comment-title")
            yield CommentField(id="comment-field", compact=True, soft_wrap=True, highlight_cursor_line=False)
            yield Bar(id="comment-note")

    def on_mount(self) -> None:
        self.call_after_refresh(self._show_title)
        self.query_one("#comment-note", Bar).show(
            Cell(" ↵", "key"),
            Cell(" keep  "),
            Cell("^j", "key"),
            Cell(" new line  "),
            Cell("esc", "key"),
            Cell(" leave"),
        )
        field = self.query_one(CommentField)
        field.text = self._text
        field.move_cursor(field.document.end)
        field.focus()

    def _show_title(self) -> None:
        place = render_safe(self._blank.place) or "the whole handoff"
        words = "Reply to the comment on " if self._blank.thread else "Comment on "
        self.query_one(Divider).show_title(Cell(words, "heading"), Cell(place, "path"))

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            keep_key(event)
            self.dismiss(None)

    @on(CommentField.Kept)
    def keep(self) -> None:
        text = self.query_one(CommentField).text.strip()
        self.dismiss(self._blank.model_copy(update={"text": text}))


class NoteScreen(CommentScreen):
    """Enter keeps the note: a running agent can read it, and the next one gets it."""

    def _show_title(self) -> None:
        name = render_safe(self._blank.path or "")
        self.query_one(Divider).show_title(Cell("Note to the agents of ", "heading"), Cell(name, "path"))
