"""Opens the signed log of a repository: verified on request, written only through its journal.

Verified are the bytes and signatures of every entry, then how they fit together.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

from handoff_tui.core.classes import dataclass
from handoff_tui.core.errors import (
    GitError,
    LogEntryError,
    LogPresentError,
    StoredFileDamagedError,
    StoreWriteError,
    WitnessDamagedError,
)
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.core.restored import restore
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import fetch_branches
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.signing_key import UserSettings
from handoff_tui.log.chain import Candidate, Chain, Known
from handoff_tui.log.entries.statement import parse_entry, verify_signatures
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Entry, LogProblem, LogProblemLevel, LogVerdict
from handoff_tui.log.journal import Journal, Verifier
from handoff_tui.log.policy.policy import Policy, parse_policy
from handoff_tui.log.storage.blobs import LogBlobs, LogListing, Unsuitable
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.log.storage.memory import LogMemory, SeenEntries, VerifiedCache
from handoff_tui.log.storage.trust_files import read_trust_files
from handoff_tui.system.clock import read_monotonic, read_now
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from handoff_tui.system.files.sealed_files import load_cache_secret

NOTHING: Final[Mapping[str, bytes]] = MappingProxyType({})


class Facts(Protocol):
    """What earlier verifications found, by entry id, such as `VerifiedCache`."""

    def load(self) -> Mapping[str, str]: ...
    def record(self, facts: Mapping[str, str]) -> None: ...


class LogVerifier:
    """Judges the log of one repository, as often as it is asked.

    With `facts`, entries that were verified before are not verified again: their names are hashes, so a file whose
    content still matches its name is what was verified. It is hashed again if its stamp has changed.
    """

    def __init__(self, blobs: LogBlobs, know: Callable[[], Known], facts: Facts | None = None) -> None:
        self._blobs = blobs
        self._know = know
        self._facts = facts
        self._chain = Chain()
        self._settled: LogListing | None = None
        """The listing that exactly matches what is known; an unchanged log lists as the same object."""
        self._valid: dict[str, Candidate] = {}
        self._tried: AbstractSet[str] = frozenset()
        """Entries that the chain was asked about but that may not be in the log."""
        self._were_gone = False
        self._refused: dict[str, LogProblem] = {}

    def __call__(self, further: Mapping[str, bytes] = NOTHING, /) -> LogVerdict:
        """Judges the log as it is now, with further entries that are not in it yet."""
        with without_collection():
            return self._verify(further)

    @property
    def candidates(self) -> Mapping[str, Candidate]:
        """Entries valid by themselves as of the last verdict, whether the chain accepts them or not."""
        return self._chain.candidates

    def _verify(self, further: Mapping[str, bytes]) -> LogVerdict:
        """Judges tried entries on the listing from just before: the caller holds the lock."""
        listing = self._settled if further and self._settled is not None else self._blobs.read_listing()
        problems = [build_unsuitable_problem(one) for one in listing.unsuitable]
        present = listing.present
        gone: set[str] = set()
        new: dict[str, Candidate] = {}
        if listing is not self._settled:
            unread, new = self._load(listing, present)
            gone = self._valid.keys() - present
            problems += unread
            self._settled = listing if not unread and not gone else None
        tried, refused = check_entries({one: content for one, content in further.items() if one not in self._valid})
        if gone or self._were_gone or not self._tried <= present:
            kept = {one: found for one, found in self._valid.items() if one not in gone}
            verdict = self._chain.judge({**kept, **tried}, self._know())
        else:
            verdict = self._chain.grow({**new, **tried}, self._know())
        self._tried, self._were_gone = tried.keys(), bool(gone)
        problems += [problem for one, problem in self._refused.items() if one in present]
        return verdict.model_copy(update={"problems": (*verdict.problems, *problems, *refused)})

    def _load(self, listing: LogListing, present: frozenset[str]) -> tuple[list[LogProblem], dict[str, Candidate]]:
        """Checks and remembers what is new; returns what could not be read, and what is valid."""
        new = present.difference(self._valid, self._refused)
        stamps = self._blobs.read_stamps(listing, new) if self._facts is not None else {}
        known = self._remember(new)
        same = {one for one, (stamp, _) in known.items() if stamps.get(one) == stamp}
        read = self._blobs.read_contents(listing, new - same)
        remembered = {one: found for one, (_, found) in known.items() if one in same or one in read.contents}
        fresh, refused = check_entries({one: read.contents[one] for one in read.contents.keys() - remembered.keys()})
        self._valid |= remembered | fresh
        self._refused |= {str(problem.entry): problem for problem in refused}
        if self._facts is not None:
            hashed = {one: found for one, found in (remembered | fresh).items() if one not in same}
            if read.unsuitable:  # a false copy beside a true one is reported every time
                stamps = {}
            self._facts.record({one: f"{stamps.get(one, '-')} {pack(found)}" for one, found in hashed.items()})
        return [build_unsuitable_problem(one) for one in read.unsuitable], {**remembered, **fresh}

    def _remember(self, new: Collection[str]) -> dict[str, tuple[str, Candidate]]:
        """Returns what earlier verifications found out about these, and the stamp that each had then."""
        lines = self._facts.load() if self._facts is not None and new else {}
        known: dict[str, tuple[str, Candidate]] = {}
        for one in new:
            stamp, _, line = lines.get(one, "").partition(" ")
            if line and (found := unpack(one, line)) is not None:
                known[one] = (stamp, found)
        return known


def check_entries(contents: Mapping[str, bytes]) -> tuple[dict[str, Candidate], list[LogProblem]]:
    """Returns entries valid by themselves (bytes, schema, signatures), and what is wrong with the others."""
    candidates: dict[str, Candidate] = {}
    problems: list[LogProblem] = []
    for identifier, content in sorted(contents.items()):
        try:
            candidates[identifier] = check_entry(content)
        except LogEntryError as wrong:
            problems.append(
                LogProblem(level=LogProblemLevel.REFUSED, code=wrong.code, entry=identifier, text=wrong.message)
            )
    return candidates, problems


def check_entry(content: bytes) -> Candidate:
    """Checks one entry by itself; raises if something is wrong with it."""
    parsed = parse_entry(content)
    verify_signatures(parsed)
    touched = all(signature.user_present for signature in parsed.signatures)
    return Candidate(parsed.entry, hashlib.sha256(parsed.pae).hexdigest(), touched)


def find_drift(verdict: LogVerdict, on_disk: Mapping[str, str | None]) -> tuple[LogProblem, ...]:
    """Finds trust files that differ from the newest policy entry. They are never used, but people may believe them."""
    policy = verdict.policy_text
    if policy is None:
        return ()
    return tuple(
        LogProblem(
            level=LogProblemLevel.NOTE,
            code="trust-drift",
            entry=verdict.policy,
            text=f".handoff-tui/trust/{name} {'is missing' if on_disk.get(name) is None else 'differs'}: "
            "the policy in the log is what counts",
        )
        for name, text in policy.files.items()
        if on_disk.get(name) != text
    )


def build_unsuitable_problem(one: Unsuitable) -> LogProblem:
    return LogProblem(
        level=LogProblemLevel.REFUSED, code="unsuitable-file", entry=one.path, text=f"{one.reason} ({one.where})"
    )


def pack(candidate: Candidate) -> str:
    """Writes what verification found out about an entry as one line of ASCII: payload, touch, entry."""
    entry = candidate.entry.model_dump(mode="json", exclude_none=True)
    return f"{candidate.payload} {'touched' if candidate.touched else '-'} {json.dumps(entry, separators=(',', ':'))}"


def unpack(identifier: str, line: str) -> Candidate | None:
    """Reads the entry of this id; None if the line is about another one or cannot be read."""
    payload, _, rest = line.partition(" ")
    touch, _, written = rest.partition(" ")
    try:
        entry = restore(Entry, json.loads(written))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return Candidate(entry, payload, touch == "touched") if entry.id == identifier else None


PIN_VARIABLE = "HANDOFF_TUI_PIN"
_FETCH_SECONDS = 30.0
FOREIGN = "not-made-here"
"""The code of an entry that carries the user's signature and was not made on this machine."""
_WITNESS_FAULTS = (WitnessDamagedError, StoredFileDamagedError, StoreWriteError)
"""It is not JSON, it is a link or a pipe, or it may not be read."""


