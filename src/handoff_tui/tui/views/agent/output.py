"""The panel with a run's output or its prompt: loads lines on demand, follows the end, searches."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from handoff_tui.agents.step.report import RunView
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import OutputFound, OutputRange, OutputSource, OutputWindow
from handoff_tui.tui.messages import OutputSearchWanted, OutputWanted, StatusTextWanted
from handoff_tui.tui.views.agent.output_lines import OutputLines
from handoff_tui.tui.views.agent.rows import describe_output, name_run
from handoff_tui.tui.widgets.bars import Rule

_NARROW = 64
"""In fewer columns the title can't hold everything."""


class OutputPanel(Vertical):
    """The text of one run. It asks its view for the lines it needs."""

    def __init__(self, ask: Callable[[Message], object]) -> None:
        super().__init__(id="agent-output")
        self._ask = ask
        self._run: RunView | None = None
        self._window: OutputWindow | None = None
        self._found: OutputFound | None = None
        self._source = OutputSource.OUTPUT
        self._asked: OutputRange | None = None
        self._text = ""

    def compose(self) -> ComposeResult:
        yield Rule(id="output-title")
        yield OutputLines(id="output")

    @property
    def lines(self) -> OutputLines:
        return self.query_one(OutputLines)

    def show_run(self, run: RunView | None) -> None:
        """Shows the same run as it is now, or another one from the end of its output."""
        other = run is None or self._run is None or run.state.key != self._run.state.key
        self._run = run
        if other:
            self.choose(OutputSource.OUTPUT)
            self.show_window(self._window)
        self.ask_for_lines()

    def show_window(self, window: OutputWindow | None) -> None:
        """Shows lines that were read, if they belong to the current text."""
        self._window = window
        run = self._run
        fits = window is not None and run is not None and (window.run, window.source) == (run.state.key, self._source)
        self.lines.show(window if fits else None)
        self.show_title()

    def show_title(self) -> None:
        run, window = self._run, self._window
        told = "What the agent was told" if self._source is OutputSource.PROMPT else "Output"
        brief = self.size.width < _NARROW
        right = describe_output(window, following=self.lines.following, brief=brief) if run is not None else ""
        name = f" · {name_run(run)}" if run is not None else ""
        self.query_one("#output-title", Rule).show_title(Cell(f"{told}{name}", "muted"), right=right)

    def ask_for_lines(self) -> None:
        """Asks for the visible lines that haven't been read yet; the last ones while it follows."""
        run, lines = self._run, self.lines
        if run is None or not lines.is_attached or lines.size.height == 0:
            return
        first = None if lines.following else lines.top
        place = OutputRange(run.state.key, self._source, first, lines.height)
        if place != self._asked and (first is None or not lines.has_all):
            self._asked = place
            self._ask(OutputWanted(place))

    def choose(self, source: OutputSource) -> None:
        """Shows the output from its end, or the prompt from its beginning."""
        self._source, self._asked = source, None
        self.lines.forget()
        self.lines.following = source is OutputSource.OUTPUT
        self.show_title()

    def toggle_source(self) -> None:
        self.choose(OutputSource.PROMPT if self._source is OutputSource.OUTPUT else OutputSource.OUTPUT)
        self.ask_for_lines()

    @on(OutputLines.Moved)
    def note_moved(self, event: OutputLines.Moved) -> None:
        event.stop()
        self.ask_for_lines()
        self.show_title()

    def find(self, text: str, *, backwards: bool, again: bool) -> str:
        """Asks for the next line with a text, starting at the last match or the first visible line."""
        run, lines = self._run, self.lines
        self._text = text
        lines.mark(text)
        if not text or run is None:
            return ""
        found = self._found
        here = found.line if again and found is not None and found.line is not None and found.text == text else None
        start = lines.top if here is None else here + (-1 if backwards else 1)
        if start < 0:
            return "that was the first match"
        self._ask(OutputSearchWanted(OutputRange(run.state.key, self._source, start, -1 if backwards else 1), text))
        return "looking…"

    def show_found(self, found: OutputFound | None) -> None:
        self._found = found
        if found is None or found.text != self._text or not self._text:
            return
        if found.line is None:
            self._ask(StatusTextWanted(f'No matches for "{render_safe(found.text)}" from here on', "warning"))
            return
        self.lines.go_to(found.line)
        self._ask(StatusTextWanted(f"line {found.line + 1:,}"))
