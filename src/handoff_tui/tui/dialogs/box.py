"""The base of every box over the app: it closes once, and closes only itself."""

from __future__ import annotations

from typing import ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.screen import ModalScreen, ScreenResultType


class Box(ModalScreen[ScreenResultType], inherit_bindings=False):
    """A box that can't close what lies below it. The framework closes whatever is on top, even for keys typed ahead."""

    BINDINGS: ClassVar[list[BindingType]] = []
    _has_closed = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes the box with a result; does nothing the second time, or if another box is on top."""
        if self._has_closed or not self.is_active:
            return AwaitComplete()
        self._has_closed = True
        return super().dismiss(result)
