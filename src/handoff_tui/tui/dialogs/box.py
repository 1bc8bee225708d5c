"""The bases of the boxes over the app: each closes once, and only itself; keys count once it has been painted."""

from __future__ import annotations

from typing import Final, Protocol, cast

from textual import events
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.screen import ModalScreen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Input, TextArea

from handoff_tui.tui.terminal_input import clean_paste

PAUSE_SECONDS: Final = 0.3
"""With less, a key meant for something else could still arrive in time."""


HUMAN_SECONDS: Final = 0.05
"""Two presses of a key are further apart than this; the letters of a pasted text are closer together."""


class Arming:
    """Measures the time since something was painted, or since the last key that wasn't meant for it."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._painted_at: float | None = None

    def disarm(self) -> None:
        """Ignores keys until something else has been painted."""
        self._since = self._painted_at = None

    def note_painted(self, now: float) -> None:
        """Starts the clock: it is on the screen now."""
        if self._since is None:
            self._since = self._painted_at = now

    def begin_again(self, now: float) -> None:
        """Restarts the clock after other input, so the tail of a paste can't confirm anything."""
        if self._since is not None:
            self._since = max(self._since, now)

    def was_shown(self, at: float) -> bool:
        """Tells whether it had been on the screen for a moment, whatever was typed meanwhile."""
        return self._painted_at is not None and at - self._painted_at >= PAUSE_SECONDS

    def admits(self, at: float) -> bool:
        """Tells whether a key pressed at that time can mean what is on the screen."""
        return self._since is not None and at - self._since >= PAUSE_SECONDS


def read_time() -> float:
    """Returns the time on the clock that stamps keys and clicks."""
    return Message().time


class Gatekeeper(Protocol):
    """The screen around a field."""

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Tells whether the screen keeps an event: it came too early, or it isn't text."""
        ...


def is_taken(field: Widget, event: events.Event) -> bool:
    """Tells whether the screen keeps a key or a paste from this field."""
    if not isinstance(event, events.Key | events.Paste):
        return False
    if not cast("Gatekeeper", field.screen).takes(event):
        return False
    event.stop()
    event.prevent_default()
    return True


class TextField(TextArea):
    """Several lines; what is pasted is made plain text."""

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Paste):
            event.text = clean_paste(event.text)
        await super().on_event(event)


class ReasonField(TextField):
    """Several lines. Enter starts a new line and nothing more."""

    async def on_event(self, event: events.Event) -> None:
        if not is_taken(self, event):
            await super().on_event(event)


class NameField(Input):
    """One line. Enter does nothing."""

    async def on_event(self, event: events.Event) -> None:
        if not is_taken(self, event):
            await super().on_event(event)


LEAVING = frozenset({"decision.cancel", "app.back", "app.quit", "app.interrupt"})
"""Actions that close a box."""


class Box(ModalScreen[ScreenResultType], inherit_bindings=False):
    """A box that can't close what lies below it. The framework closes whatever is on top, even for keys typed ahead."""

    _has_closed = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes the box with a result; does nothing the second time, or if another box is on top."""
        if self._has_closed or not self.is_active:
            return AwaitComplete()
        self._has_closed = True
        return super().dismiss(result)


class ArmedBox(Box[ScreenResultType]):
    """A box that waits: a key counts only once it has been on screen for a moment."""

    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self._painted, self._readable = Arming(), Arming()
        """One clock for the box, one for what is confirmed; other keys delay the one that confirms."""

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def arm_again(self) -> None:
        """What is confirmed changed, or was covered: it must be seen first."""
        self._readable.disarm()
        self.call_after_refresh(self._note_painted)

    def _note_painted(self) -> None:
        now = read_time()
        self._painted.note_painted(now)
        self._readable.note_painted(now)
        self.set_timer(PAUSE_SECONDS, self._settle)

    def _settle(self) -> None:
        """Called when the box has been on screen long enough."""
        self._draw()

    def _draw(self) -> None:
        raise NotImplementedError


def keep_key(event: events.Key) -> None:
    """Keeps a key from everything below."""
    event.stop()
    event.prevent_default()
