"""What a rejection gives to the next attempt."""

from __future__ import annotations

from handoff_tui.core.model import Model
from handoff_tui.log.review_record import Comment, ShownCheck


class QuotedComment(Model):
    """A remark with the code it is about, as it was when the remark was made."""

    comment: Comment
    author: str
    attempt: int = 1
    """The attempt that it was made on."""
    code: tuple[str, ...] = ()
    """The lines around, each with its number."""
    changed: bool | None = None
    """Whether those lines have changed since (the file, for a remark on all of it); nothing where it cannot be told."""


class Demand(Model):
    """One reason of an earlier decision, and whether it was addressed as far as that can be measured."""

    entry: str
    attempt: int
    author: str
    verb: str
    time: str
    reason: str
    taken_back: bool = False
    """Whether its author has decided otherwise on the same attempt since."""
    checks: tuple[str, ...] = ()
    """Blocking checks that did not pass then."""
    still_failing: tuple[str, ...] = ()
    """Those of them that do not pass now."""
    commented: tuple[str, ...] = ()
    """Places that were commented on then: `path`, `path:12` or `path:12-15`."""
    untouched: tuple[str, ...] = ()
    """Those of them that have not changed since."""
    addressed: bool | None = None
    """True when all that can be measured was addressed, false when something was not, nothing when nothing can be."""


class Packet(Model):
    """Everything the next attempt has to know."""

    handoff: str
    phase: str
    attempt: int
    """The attempt that this packet is for."""
    state: str
    demands: tuple[Demand, ...] = ()
    """Newest first; the first is why the work came back."""
    comments: tuple[QuotedComment, ...] = ()
    failing: tuple[ShownCheck, ...] = ()
    """Checks that do not pass now, worst first, with their remedies."""
    changed_files: tuple[str, ...] = ()
    """What has changed since the attempt that was sent back."""
    notes: tuple[str, ...] = ()
