"""What people and scripts are shown: a gate, a decision about to be signed, the packet for the next attempt."""

from __future__ import annotations

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.model import Model
from handoff_tui.decisions.threads import Thread
from handoff_tui.git.signing.key_grade import KeyGrade
from handoff_tui.log.entry import Subject
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.review_record import ReviewRecord, ShownCheck


class GateView(Model):
    """What a person needs to know before deciding, and a script before going on."""

    report: GateReport
    digest: str
    subject: Subject
    baseline_reason: str
    checks_passed: int
    checks_total: int
    failing: tuple[str, ...] = ()
    """Blocking checks that do not pass."""
    warnings: int = 0
    against: tuple[str, ...] = ()
    """What the handoff's documents say against an approval themselves, whatever the checks found."""
    producers: tuple[str, ...] = ()
    uncommitted: bool = False
    anchored: bool = True
    """Whether anything vouches for the log."""


class DecisionView(Model):
    """Exactly what is about to be signed."""

    gate: GateView
    verb: str
    reason: str
    referenced_entries: tuple[str, ...] = ()
    record: ReviewRecord
    """What the decision is bound to besides the subject: what was shown, and what the reviewer wrote."""
    review: str
    """Its digest."""
    principal: str
    keyid: str
    key_source: str
    key_grade: KeyGrade = KeyGrade.UNKNOWN
    """How well the key is protected from programs that run as its owner."""
    touch: bool = False
    """Whether the key must be touched."""
    policy: str
    unbound: int = 0
    """Own files that a decision doesn't bind, because they record decisions: reviews and registries."""
    notes: tuple[str, ...] = ()


class ExtraConfirmation(NamedTuple):
    """Why a decision needs more than a key press: shown in the dialog, and confirmed by typing the handoff's name."""

    text: str
    detail: str = ""
    asks: bool = True
    """Whether the name must be typed; otherwise it is only said."""


class Demand(Model):
    """What an earlier decision asked for, and whether it was addressed, as far as that can be measured."""

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
    """What was commented on: `path`, `path:12` or `path:12-15`."""
    untouched: tuple[str, ...] = ()
    """Those of them that have not changed since."""
    addressed: bool | None = None
    """Whether all that can be measured was addressed; None if nothing can be measured."""


class Packet(Model):
    """Everything the next attempt needs to know."""

    handoff: str
    phase: str
    attempt: int
    """The attempt that this packet is for."""
    state: str
    demands: tuple[Demand, ...] = ()
    """Newest first; the first is why the work was sent back."""
    comments: tuple[Thread, ...] = ()
    """Those that are still open."""
    failing: tuple[ShownCheck, ...] = ()
    """Checks that do not pass now, worst first, with their remedies."""
    changed_files: tuple[str, ...] = ()
    """Files changed since the attempt that was sent back."""
    notes: tuple[str, ...] = ()
