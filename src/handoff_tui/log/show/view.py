"""The signed log as it is shown: a list of entries, one entry whole, the report of a verification."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.log.entry import Entry, LogProblem


class EntryState(StrEnum):
    """What verification says of one entry."""

    VALID = "valid"
    VOID = "void"
    """It verified, and counts for nothing: its key was dropped."""
    REFUSED = "refused"


class LogRow(Model):
    """One entry of the list. What could not be read of a refused one is nothing."""

    id: str
    state: EntryState
    code: str | None = None
    """Of the problem, where the entry is refused."""
    why: str = ""
    kind: str | None = None
    """policy, submission or decision."""
    what: str | None = None
    """The verb of a decision; `submit`; `policy` with its version."""
    seq: int | None = None
    time: str | None = None
    actor: str | None = None
    roles: tuple[str, ...] = ()
    """Of the actor, by the policy that was in force for the entry."""
    handoff: str | None = None
    phase: str | None = None
    attempt: int | None = None
    keyids: tuple[str, ...] = ()
    head: bool = False
    touched: bool = False
    parents: tuple[str, ...] = ()
    """The entries that it follows."""


class LogView(Model):
    """The log, newest entry first."""

    fatal: bool
    log: str | None
    policy: str | None
    heads: tuple[str, ...]
    total: int
    """How many entries there are, chosen or not."""
    rows: tuple[LogRow, ...]
    problems: tuple[LogProblem, ...]


class SignatureView(Model):
    """One signature of an entry, and whose key made it."""

    keyid: str
    key_type: str
    hash: str
    principal: str | None = None
    """By the policy that was in force; nothing for a key that it does not know."""
    former: bool = False
    """Whether a policy signed with this key knows it no more, and the policy before it does."""
    user_present: bool = False
    counter: int | None = None


class EvidenceView(Model):
    """A stored file that an entry is bound to."""

    name: str
    """baseline, snapshot or review."""
    digest: str
    present: bool


class EntryView(Model):
    """One entry whole."""

    row: LogRow
    entry: Entry | None
    """Nothing where its bytes are not those of an entry."""
    size: int
    places: tuple[str, ...]
    """Where its file is: `work tree`, and refs."""
    policy: str | None = None
    """The policy that was in force for it."""
    signatures: tuple[SignatureView, ...] = ()
    followers: tuple[str, ...] = ()
    evidence: tuple[EvidenceView, ...] = ()


class LogReport(Model):
    """What a verification of the whole log says."""

    fatal: bool
    entries: int
    heads: tuple[str, ...] = ()
    log: str | None = None
    policy: str | None = None
    void: int = 0
    refused: int = 0
    anchor: str
    """What says which log this must be: option, environment, configuration, witness, or none."""
    second_opinions: int | None = None
    """How many signatures ssh-keygen was asked about; nothing where it was not asked."""
    against: str | None = None
    """The commit whose entries must all be here."""
    bundle: str | None = None
    problems: tuple[LogProblem, ...] = ()
