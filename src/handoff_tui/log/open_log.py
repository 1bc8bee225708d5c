"""Opens the signed log of a repository: verified on request, written only through its journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from handoff_tui.core.errors import (
    GitError,
    LogPresentError,
    StoredFileDamagedError,
    StoreWriteError,
    WitnessDamagedError,
)
from handoff_tui.core.model import dataclass
from handoff_tui.git.command import Git
from handoff_tui.git.fetch import fetch_branches
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.signing_key import UserSettings
from handoff_tui.log.chain import Candidate, Known
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Entry, LogProblem, LogVerdict, ProblemLevel
from handoff_tui.log.journal import Journal, Verifier
from handoff_tui.log.policy.policy import Policy, parse_policy
from handoff_tui.log.storage.blobs import LogBlobs
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.log.storage.memory import LogMemory
from handoff_tui.log.storage.trust_files import read_trust_files
from handoff_tui.log.storage.verified_cache import VerifiedCache
from handoff_tui.log.storage.witness import Seen
from handoff_tui.log.verify import NOTHING, LogVerifier, find_drift
from handoff_tui.system.clock import read_monotonic, read_now
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.git_private_files import GitPrivateFolder
from handoff_tui.system.files.sealed_files import load_cache_secret

PIN_VARIABLE = "HANDOFF_TUI_PIN"
_FETCH_SECONDS = 30.0
FOREIGN = "not-made-here"
"""The code of an entry that carries the user's signature and was not made at this desk."""
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
            fatal = LogProblem(level=ProblemLevel.FATAL, code="witness-damaged", text=damaged.message)
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
        level=ProblemLevel.NOTE,
        code=FOREIGN,
        entry=entry.id,
        text=f"signed with your key, but not made at this desk: {what} on {about}, {entry.time}. If that was you on "
        "another machine, handoff-tui log pin says so; if not, somebody uses your key",
    )


def find_policy(verdict: LogVerdict) -> Policy | None:
    """Returns the policy in force; None if there is no log."""
    text = verdict.policy_text
    return None if text is None else parse_policy(text)


def _load_seen(memory: LogMemory) -> Seen:
    try:
        return memory.load()
    except _WITNESS_FAULTS:  # `verify` reports it as a fatal problem
        return Seen()


def _open_facts(repository: Repository) -> VerifiedCache:
    """Keeps it in the user's cache: looking must not write to the repository."""
    folder = find_cache_folder(repository.common_dir)
    return VerifiedCache(GitPrivateFolder(folder, make_outer=True), load_cache_secret())
