"""What only the user's file may set."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from handoff_tui.config.quantities import Name, Quantity, Seconds
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Checked, Fits, Model

_PASSWORD = compile_later(r"^[a-z+]+://[^/@]*:[^/@]+@|[?&]password=")


def _refuse_password(address: str) -> str:
    if _PASSWORD.search(address):
        raise ValueError("holds a password, which every listing would show; put it into ~/.pgpass, where it is found")
    return address


class EngineSettings(Model):
    """The engine under procedures."""

    address: Annotated[str, Fits(pattern=r"^(?:|postgres(?:ql)?://\S+)$"), Checked(_refuse_password)] = ""
    """A PostgreSQL database for many workers, `postgresql://user@host:5432/name`; with none, a file beside git's."""
    agents_per_worker: Quantity = 4
    """How many agents one worker runs at once; runs that only wait do not count."""
    agents_maximum: Quantity = 16
    """How many agents all workers run at once."""
    poll_seconds: Seconds = 0.5
    """How often a worker looks for work."""
    idle_seconds: Seconds = 60.0
    """How long a worker that was started on demand stays idle before it ends."""


Template = Annotated[str, Fits(min_length=1, max_length=4_000)]
"""No longer than a reason may be."""


class Reasons(Model):
    """Templates by verb. A dialog offers them; choosing one decides nothing."""

    approve: tuple[Template, ...] = ("read in full; the checks and the claims hold",)
    """For work that can go on."""
    reject: tuple[Template, ...] = (
        "the claims do not match what was measured: ",
        "tests are missing for: ",
        "it does more than the handoff says: ",
        "see the comments on lines",
    )
    """For work that can't."""
    retry: tuple[Template, ...] = (
        "the same work once more, with the comments",
        "a check failed for reasons outside the work: ",
    )
    """For another attempt."""
    skip: tuple[Template, ...] = ("this phase is not needed because: ",)
    """For a phase that is left out."""
    override: tuple[Template, ...] = ("the failing check is known and tracked in: ", "the check is wrong here: ")
    """For overriding a failing check."""
    hold: tuple[Template, ...] = ("waits for an answer to: ", "waits for: ")
    """For work that waits."""
    withdraw: tuple[Template, ...] = ("decided too early: ", "something was overlooked: ")
    """For taking a decision back."""
    carry: tuple[Template, ...] = ("only the history was rewritten",)
    """For an approval that still holds."""


USER_ONLY = ("theme", "ascii", "editor", "keymap", "reasons", "notifications", "engine")
"""Top-level keys that a repository may not set: a checkout under review can't rearrange the reviewer's screen."""


class NotificationEvent(StrEnum):
    """What the user can be notified of."""

    NEEDS_YOU = "needs-you"
    CHECKS_FAILED = "checks-failed"
    AGENT_ENDED = "agent-ended"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    FOREIGN_ENTRY = "foreign-entry"


class DesktopForm(StrEnum):
    """How the terminal is asked to notify; the user says which one it knows."""

    NONE = "none"
    OSC_9 = "osc-9"
    OSC_777 = "osc-777"


class Notifications(Model):
    """How the user is notified that something waits."""

    bell: bool = False
    """Whether the terminal's bell rings."""
    desktop: DesktopForm = DesktopForm.NONE
    """How the terminal shows a notification: `osc-9` (iTerm2, Windows Terminal, kitty) or `osc-777` (rxvt, foot)."""
    command: tuple[Name, ...] = ()
    """A command that is run; {event}, {handoff} and {text} are filled in."""
    events: tuple[NotificationEvent, ...] = (NotificationEvent.NEEDS_YOU, NotificationEvent.FOREIGN_ENTRY)
    """What to notify of; add `checks-failed` or `agent-ended` to hear of work that goes on without you."""
    timeout_seconds: Seconds = 10.0
    """How long the command may take."""
