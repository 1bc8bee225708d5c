"""The entries of the signed log as values, and what verification says of them. Their bytes: docs/log-format.md."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.model import Model

NOT_ANCHORED = "nothing here vouches for this log's first entry"
ANCHOR_HINT = "Compare it with a colleague's, then run handoff-tui log pin; in CI, pass --pin or set HANDOFF_TUI_PIN."
NO_BASELINE = "0" * 64


class DecisionVerb(StrEnum):
    """What a reviewer can decide."""

    APPROVE = "approve"
    REJECT = "reject"
    RETRY = "retry"
    SKIP = "skip"
    OVERRIDE = "override"
    HOLD = "hold"
    WITHDRAW = "withdraw"
    CARRY = "carry"


_NOUNS = {
    DecisionVerb.APPROVE: "approval",
    DecisionVerb.REJECT: "rejection",
    DecisionVerb.CARRY: "carried approval",
}


def name_decision(verb: DecisionVerb) -> str:
    """The decision as a noun: `override`, `approval`."""
    return _NOUNS.get(verb, verb.value)


APPROVING = frozenset({DecisionVerb.APPROVE, DecisionVerb.CARRY})
"""Verbs that say the checks are in order; the only ones that need no reason."""
PASSING = APPROVING | {DecisionVerb.OVERRIDE, DecisionVerb.SKIP}
"""Verbs that let work go on."""
SENDING_BACK = frozenset({DecisionVerb.REJECT, DecisionVerb.RETRY})
VETOES = SENDING_BACK | {DecisionVerb.HOLD}
CLOSING = VETOES | {DecisionVerb.WITHDRAW}
"""Verbs that let nothing go on: they are about the work as it was shown, whatever has been saved since."""


class EntryKind(StrEnum):
    """The types of entry, by their predicate type. Those of the first version bind the tree, the second the scope."""

    POLICY = "urn:handoff-tui:policy:v1"
    SUBMISSION = "urn:handoff-tui:submission:v1"
    DECISION = "urn:handoff-tui:decision:v1"
    SCOPED_SUBMISSION = "urn:handoff-tui:submission:v2"
    SCOPED_DECISION = "urn:handoff-tui:decision:v2"

    @property
    def decides(self) -> bool:
        return self in {EntryKind.DECISION, EntryKind.SCOPED_DECISION}

    @property
    def word(self) -> str:
        """`policy`, `submission` or `decision`."""
        return self.split(":")[2]


class PhaseKey(NamedTuple):
    """One phase of one handoff."""

    handoff: str
    phase: str


class GateKey(NamedTuple):
    """Which gate is meant: a handoff, the phase that it is to leave, and the attempt."""

    handoff: str
    phase: str
    attempt: int

    @property
    def place(self) -> PhaseKey:
        """The gate whatever the attempt."""
        return PhaseKey(self.handoff, self.phase)


class Subject(Model):
    """The exact content that a submission or decision is bound to: hex digests without a prefix."""

    commit: str
    tree: str
    baseline: str = NO_BASELINE
    """Bound by entries of the first version only."""
    scope: str = ""
    """Digest of the handoff's own files; empty in entries of the first version, as is `start`."""
    start: str = ""
    snapshot: str
    checks: str
    handoff: str

    def list_dumped(self, *, exclude_defaults: bool) -> Iterator[tuple[str, object]]:  # noqa: ARG002
        """Writes defaults too, but fields of the second version only if bound: bytes of the first must not change."""
        is_first = not self.scope and not self.start
        return (field for field in self if not (is_first and field[0] in {"scope", "start"}))


class Work(Model):
    """The work that an entry is about: the part that submissions and decisions share."""

    handoff: str
    phase: str
    attempt: int
    producers: tuple[str, ...]
    policy: str
    """Id of the policy entry in force."""
    subject: Subject

    @property
    def key(self) -> GateKey:
        return GateKey(self.handoff, self.phase, self.attempt)


class Decision(Model):
    """The part that only decisions have."""

    verb: DecisionVerb
    reason: str
    regards: tuple[str, ...]
    review: str
    """SHA-256 of the review record, hex."""


class PolicyText(Model):
    """The part that only policy entries have."""

    version: int
    allowed_signers: str
    policy_toml: str
    previous: str | None = None
    nonce: str | None = None
    """Only the genesis has one, and then neither `previous` nor a log."""

    @property
    def files(self) -> dict[str, str]:
        """Both texts by file name."""
        return {"allowed_signers": self.allowed_signers, "policy.toml": self.policy_toml}


class Entry(Model):
    """An entry of the log. It has either a policy, or work; a decision has both work and decision."""

    id: str
    """`sha256:<64 hex>`, the hash of its file."""
    kind: EntryKind
    actor: str
    seq: int
    time: str
    parents: tuple[str, ...]
    log: str | None = None
    """Id of the genesis; None in the genesis itself."""
    keyids: tuple[str, ...] = ()
    policy: PolicyText | None = None
    work: Work | None = None
    decision: Decision | None = None


class LogProblemLevel(StrEnum):
    """FATAL closes every gate; REFUSED entries are ignored and shown; a NOTE is only mentioned."""

    FATAL = "FATAL"
    REFUSED = "REFUSED"
    NOTE = "NOTE"


class LogProblem(Model):
    """One thing that verification found."""

    level: LogProblemLevel
    code: str
    """A stable kebab-case word such as `bad-signature`; docs/log-format.md lists them."""
    entry: str | None = None
    """Id of the entry, or the path of a file that is not an entry."""
    text: str


class LogVerdict(Model):
    """The result of verifying a log."""

    entries: tuple[Entry, ...] = ()
    """Valid entries in topological order."""
    heads: tuple[str, ...] = ()
    log: str | None = None
    policy: str | None = None
    """Id of the policy entry in force at the heads."""
    void: dict[str, str] = {}
    """Entries that verify but don't count (a revoked key), with the reason."""
    touched: frozenset[str] = frozenset()
    """Entries whose signature proves that somebody touched the key."""
    problems: tuple[LogProblem, ...] = ()
    anchor: str = "none"
    """What vouches for the first entry: option, environment, configuration, user, or none."""

    @property
    def anchored(self) -> bool:
        """Whether anything says that this is the right log; where there is none, nothing can be wrong about it."""
        return self.log is None or self.anchor != "none"

    @property
    def fatal(self) -> bool:
        return any(problem.level is LogProblemLevel.FATAL for problem in self.problems)

    @property
    def fatal_problems(self) -> list[LogProblem]:
        return [problem for problem in self.problems if problem.level is LogProblemLevel.FATAL]

    @property
    def policy_text(self) -> PolicyText | None:
        """The texts of the policy in force; None if there is no log, or it is forked."""
        return next((entry.policy for entry in self.entries if entry.id == self.policy), None)
