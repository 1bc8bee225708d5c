"""An agent's output of any length: only the visible lines are loaded, made safe and drawn."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from handoff_tui.agents.step.report import RunView
from handoff_tui.core.text.columns import wrap_cells
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import OutputFound, OutputRange, OutputSource, OutputWindow
from handoff_tui.tui.drawing.cells import draw_cells, find_ink
from handoff_tui.tui.messages import OutputSearchWanted, OutputWanted, StatusTextWanted
from handoff_tui.tui.views.agent.rows import build_output_line, describe_output, name_run
from handoff_tui.tui.widgets.bars import Divider
from handoff_tui.tui.widgets.line_view import LineView
from handoff_tui.tui.widgets.page_view import mark_found

_NARROW = 64
"""In fewer columns the title can't hold everything."""


_UNREAD = Cell("…", "muted")


class OutputLines(LineView):
    """Lines of a window. While it follows, it stays at the end until the user scrolls up."""

    sideways = 16
    furthest = 4_000

    class Moved(Message):
        """Other lines are visible, or following started or stopped."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self._window: OutputWindow | None = None
        self._found = ""
        self._folded: tuple[tuple[object, ...], list[tuple[Cell, ...]]] = ((), [])
        """Rows of the visible lines, with long lines wrapped, and what they were built from."""
        self._returning = False
        """Whether it is scrolling to the end itself, so no user scrolled."""
        self.wraps = False
        self.following = True

    @property
    def line_count(self) -> int:
        return self._window.total if self._window is not None else 0

    @property
    def top(self) -> int:
        return self.scroll_offset.y

    @property
    def height(self) -> int:
        return max(1, self.scrollable_content_region.height)

    @property
    def has_all(self) -> bool:
        """Tells whether every visible line has been read."""
        window = self._window
        if window is None:
            return False
        end = min(self.top + self.height, window.total)
        return window.first <= self.top and end <= window.first + len(window.lines)

    def show(self, window: OutputWindow | None) -> None:
        """Shows another window; the position stays, or follows the output."""
        self._window = window
        self.lines_changed()
        if self.following:
            self.call_after_refresh(self._go_to_end)

    def forget(self) -> None:
        """Starts at the end of another text."""
        self._window, self._offset, self.following = None, 0, True
        self.lines_changed()

    def mark(self, text: str) -> None:
        self._found = text.casefold()
        self.lines_changed()

    def go_to(self, line: int) -> None:
        """Scrolls a line to the middle of the screen."""
        self.following = False
        self.scroll_to(y=max(0, line - self.height // 2), animate=False, force=True)
        self.post_message(self.Moved())

    def follow(self, *, following: bool) -> None:
        self.following = following
        if following:
            self._go_to_end()
        self.post_message(self.Moved())

    def list_lines_in_view(self) -> tuple[str, ...]:
        """Lists the visible lines as they were printed, as far as they have been read."""
        window = self._window
        if window is None:
            return ()
        first = max(0, self.top - window.first)
        return window.lines[first : first + self.height]

    def wrap(self, *, wraps: bool) -> None:
        """Wraps long lines; scrolling still moves by lines."""
        self.wraps, self._offset = wraps, 0
        self.lines_changed()
        if self.following:
            self.call_after_refresh(self._go_to_end)

    def lines_changed(self) -> None:
        super().lines_changed()
        if self.wraps:  # so that the last line can be at the top
            self.virtual_size = Size(self.room, max(self.line_count, self.line_count + self.height - 1))

    def render_line(self, y: int) -> Strip:
        if not self.wraps:
            return super().render_line(y)
        rows = self._fold_lines()
        ink = find_ink(self)
        return draw_cells(rows[y], self.room, ink) if y < len(rows) else Strip.blank(self.room, ink.background)

    def _fold_lines(self) -> list[tuple[Cell, ...]]:
        made_of = (self._version, self.top, self.room, self.height)
        if self._folded[0] != made_of:
            rows: list[tuple[Cell, ...]] = []
            for index in range(self.top, min(self.top + self.height, self.line_count)):
                rows += wrap_cells(self.build_line(index, self.room), self.room)
                if len(rows) >= self.height:
                    break
            self._folded = (made_of, rows)
        return self._folded[1]

    def _find_end(self) -> int:
        """Returns the top line that puts the last line at the bottom."""
        if not self.wraps:
            return int(self.max_scroll_y)
        left = self.height
        for index in range(self.line_count - 1, -1, -1):
            left -= len(wrap_cells(self.build_line(index, self.room), self.room))
            if left <= 0:
                return index + (1 if left < 0 and index < self.line_count - 1 else 0)
        return 0

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - the widget cuts it
        window = self._window
        if window is None or not window.first <= index < window.first + len(window.lines):
            return (_UNREAD,)
        cells = (Cell(build_output_line(window.lines[index - window.first], self._offset)),)
        return mark_found(cells, self._found) if self._found else cells

    def navigate(self, action: str) -> None:
        super().navigate(action)
        if action == "nav.bottom":
            self.follow(following=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value and new_value < self.max_scroll_y and not self._returning:
            self.following = False  # the user wants to read here
        if round(old_value) != round(new_value):
            self.post_message(self.Moved())

    def on_resize(self) -> None:
        super().on_resize()
        self.post_message(self.Moved())

    def _go_to_end(self) -> None:
        if self.following:
            self._returning = True
            self.scroll_to(y=self._find_end(), animate=False, force=True, immediate=True)
            self._returning = False


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
        yield Divider(id="output-title")
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
        self.query_one("#output-title", Divider).show_title(Cell(f"{told}{name}", "muted"), right=right)

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
