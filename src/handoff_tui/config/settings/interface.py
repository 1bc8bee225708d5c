"""The user's own desk: what only the user's file may set."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.config.settings.quantities import Name, Seconds
from handoff_tui.core.model import Model

USER_ONLY = ("theme", "ascii", "editor", "keymap", "reasons", "notifications", "engine")
"""Top-level keys that a repository may not set: a checkout under review cannot rearrange the reviewer's desk."""


class NotificationEvent(StrEnum):
    """What can be told."""

    NEEDS_YOU = "needs-you"
    CHECKS_FAILED = "checks-failed"
    AGENT_ENDED = "agent-ended"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


class DesktopForm(StrEnum):
    """How the terminal is asked to notify; which one it knows is for its user to say."""

    NONE = "none"
    OSC_9 = "osc-9"
    OSC_777 = "osc-777"


class Notifications(Model):
    """How the user is told that something waits."""

    bell: bool = False
    """Whether the terminal's bell rings."""
    desktop: DesktopForm = DesktopForm.NONE
    """How the terminal shows a notification: `osc-9` (iTerm2, Windows Terminal, kitty) or `osc-777` (rxvt, foot)."""
    command: tuple[Name, ...] = ()
    """A command that is run; {event}, {handoff} and {text} are filled in."""
    events: tuple[NotificationEvent, ...] = (NotificationEvent.NEEDS_YOU,)
    """What is told; work that failed and goes back by itself, or the end of any agent, to who wants it."""
    timeout_seconds: Seconds = 10
    """How long the command may take."""