def build_pin_key(name: str) -> str:
    """Names the git setting for the pin of a repository in a folder of this name."""
    return f"handoff-tui.{name}.pin"


def read_pin(git: Git, name: str) -> str | None:
    return UserSettings(git).get(build_pin_key(name))


class LogFetcher:
    """Fetches the log from the address that the user set for a repository, every so often; none is set by default."""

    def __init__(self, every_seconds: float = _FETCH_SECONDS) -> None:
        self._every_seconds = every_seconds
        self._last: float | None = None
        self._told = ""

    def fetch(self, repository: Repository) -> str:
        """Returns why the log can't be fetched, once for each reason; an empty text otherwise."""
        address = UserSettings(repository.git).get(build_fetch_key(repository.root.name))
        now = read_monotonic()
        if address is None or (self._last is not None and now - self._last < self._every_seconds):
            return ""
        self._last = now
        try:
            why = fetch_branches(repository.git, address)
        except GitError as refused:
            why = refused.message
        told, self._told = self._told, why
        return f"the log can't be fetched from {address}: {why}" if why and why != told else ""


def build_fetch_key(name: str) -> str:
    """Names the git setting for the address that the log of a repository in a folder of this name is fetched from."""
    return f"handoff-tui.{name}.fetch"


def write_pin(git: Git, name: str, genesis: str) -> None:
    """Sets the pin in the user's global git configuration; raises if another pin is there."""
    present = read_pin(git, name)
    if present not in {None, genesis}:
        raise LogPresentError(
            f"{build_pin_key(name)} is {present} already; it is left alone",
            "Another repository in a folder of the same name may own it.",
        )
    git.write_user_setting(build_pin_key(name), genesis)


