"""The signed log as it is shown: a list of entries, one entry in full, the report of a verification."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.text.labels import Label
from handoff_tui.log.entry import Entry, LogProblem
from handoff_tui.log.person import Confirmation


class EntryState(StrEnum):
    """What verification says of an entry."""

    VALID = "valid"
    VOID = "void"
    """It verifies but does not count: its key was dropped."""
    REFUSED = "refused"


ENTRY_STATES = {
    EntryState.VALID: Label("✓", "valid", "pass"),
    EntryState.VOID: Label("⊘", "void", "warning"),
    EntryState.REFUSED: Label("✗", "refused", "fail"),
}


class LogRow(Model):
    """One entry of the list. What could not be read of a refused one is None."""

    id: str
    state: EntryState
    code: str | None = None
    """Of the problem, if the entry is refused."""
    why: str = ""
    kind: str | None = None
    """policy, submission or decision."""
    what: str | None = None
    """The verb of a decision; `submit`; `policy` with its version."""
    seq: int | None = None
    time: str | None = None
    actor: str | None = None
    roles: tuple[str, ...] = ()
    """The actor's roles by the policy in force for the entry."""
    handoff: str | None = None
    phase: str | None = None
    attempt: int | None = None
    keyids: tuple[str, ...] = ()
    head: bool = False
    solo: bool = False
    """Whether the actor decided on work under their own name, by a solo policy."""
    touched: bool = False
    parents: tuple[str, ...] = ()
    """The entries that it follows."""


class ShownLog(Model):
    """The log, newest entry first."""

    fatal: bool
    log: str | None
    policy: str | None
    heads: tuple[str, ...]
    total: int
    """How many entries there are, listed or not."""
    rows: tuple[LogRow, ...]
    problems: tuple[LogProblem, ...]


class SignatureView(Model):
    """One signature of an entry, and whose key made it."""

    keyid: str
    key_type: str
    hash: str
    principal: str | None = None
    """By the policy in force; None if it does not have the key."""
    former: bool = False
    """Whether this key is in the policy before the signed one, but no longer in that one."""
    user_present: bool = False
    counter: int | None = None


class ShownEvidence(Model):
    """A stored file that an entry is bound to."""

    name: str
    """baseline, snapshot or review."""
    digest: str
    present: bool


class EntryView(Model):
    """One entry in full."""

    row: LogRow
    entry: Entry | None
    """None if its bytes are not those of an entry."""
    size: int
    places: tuple[str, ...]
    """Where its file is: `work tree`, and refs."""
    policy: str | None = None
    """The policy that was in force for it."""
    signatures: tuple[SignatureView, ...] = ()
    followers: tuple[str, ...] = ()
    evidence: tuple[ShownEvidence, ...] = ()
    confirmed: Confirmation | None = None
    """How a decision was confirmed, by its review record; None if the record is missing or doesn't say."""


class LogReport(Model):
    """The report of a verification."""

    fatal: bool
    entries: int
    heads: tuple[str, ...] = ()
    log: str | None = None
    policy: str | None = None
    void: int = 0
    refused: int = 0
    anchor: str
    """What vouches for the first entry: option, environment, configuration, user, or none."""
    second_opinions: int | None = None
    """How many signatures ssh-keygen was asked about; None if it was not asked."""
    against: str | None = None
    """The commit whose entries must all be here."""
    bundle: str | None = None
    problems: tuple[LogProblem, ...] = ()

    @property
    def anchored(self) -> bool:
        return self.log is None or self.anchor != "none"
