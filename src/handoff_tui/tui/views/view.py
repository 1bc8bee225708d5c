"""The base of all views: what they need, what they can do, why they can't, and how current what they show is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import ClassVar

from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.labels import describe_ago
from handoff_tui.core.text.page import Cell
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, Loaded, Part, Value
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.widgets.line_view import LineView

MOVES = frozenset({
    "nav.down", "nav.up", "nav.left", "nav.right", "nav.top", "nav.bottom", "nav.half-page-down", "nav.half-page-up",
    "nav.page-down", "nav.page-up", "app.open",
})  # fmt: skip
"""What every list and page can do."""
Act = Callable[[], object] | Message
"""What an action does: something of the view's own, or a message that asks for it."""


class LooseFiles(NamedTuple):
    """Files of a repository, apart from a handoff."""

    root: str
    paths: tuple[str, ...]


class View(Container):
    """One view of the app: a function of the state it is given."""

    DEFAULT_CSS = """
    View { width: 1fr; height: 1fr; background: $background; layout: vertical; }
    """
    parts: ClassVar[frozenset[Part]] = frozenset()
    """The parts that must be fresh while it is on screen."""
    hints: ClassVar[tuple[str, ...]] = ()
    """Actions for the key bar, most useful first; those that don't fit are left out."""
    words: ClassVar[Mapping[str, str]] = {}
    """What actions are called here, if the usual words don't fit."""

    def __init__(self) -> None:
        super().__init__()
        self._state = AppState()
        self.zoomed: list[Widget] = []
        """What is hidden while one pane has all the room."""

    def show(self, state: AppState) -> None:
        """Draws a new state. Called after every change, so it compares before it works."""
        raise NotImplementedError

    @property
    def handoff(self) -> HandoffKey | None:
        """The selected handoff, in a view that lists them: a decision is about that one."""
        return None

    def show_key(self, action: str) -> str:
        """Returns the key of an action, as hints show it."""
        keys: Keys | None = getattr(self.screen, "keys", None)
        return keys.show(action) if keys is not None else ""

    def list_parts(self) -> frozenset[Part]:
        """Lists the parts that must be fresh now, if they depend on the room."""
        return self.parts

    def find_loose(self) -> LooseFiles | None:
        """Returns the selected files, in a view that lists files: they can be given to a handoff."""
        return None

    def read_on(self) -> bool:
        """Goes to the next thing to look at within the view; tells whether there was one."""
        return False

    def get_stop(self) -> str:
        """Returns the key of what is being looked at, as the guided review counts it; empty if it counts nothing."""
        return ""

    def list_hints(self) -> tuple[str, ...]:
        """Lists the hints if they depend on what is in view."""
        return self.hints

    def refuse(self, action: str) -> str:  # noqa: ARG002 - for those who refuse some
        """Says why an action can't be done now; empty if it can."""
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        """Maps its own actions to what they do or ask for."""
        return {}

    def perform(self, action: str) -> bool:
        """Performs one of its own actions, or a general one such as `nav.down`; tells whether it did."""
        if (act := self.list_acts().get(action)) is not None:
            self.post_message(act) if isinstance(act, Message) else act()
            return True
        lines = self.focused_lines
        if lines is None or action not in MOVES:
            return False
        lines.navigate(action)
        return True

    def zoom(self) -> bool:
        """Gives the focused pane all the room, or its usual room again; tells whether there is another pane."""
        hidden = self.zoomed
        if hidden:
            self.zoomed = []
        else:
            focused = self.focused_lines
            kept = {self, focused, *(focused.ancestors if focused is not None else ())}
            beside = (node for node in self.walk_children(Widget) if node not in kept and node.parent in kept)
            hidden = self.zoomed = [node for node in beside if node.display]
        for node in hidden:
            node.display = not self.zoomed
        return bool(hidden)

    def post_message(self, message: Message) -> bool:
        """Posts as this view: a message posted while the screen calls it would otherwise stop at the screen."""
        if self.is_attached and message._sender is self.screen:  # noqa: SLF001 - there is no other way to ask
            message.set_sender(self)
        return super().post_message(message)

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:  # noqa: ARG002
        """Finds a text or filters by it; returns what to say about it. An empty text ends the search."""
        return ""

    def leave_find(self) -> None:
        """Called when the find line is left, with or without a text."""
        self.focus_first()

    def go_to(self, path: str, line: int | None) -> None:
        """Shows a place in a file; for views that show files."""

    def choose(self, name: str) -> None:
        """Selects a row and moves there; for views that list something."""

    def describe(self) -> tuple[Cell, ...]:
        """Returns the status line."""
        return ()

    @property
    def focused_lines(self) -> LineView | None:
        """The panel that has the focus, or the first."""
        focused = self.screen.focused
        if isinstance(focused, LineView) and self in focused.ancestors:
            return focused
        return next(iter(self.query(LineView)), None)

    def focus_first(self) -> None:
        if (lines := next((one for one in self.query(LineView) if one.display), None)) is not None:
            lines.focus(scroll_visible=False)


def read_now() -> datetime:
    return datetime.now(UTC)


def describe_freshness(part: Loaded[Value], watching: Watching, now: datetime | None) -> Cell:
    """Says how current a part of the state is: live, rescanning, stale, or read some time ago."""
    if part.loading:
        return Cell("rescanning", "warning")
    if part.stale:
        return Cell(f"stale, read {describe_ago(part.at, now)}".removesuffix(", read "), "warning")
    if watching is Watching.GONE:
        return Cell("gone", "fail")
    if watching is Watching.LIVE:
        return Cell("live", "pass")
    ago = describe_ago(part.at, now)
    return Cell(f"read {ago}" if ago else watching.value, "muted")