@dataclass(frozen=True, slots=True)
class OpenLog:
    """The log of one repository. `verify` judges it; `journal` adds to it."""

    repository: Repository
    memory: LogMemory
    journal: Journal
    blobs: LogBlobs
    _verifier: LogVerifier
    _verify: Verifier
    _lock: LogLock

    def verify(self) -> LogVerdict:
        """Judges the log as of now, and compares the trust files on disk. A damaged witness is fatal."""
        verdict = self._verify(NOTHING)
        drift = find_drift(verdict, read_trust_files(self.repository.root))
        return verdict.model_copy(update={"problems": (*verdict.problems, *drift)})

    def find_candidates(self) -> Mapping[str, Candidate]:
        """Returns every entry valid by itself as of the last verdict, including those that the chain refuses."""
        return self._verifier.candidates

    def remember(self, verdict: LogVerdict) -> None:
        """Records what is valid now, so that it is missed if it disappears; not of a log that nobody vouched for."""
        if verdict.log is not None and verdict.anchored and not verdict.fatal:
            with self._lock.hold():  # so that no writer's record is lost
                self.memory.remember(verdict)

    def forget(self, log: str) -> None:
        """Forgets a log that ended, so that another can begin in this repository."""
        with self._lock.hold():
            self.memory.forget(log)

    def consent(self, verdict: LogVerdict) -> None:
        """Takes this for the right log from now on. A person says so: nothing else can know."""
        with self._lock.hold():
            self.memory.consent(verdict)


def open_log(
    repository: Repository, *, pin: str | None = None, remembered: bool = True, now: Callable[[], datetime] = read_now
) -> OpenLog:
    """Opens the log. With `remembered`, entries that were verified before are only hashed."""
    local = GitPrivateFolder(repository.common_dir)
    memory = LogMemory(local)
    pinned = pin or find_pin(repository)

    def know() -> Known:
        seen = _load_seen(memory)
        return Known(now=build_time(now()), pin=pinned or seen.genesis, witness=seen.entries)

    blobs, lock = LogBlobs(repository), LogLock(local)
    verifier = LogVerifier(blobs, know, _open_facts(repository) if remembered else None)

    def verify(further: Mapping[str, bytes], /) -> LogVerdict:
        verdict = verifier(further)
        try:
            anchor = _find_anchor(verdict, memory, "option" if pin else "" if pinned is None else _name_pin())
            foreign = memory.list_foreign(verdict)
        except _WITNESS_FAULTS as damaged:  # without it a clone cannot notice removed entries, so it must not carry on
            fatal = LogProblem(level=LogProblemLevel.FATAL, code="witness-damaged", text=damaged.message)
            return verdict.model_copy(update={"problems": (*verdict.problems, fatal)})
        notes = tuple(_build_foreign_note(entry) for entry in foreign)
        return verdict.model_copy(update={"anchor": anchor, "problems": (*verdict.problems, *notes)})

    return OpenLog(
        repository=repository,
        memory=memory,
        journal=Journal(blobs.folder, lock, verify, memory, now),
        blobs=blobs,
        _verifier=verifier,
        _verify=verify,
        _lock=lock,
    )


def open_log_at(start: Path, *, remembered: bool = True) -> OpenLog:
    """Opens the log of the repository around a folder."""
    return open_log(open_repository(start), remembered=remembered)


def find_pin(repository: Repository) -> str | None:
    """Returns the pinned first entry: from the environment, or from the user's own git configuration."""
    named = os.environ.get(PIN_VARIABLE)
    return named or read_pin(repository.git, repository.root.name)


def _name_pin() -> str:
    return "environment" if os.environ.get(PIN_VARIABLE) else "configuration"


def _find_anchor(verdict: LogVerdict, memory: LogMemory, pin: str) -> str:
    """Says what vouches for the first entry: a pin, or the user's consent. That a clone has seen it proves nothing."""
    memory.load()
    if pin or verdict.log is None:
        return pin or "none"
    return "user" if memory.knows(verdict.log) else "none"


def _build_foreign_note(entry: Entry) -> LogProblem:
    work = entry.work
    about = "a policy" if work is None else f"{work.handoff}, {work.phase}"
    what = entry.decision.verb.value if entry.decision is not None else entry.kind.word
    return LogProblem(
        level=LogProblemLevel.NOTE,
        code=FOREIGN,
        entry=entry.id,
        text=f"signed with your key, but not made on this machine: {what} on {about}, {entry.time}. If that was you on "
        "another machine, handoff-tui log pin says so; if not, somebody uses your key",
    )


def find_policy(verdict: LogVerdict) -> Policy | None:
    """Returns the policy in force; None if there is no log."""
    text = verdict.policy_text
    return None if text is None else parse_policy(text)


def _load_seen(memory: LogMemory) -> SeenEntries:
    try:
        return memory.load()
    except _WITNESS_FAULTS:  # `verify` reports it as a fatal problem
        return SeenEntries()


def _open_facts(repository: Repository) -> VerifiedCache:
    """Keeps it in the user's cache: looking must not write to the repository."""
    folder = find_cache_folder(repository.common_dir)
    return VerifiedCache(GitPrivateFolder(folder, make_outer=True), load_cache_secret())
