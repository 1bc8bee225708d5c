"""The input line for finding and filtering."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from handoff_tui.core.text.page import Cell
from handoff_tui.tui.widgets.bars import Bar


class FindLine(Horizontal):
    """A field that reacts to every letter. Enter keeps the result and returns; escape cancels."""

    DEFAULT_CSS = """
    FindLine { height: 1; }
    FindLine Bar { width: 3; }
    FindLine Input { border: none; height: 1; padding: 0; background: $background; color: $foreground; }
    """

    class Changed(Message):
        """The search text changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The field was left, with or without keeping the result."""

        def __init__(self, *, kept: bool) -> None:
            super().__init__()
            self.kept = kept

    def compose(self) -> ComposeResult:
        yield Bar()
        yield Input(compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        self.query_one(Bar).show(Cell(" / ", "key"))

    @property
    def text(self) -> str:
        return self.query_one(Input).value

    def open(self) -> None:
        self.display = True
        field = self.query_one(Input)
        field.can_focus = True
        field.value = ""
        self.screen.set_focus(field)  # at once: the letters that follow belong to it

    @on(Input.Changed)
    def tell_change(self, event: Input.Changed) -> None:
        event.stop()
        if self.display:
            self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def keep(self, event: Input.Submitted) -> None:
        event.stop()
        event.input.can_focus = False  # the text stays on the screen, but is no pane to step to
        self.post_message(self.Left(kept=bool(event.value)))

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.Left(kept=False))
