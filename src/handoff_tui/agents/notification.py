"""Something that a person should be told once."""

from __future__ import annotations

from handoff_tui.core.model import Model


class Notification(Model):
    """What is told. `key` is the occasion: the same is not told twice."""

    event: str
    handoff: str
    text: str
    key: str


class Told(Model):
    """What became of a notification."""

    told: bool
    """False when it was told before, or nobody wants to be told of such."""
    sequence: str = ""
    """What the terminal is to be sent: bell and notification."""
    problem: str = ""
    """Why the user's own command did not do its work."""
