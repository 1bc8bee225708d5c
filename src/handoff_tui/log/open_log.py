"""Opens the signed log of a repository: verified on request, written only through its journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from handoff_tui.core.errors import LogPresentError, StoredFileDamagedError, StoreWriteError, WitnessDamagedError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.signing_key import UserSettings
from handoff_tui.log.chain import Candidate, Known
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import LogProblem, LogVerdict, ProblemLevel
from handoff_tui.log.journal import Journal, Verifier
from handoff_tui.log.policy.policy import Policy, parse_policy
from handoff_tui.log.storage.blobs import LogBlobs
from handoff_tui.log.storage.lock import LogLock
from handoff_tui.log.storage.trust_files import read_trust_files
from handoff_tui.log.storage.verified_cache import VerifiedCache
from handoff_tui.log.storage.witness import Seen, Witness
from handoff_tui.log.verify import NOTHING, LogVerifier, find_drift
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.git_private_files import GitPrivateFolder, load_cache_secret

PIN_VARIABLE = "HANDOFF_TUI_PIN"
_WITNESS_FAULTS = (WitnessDamagedError, StoredFileDamagedError, StoreWriteError)
"""It is not JSON, it is a link or a pipe, or it may not be read."""


def build_pin_key(name: str) -> str:
    """Names the git setting for the pin of a repository in a folder of this name."""
    return f"handoff-tui.{name}.pin"


def read_pin(git: Git, name: str) -> str | None:
    return UserSettings(git).get(build_pin_key(name))


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
    witness: Witness
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
        """Records what is valid now, so that it is missed if it disappears."""
        if verdict.log is not None and not verdict.fatal:
            with self._lock.hold():  # so that no writer's record is lost
                self.witness.record(verdict.log, verdict.heads)


def open_log(
    repository: Repository,
    *,
    pin: str | None = None,
    remembered: bool = True,
    now: Callable[[], datetime] = read_now,
) -> OpenLog:
    """Opens the log. With `remembered`, entries that were verified before are only hashed."""
    local = GitPrivateFolder(repository.common_dir)
    witness = Witness(local)
    pinned = pin or find_pin(repository)

    def know() -> Known:
        seen = _load_seen(witness)
        return Known(now=build_time(now()), pin=pinned or seen.genesis, witness=seen.entries)

    blobs, lock = LogBlobs(repository), LogLock(local)
    verifier = LogVerifier(blobs, know, _open_facts(repository) if remembered else None)

    def verify(further: Mapping[str, bytes], /) -> LogVerdict:
        return _add_damage(verifier(further), witness)

    return OpenLog(
        repository=repository,
        witness=witness,
        journal=Journal(blobs.folder, lock, verify, witness, now),
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


def find_anchor(log: OpenLog, pin: str | None = None) -> str:
    """Says what pins the first entry: option, environment, configuration, witness, or none."""
    if pin is not None:
        return "option"
    if find_pin(log.repository) is not None:
        return "environment" if os.environ.get(PIN_VARIABLE) else "configuration"
    return "none" if _load_seen(log.witness).genesis is None else "witness"


def find_policy(verdict: LogVerdict) -> Policy | None:
    """Returns the policy in force; None if there is no log."""
    text = verdict.policy_text
    return None if text is None else parse_policy(text)


def _load_seen(witness: Witness) -> Seen:
    try:
        return witness.load()
    except _WITNESS_FAULTS:  # `verify` reports it as a fatal problem
        return Seen()


def _add_damage(verdict: LogVerdict, witness: Witness) -> LogVerdict:
    """Without its witness a clone cannot notice removed entries, so it must not carry on as if it had none."""
    try:
        witness.load()
    except _WITNESS_FAULTS as damaged:
        fatal = LogProblem(level=ProblemLevel.FATAL, code="witness-damaged", text=damaged.message)
        return verdict.model_copy(update={"problems": (*verdict.problems, fatal)})
    return verdict


def _open_facts(repository: Repository) -> VerifiedCache:
    """Keeps it in the user's cache: looking must not write to the repository."""
    folder = find_cache_folder(repository.common_dir)
    return VerifiedCache(GitPrivateFolder(folder, make_outer=True), load_cache_secret())
