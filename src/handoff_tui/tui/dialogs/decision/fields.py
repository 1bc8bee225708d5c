"""The two fields of the decision dialog. Typing in them never decides anything: the dialog sees every key first."""

from __future__ import annotations

from typing import Protocol, cast

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea


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


class ReasonField(TextArea):
    """Several lines. Enter starts a new line and nothing more."""

    async def on_event(self, event: events.Event) -> None:
        if not is_taken(self, event):
            await super().on_event(event)


class NameField(Input):
    """One line. Enter does nothing."""

    async def on_event(self, event: events.Event) -> None:
        if not is_taken(self, event):
            await super().on_event(event)
