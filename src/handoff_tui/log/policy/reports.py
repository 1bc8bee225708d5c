"""What `policy`, `keys` and `init` report: policies in words, proposals and who still has to sign, keys, a new log."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.git.signing.key_grade import KeyGrade
from handoff_tui.log.entry import LogProblem


class KeyState(StrEnum):
    """Whether a key counts now."""

    VALID = "valid"
    NOT_YET = "not-yet"
    EXPIRED = "expired"


class KeyView(Model):
    """A line of allowed_signers: who signs with which key, and when it counts."""

    principal: str
    keyid: str
    type: str
    roles: tuple[str, ...]
    state: KeyState
    valid_after: str | None = None
    valid_before: str | None = None
    line: str


class GateRuleView(Model):
    """What one gate needs; `phase` is `*` for all phases without a gate of their own."""

    phase: str
    words: tuple[str, ...]
    people: tuple[str, ...]
    """Who could decide here now: by role, with a key that counts."""
    threshold: int
    require: str | None = None
    max_age_days: int | None = None
    require_user_presence: bool = False
    require_signed_submission: bool = False
    binds: str = "scope"
    """`scope` or `tree`: which files must stay as they were approved."""
    require_coverage: bool = False
    headless: tuple[str, ...] = ()
    """Who may decide here without a terminal."""


class PolicyView(Model):
    """A policy, for people to read."""

    id: str
    version: int
    time: str
    root: tuple[str, ...]
    root_threshold: int
    reviewers: tuple[str, ...]
    agents: tuple[str, ...]
    roles: dict[str, tuple[str, ...]]
    gates: tuple[GateRuleView, ...]
    keys: tuple[KeyView, ...]
    warnings: tuple[str, ...] = ()
    start_line: str | None = None
    solo: bool = False
    commits_by_agents: tuple[str, ...] = ()
    protection: tuple[str, ...] | None = None
    """What keeps agents from signing as a person; None if nobody has said."""


class PolicyStep(Model):
    """One policy of the log's history, and what it changed."""

    id: str
    version: int
    time: str
    actor: str
    signed_by: tuple[str, ...]
    changes: tuple[str, ...]
    in_force: bool


class PolicyReport(Model):
    """Who may do what in a repository. More than one policy in force is a fork, which closes every gate."""

    repo: str
    log: str | None
    pinned: bool
    """Whether the first entry is pinned, so that it can't be replaced unnoticed."""
    policies: tuple[PolicyView, ...]
    history: tuple[PolicyStep, ...]
    problems: tuple[LogProblem, ...]
    """Fatal problems, and trust files on disk that differ from the log."""

    @property
    def fatal(self) -> bool:
        return any(problem.level == "FATAL" for problem in self.problems)


class SignatureTally(Model):
    """The signatures that one policy needs from its root role."""

    whose: str
    version: int
    threshold: int
    signed: tuple[str, ...]
    missing: int
    """How many people still have to sign."""
    waiting: tuple[str, ...]
    """Who could: in the root role, with a key that counts, not signed yet."""


class ProposalReport(Model):
    """A proposal: exactly what is signed, what it changes, and who still has to sign."""

    file: str
    digest: str
    """`sha256:` and the hash of the payload; it is spelled out to sign without a terminal."""
    log: str
    version: int
    previous: str
    parents: tuple[str, ...]
    actor: str
    time: str
    changes: tuple[str, ...]
    warnings: tuple[str, ...]
    tallies: tuple[SignatureTally, ...]
    allowed_signers: str
    policy_toml: str
    stale: str | None = None
    """Why it can no longer be sealed; None if it can."""

    @property
    def complete(self) -> bool:
        return not any(tally.missing for tally in self.tallies)


class SignReport(Model):
    """What signing a proposal did."""

    proposal: ProposalReport
    principal: str
    keyid: str
    added: bool
    """False if this key had signed before; then the file is unchanged."""


class SealReport(Model):
    """A policy that is now in the log."""

    repo: str
    entry: str
    version: int
    signed_by: tuple[str, ...]
    changes: tuple[str, ...]
    added: bool
    """False if it was in the log before."""
    left_out: tuple[str, ...] = ()
    """Keys whose signatures don't count here and were not stored."""
    void: tuple[str, ...] = ()
    """Entries that no longer count."""
    warnings: tuple[str, ...] = ()


class EnrolmentReport(Model):
    """A line for allowed_signers, to send to the person who proposes the policy."""

    principal: str
    keyid: str
    type: str
    agent: bool
    line: str
    known: bool
    """Whether the policy in force already has this key."""


class InitReport(Model):
    """A new log."""

    repo: str
    log: str
    principal: str
    keyid: str
    key: str
    """Where the key was found, or that it was made."""
    key_grade: KeyGrade | None = None
    """How well it is protected from programs that run as its owner."""
    written: tuple[str, ...]
    kept: tuple[str, ...]
    """Files that were there before and were left alone."""
    pin_key: str
    pinned: bool
    warnings: tuple[str, ...]
    start_line: str | None = None
    """The commit up to which work is history; None if all of it counts."""
    solo: bool = False
    """Whether this person may approve what their agents made under their name."""
    protection: tuple[str, ...] | None = None
    """What keeps agents from signing as this person, as they said; None if they didn't."""
