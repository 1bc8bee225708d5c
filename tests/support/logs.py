"""A log in memory: people with keys, policies, submissions and decisions, without bytes and signatures."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handoff_tui.log.chain import Candidate, Known, judge_chain
from handoff_tui.log.entries.public_keys import parse_public_key
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
    """A public key of the Ed25519 form for a name; nobody has its private half."""
    point = hashlib.sha256(name.encode()).digest()
    blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + point
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


def find_keyid(name: str) -> str:
    return parse_public_key(build_key(name)).fingerprint


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


def build_signers(*names: str) -> str:
    """`allowed_signers` for people; `alice/2` is a second key of alice."""
    return "".join(build_line(name.partition("/")[0], build_key(name)) for name in names)


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
class LogBuilder:
    """Adds entries one after the other; each follows all heads unless told otherwise."""

    candidates: dict[str, Candidate] = field(default_factory=dict)
    genesis: str = ""
    policy: str = ""

    def add_policy(
        self,
        toml: str | None = None,
        signers: str | None = None,
        signed_by: tuple[str, ...] = ("alice",),
        previous: str | None = None,
        parents: tuple[str, ...] | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        is_first = not self.genesis
        version = changes.pop("version", None) or (1 if is_first else self._version(previous or self.policy) + 1)
        text = PolicyText(
            version=version,
            allowed_signers=build_signers("alice", "bob", "claude") if signers is None else signers,
            policy_toml=build_policy_toml() if toml is None else toml,
            previous=None if is_first else previous or self.policy,
            nonce="0" * 32 if is_first else None,
        )
        found = self._add(EntryKind.POLICY, "alice", signed_by, parents, policy=text, **changes)
        self.genesis = self.genesis or found
        self.policy = found
        return found

    def add_decision(
        self,
        actor: str = "alice",
        verb: str = "approve",
        parents: tuple[str, ...] | None = None,
        regards: tuple[str, ...] = (),
        key: str | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        reason = changes.pop("reason", "" if verb in {"approve", "carry"} else f"{verb} because")
        decision = Decision(verb=DecisionVerb(verb), reason=reason, regards=regards, review="f" * 64)
        work = self._build_work(changes)
        kind = EntryKind.SCOPED_DECISION if work.subject.scope else EntryKind.DECISION
        return self._add(kind, actor, (key or actor,), parents, work=work, decision=decision, **changes)

    def add_submission(
        self,
        actor: str = "claude",
        parents: tuple[str, ...] | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        work = self._build_work(changes)
        kind = EntryKind.SCOPED_SUBMISSION if work.subject.scope else EntryKind.SUBMISSION
        return self._add(kind, actor, (actor,), parents, work=work, **changes)

    def judge(self, **known: Any) -> LogVerdict:  # noqa: ANN401 - any field of Known
        return judge_chain(self.candidates, Known(**{"now": NOW, **known}))

    def heads(self) -> tuple[str, ...]:
        followed = {parent for candidate in self.candidates.values() for parent in candidate.entry.parents}
        return tuple(sorted(self.candidates.keys() - followed))

    def rename(self, identifier: str, name: str) -> None:
        """Gives an entry that nothing follows another id: what decides between two must not be which is the lower."""
        candidate = self.candidates.pop(identifier)
        entry = candidate.entry.model_copy(update={"id": name})
        self.candidates[name] = candidate._replace(entry=entry)

    def _build_work(self, changes: dict[str, Any]) -> Work:
        return Work(
            handoff=changes.pop("handoff", "H-1"),
            phase=changes.pop("phase", "implement"),
            attempt=changes.pop("attempt", 1),
            producers=changes.pop("producers", ("claude",)),
            policy=changes.pop("policy_id", self.policy),
            subject=changes.pop("subject", SUBJECT),
        )

    def _add(
        self,
        kind: EntryKind,
        actor: str,
        signed_by: tuple[str, ...],
        parents: tuple[str, ...] | None,
        *,
        touched: bool = False,
        payload: str | None = None,
        **fields: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        above = self.heads() if parents is None else tuple(sorted(parents))
        known = [self.candidates[parent].entry for parent in above if parent in self.candidates]
        defaults: dict[str, Any] = {
            "seq": 1 + max((entry.seq for entry in known), default=0),
            "time": add_seconds(max((entry.time for entry in known), default=START), 60),
            "log": self.genesis or None,
        }
        content = {**defaults, **fields}
        keyids = tuple(sorted(find_keyid(name) for name in signed_by))
        spoken = repr((kind, actor, above, sorted(content.items(), key=str), len(self.candidates)))
        identifier = "sha256:" + hashlib.sha256(spoken.encode()).hexdigest()
        entry = Entry(id=identifier, kind=kind, actor=actor, parents=above, keyids=keyids, **content)
        self.candidates[identifier] = Candidate(entry, payload or identifier, touched)
        return identifier

    def _version(self, policy: str) -> int:
        text = self.candidates[policy].entry.policy
        assert text is not None
        return text.version
