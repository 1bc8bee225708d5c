"""The bases of the boxes over the app: each closes once, and closes only itself; some wait before keys count."""

from __future__ import annotations

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType

from handoff_tui.tui.arming import PAUSE_SECONDS, Arming, read_time

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
