"""What every box over the desk has in common: it closes once, and nothing but itself."""

from __future__ import annotations

from typing import ClassVar

from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.screen import ModalScreen, ScreenResultType


class Box(ModalScreen[ScreenResultType], inherit_bindings=False):
    """The framework closes whatever lies on top; keys that were typed behind the closing one would close the desk."""

    BINDINGS: ClassVar[list[BindingType]] = []
    _has_closed = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes it, and gives back the result; a second time, or from below another box, nothing happens."""
        if self._has_closed or not self.is_active:
            return AwaitComplete()
        self._has_closed = True
        return super().dismiss(result)
