"""The box in which a word to an agent is written."""

from __future__ import annotations

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.tui.dialogs.comment import CommentScreen
from handoff_tui.tui.widgets.bars import Rule


class NoteScreen(CommentScreen):
    """Enter keeps the note: who is at work can read it, and the next agent is given it."""

    def _show_title(self) -> None:
        name = render_safe(self._blank.path or "")
        self.query_one(Rule).show_title(Cell("A word to the agents of ", "heading"), Cell(name, "path"))
