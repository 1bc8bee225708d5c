"""Logs told entry by entry: people with keys, policies, submissions and decisions; and such a log in memory."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from handoff_tui.log.chain import Candidate, Known, judge_chain
from handoff_tui.log.entries.times import add_seconds
from handoff_tui.log.entry import (
    NO_BASELINE,
    Decision,
    DecisionVerb,
    Entry,
    EntryKind,
    GateKey,
    PolicyText,
    Subject,
    Work,
)
from handoff_tui.log.gates.gate import GateQuestion
from handoff_tui.log.policy.policy import Policy, parse_policy
from handoff_tui.log.policy.signers import build_line
from tests.support.log_keys import build_example_key

if TYPE_CHECKING:
    from handoff_tui.log.entry import LogVerdict

START = "2026-01-01T00:00:00Z"
NOW = "2026-02-01T00:00:00Z"
FIRST_VERSION_SUBJECT = Subject(
    commit="a" * 40, tree="b" * 40, baseline=NO_BASELINE, snapshot="c" * 64, checks="d" * 64, handoff="e" * 64
)
SUBJECT = FIRST_VERSION_SUBJECT.model_copy(update={"scope": "5" * 64, "start": "6" * 40})


def build_question(handoff: str = "H-1", phase: str = "implement", attempt: int = 1, **changes: Any) -> GateQuestion:  # noqa: ANN401 - any field
    """A gate asked about the usual work."""
    fields: dict[str, Any] = {
        "subject": SUBJECT,
        "producers": frozenset({"claude"}),
        "now": NOW,
        **changes,
    }
    return GateQuestion(key=GateKey(handoff, phase, attempt), **fields)


def build_key(name: str) -> str:
    """The public key of a name."""
    return build_example_key(name).public.text


def find_keyid(name: str) -> str:
    return build_example_key(name).fingerprint


def build_policy_toml(
    root: tuple[str, ...] = ("alice",),
    reviewers: tuple[str, ...] = ("alice", "bob"),
    agents: tuple[str, ...] = ("claude",),
    threshold: int = 1,
    gates: str = '[gates."*"]\nthreshold = 1\n',
    version: int = 1,
    more: str = "",
) -> str:
    def people(names: tuple[str, ...]) -> str:
        return "[" + ", ".join(f'"{name}"' for name in names) + "]"

    return (
        f"version = {version}\n[roles.root]\nprincipals = {people(root)}\nthreshold = {threshold}\n"
        f"[roles.reviewer]\nprincipals = {people(reviewers)}\n"
        f"[roles.agent]\nprincipals = {people(agents)}\n{more}{gates}"
    )


def build_signers(*names: str, **windows: str) -> str:
    """`allowed_signers` of people by name; `alice/2` is a second key of alice."""
    return "".join(build_line(name.partition("/")[0], build_key(name), **windows) for name in names)


def build_policy(toml: str | None = None, signers: str | None = None) -> Policy:
    """A policy as it is read from its two texts."""
    return parse_policy(
        PolicyText(
            version=1,
            allowed_signers=build_signers("alice", "bob", "claude") if signers is None else signers,
            policy_toml=toml or build_policy_toml(),
        )
    )


@dataclass
class LogStory(ABC):
    """Entries one after the other; each follows all heads unless told otherwise."""

    entries: dict[str, Entry] = field(default_factory=dict)
    genesis: str = ""
    policy: str = ""
    usual_subject: ClassVar[Subject] = SUBJECT

    @abstractmethod
    def write_entry(self, entry: Entry, keys: tuple[str, ...], **how: Any) -> str:  # noqa: ANN401 - as the log needs it
        """Adds an entry that has no id yet, signed with keys by name; its id."""

    def add_policy(
        self,
        toml: str | None = None,
        signers: str | None = None,
        keys: tuple[str, ...] = ("alice",),
        previous: str | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        is_first = not self.genesis
        known = self.entries.get(previous or self.policy)
        before = known.policy if known else None
        text = PolicyText(
            version=changes.pop("version", 1 + (before.version if before else 0)),
            allowed_signers=build_signers("alice", "bob", "claude") if signers is None else signers,
            policy_toml=build_policy_toml() if toml is None else toml,
            previous=None if is_first else previous or self.policy,
            nonce=changes.pop("nonce", "0" * 32) if is_first else None,
        )
        self.policy = self.add(EntryKind.POLICY, "alice", keys, policy=text, **changes)
        self.genesis = self.genesis or self.policy
        return self.policy

    def decide(
        self,
        actor: str = "alice",
        verb: str = "approve",
        key: str | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        reason = changes.pop("reason", "" if verb in {"approve", "carry"} else f"{verb} because")
        regards, review = changes.pop("regards", ()), changes.pop("review", "f" * 64)
        decision = Decision(verb=DecisionVerb(verb), reason=reason, regards=regards, review=review)
        work = self._build_work(changes)
        kind = EntryKind.SCOPED_DECISION if work.subject.scope else EntryKind.DECISION
        return self.add(kind, actor, (key or actor,), work=work, decision=decision, **changes)

    def submit(self, actor: str = "claude", **changes: Any) -> str:  # noqa: ANN401 - any field of an entry
        work = self._build_work(changes)
        kind = EntryKind.SCOPED_SUBMISSION if work.subject.scope else EntryKind.SUBMISSION
        return self.add(kind, actor, (actor,), work=work, **changes)

    def add(self, kind: EntryKind, actor: str, keys: tuple[str, ...], **fields: Any) -> str:  # noqa: ANN401 - as above
        """An entry of any kind."""
        parents = fields.pop("parents", None)
        how = {name: fields.pop(name) for name in ("touched", "payload") if name in fields}
        above = self.heads() if parents is None else tuple(sorted(parents))
        known = [self.entries[parent] for parent in above if parent in self.entries]
        defaults: dict[str, Any] = {
            "seq": 1 + max((entry.seq for entry in known), default=0),
            "time": add_seconds(max((entry.time for entry in known), default=START), 60),
            "log": self.genesis or None,
        }
        entry = Entry(id="", kind=kind, actor=actor, parents=above, **{**defaults, **fields})
        return self.write_entry(entry, keys, **how)

    def heads(self) -> tuple[str, ...]:
        followed = {parent for entry in self.entries.values() for parent in entry.parents}
        return tuple(sorted(self.entries.keys() - followed))

    def _build_work(self, changes: dict[str, Any]) -> Work:
        return Work(
            handoff=changes.pop("handoff", "H-1"),
            phase=changes.pop("phase", "implement"),
            attempt=changes.pop("attempt", 1),
            producers=changes.pop("producers", ("claude",)),
            policy=changes.pop("policy_id", self.policy),
            subject=changes.pop("subject", self.usual_subject),
        )


@dataclass
class LogBuilder(LogStory):
    """A log without bytes and signatures."""

    candidates: dict[str, Candidate] = field(default_factory=dict)
    add_decision = LogStory.decide
    add_submission = LogStory.submit

    def write_entry(self, entry: Entry, keys: tuple[str, ...], **how: Any) -> str:  # noqa: ANN401 - touched, payload
        keyids = tuple(sorted(map(find_keyid, keys)))
        spoken = f"{entry!r} {len(self.candidates)}"
        identifier = "sha256:" + hashlib.sha256(spoken.encode()).hexdigest()
        new = entry.model_copy(update={"id": identifier, "keyids": keyids})
        self.entries[identifier] = new
        self.candidates[identifier] = Candidate(new, how.get("payload", identifier), how.get("touched", False))
        return identifier

    def judge(self, **known: Any) -> LogVerdict:  # noqa: ANN401 - any field of Known
        return judge_chain(self.candidates, Known(**{"now": NOW, **known}))

    def heads(self) -> tuple[str, ...]:
        """Of what is still there."""
        self.entries = {name: candidate.entry for name, candidate in self.candidates.items()}
        return super().heads()

    def rename(self, identifier: str, name: str) -> None:
        """Gives an entry that nothing follows another id: what decides between two must not be which is the lower."""
        candidate = self.candidates.pop(identifier)
        self.candidates[name] = candidate._replace(entry=candidate.entry.model_copy(update={"id": name}))
