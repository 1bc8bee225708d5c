"""A journal on a real repository, with people who sign in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.log.chain import Known
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Decision, DecisionVerb, EntryKind, LogVerdict, PolicyText, Work
from handoff_tui.log.journal import Appended, Draft, EntrySigner, Journal, Parents
from handoff_tui.log.open_log import LogVerifier
from handoff_tui.log.storage.blobs import LogBlobs
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.log.storage.memory import LogMemory
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.atomic_write import SYSTEM, Calls
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from tests.support.log_keys import build_example_key
from tests.support.logs import FIRST_VERSION_SUBJECT, build_policy_toml, build_signers


@dataclass
class Desk:
    """A repository with a log that can be written and read back."""

    repository: Repository
    journal: Journal
    blobs: LogBlobs
    memory: LogMemory
    read_known: Callable[[], Known]

    @classmethod
    def open(cls, root: Path, calls: Calls = SYSTEM, timeout: float = 50.0) -> Desk:
        repository = open_repository(root)
        local = GitPrivateFolder(repository.common_dir, calls)
        blobs, memory = LogBlobs(repository, calls), LogMemory(local)

        def read_known() -> Known:
            return Known(build_time(read_now()), witness=memory.load().entries)

        verifier = LogVerifier(blobs, read_known)

        def verify(further: Mapping[str, bytes], /) -> LogVerdict:
            return verifier(further).model_copy(update={"anchor": "witness"})

        journal = Journal(blobs.folder, LogLock(local, timeout), verify, memory, read_now)
        return cls(repository, journal, blobs, memory, read_known)

    def verify(self) -> LogVerdict:
        """Everything, from the bytes on."""
        return LogVerifier(self.blobs, self.read_known)()

    def begin(self, *more: str) -> Appended:
        """The first entry: alice, bob and claude, and whoever is enrolled besides, by lines of allowed_signers."""
        return self.journal.append(lambda parents: build_genesis(parents, *more), build_example_key("alice"))

    def decide(self, handoff: str = "H-1", actor: str = "alice", signer: EntrySigner | None = None) -> Appended:
        return self.journal.append(
            lambda parents: build_decision(parents, handoff, actor), signer or build_example_key(actor)
        )


def build_genesis(parents: Parents, *more: str) -> Draft:
    policy = PolicyText(
        version=1, allowed_signers=_build_signers(*more), policy_toml=build_policy_toml(), nonce="0" * 32
    )
    return Draft(build_payload(parents.build_entry(EntryKind.POLICY, "alice", policy=policy)))


def build_policy(parents: Parents, version: int, previous: str, *more: str) -> Draft:
    """A policy after the first one; `more` are further lines of allowed_signers."""
    policy = PolicyText(
        version=version,
        allowed_signers=_build_signers(*more),
        policy_toml=build_policy_toml(version=version),
        previous=previous,
    )
    return Draft(build_payload(parents.build_entry(EntryKind.POLICY, "alice", policy=policy)))


def _build_signers(*more: str) -> str:
    return "".join((build_signers("alice", "bob", "claude"), *more))


def build_decision(parents: Parents, handoff: str, actor: str = "alice") -> Draft:
    work = Work(
        handoff=handoff,
        phase="implement",
        attempt=1,
        producers=("claude",),
        policy=parents.verdict.policy or "",
        subject=FIRST_VERSION_SUBJECT,
    )
    decision = Decision(verb=DecisionVerb.APPROVE, reason="", regards=(), review="f" * 64)
    return Draft(build_payload(parents.build_entry(EntryKind.DECISION, actor, work=work, decision=decision)))
