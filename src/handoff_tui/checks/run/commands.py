"""Command checks: which there are, what their outcome depends on, what they may reach, and consent to the repository's.

A command from a repository runs only after a person has consented to exactly that command. The person's own file grants
what it names beyond the reviewed files; a repository's file only asks, and `check --trust DIGEST --grant NAME` grants.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from collections.abc import Collection
from pathlib import Path

from handoff_tui.checks.report import ConsentState, RequestedCommand, RequestedCommands
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.settings.checks import Check
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment, Severity
from handoff_tui.handoffs.claims.evidence import hash_file
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.cache_files import find_choices_folder, find_state_folder
from handoff_tui.system.files.own_folder import is_own
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.files.sealed_files import load_json, load_words, write_json

SESSION_GATE = "session-gate-passes"
_CONSENT_FILE = "trusted.json"
_PRIVATE = frozenset({"HOME", "TMPDIR"})
"""Variables whose values are the command's own."""
WORD_ENDS = compile_later(r"[\s;&|()<>='\"`$]+")


class CommandCheck(NamedTuple):
    """A check that runs a command. One `from_repository` needs somebody's consent."""

    id: str
    argv: tuple[str, ...]
    check: Check
    severity: Severity
    blocking: bool
    from_repository: bool

    @property
    def shown(self) -> str:
        return " ".join(self.argv)


def list_commands(
    session: Session, moment: CheckMoment | None, phase: str | None, reader: FileReader | None = None
) -> list[CommandCheck]:
    """The commands for a moment and a phase, with the session gate.

    `reader` reads the files if they are not those of the work tree.
    """
    settings = session.loaded.settings
    found = [
        _build_command(session, name, check) for name, check in settings.checks.items() if check.run and check.enabled
    ]
    gate = _find_session_gate(session, reader or FileReader(session.repository.root, 0))
    if gate is not None:
        found.append(gate)
    return [command for command in found if _is_wanted(command.check, moment, phase)]


def _build_command(session: Session, name: str, check: Check) -> CommandCheck:
    severity = check.severity or Severity.HIGH
    heavy = session.loaded.settings.check_run.blocking_severities
    argv = ("/bin/sh", "-c", check.run[0]) if check.shell else check.run
    blocking = check.blocking if check.blocking is not None else severity in heavy
    origin = session.loaded.origins.get(f"checks.{name}.run", "")
    return CommandCheck(name, argv, check, severity, blocking, origin.startswith(REPOSITORY_FILE))


def _find_session_gate(session: Session, reader: FileReader) -> CommandCheck | None:
    """The repository's gate script, if it has one; `checks.session-gate-passes` can change its settings."""
    settings = session.loaded.settings
    own = settings.checks.get(SESSION_GATE, Check())
    script = settings.mosaic.session_gate_script
    if own.run or not own.enabled or not reader.exists(script):
        return None
    check = own.model_copy(
        update={
            "run": ("bash", script),
            "timeout_seconds": settings.mosaic.session_gate_timeout_seconds,
            "moments": tuple(moment for moment in own.moments if moment is CheckMoment.POST),
            "inputs": own.inputs or (script, f"{settings.mosaic.folder}/*"),
            "remedy": own.remedy or f"Run `bash {script}` and fix what it reports.",
        }
    )
    severity = own.severity or Severity.HIGH
    blocking = own.blocking if own.blocking is not None else True
    return CommandCheck(SESSION_GATE, check.run, check, severity, blocking, from_repository=True)


def _is_wanted(check: Check, moment: CheckMoment | None, phase: str | None) -> bool:
    in_moment = moment is None or moment in check.moments
    return in_moment and (phase is None or not check.phases or phase in check.phases)


def build_environment(check: Check) -> dict[str, str]:
    """The variables that the check names, and no others of this session."""
    return {name: os.environ[name] for name in check.environment if name in os.environ}


def digest_command(session: Session, command: CommandCheck) -> str:
    """A digest over the command, its environment and the content of its inputs."""
    tree = session.work_tree
    dirty = {*tree.facts.changed, *tree.facts.untracked, *tree.overlooked}
    everything = sorted(path for path in {*tree.tracked, *tree.facts.untracked} if not is_own(path))
    patterns = command.check.inputs
    chosen = [path for path in everything if not patterns or any(fnmatch.fnmatch(path, glob) for glob in patterns)]
    reader = FileReader(session.repository.root, session.loaded.settings.limits.hash_bytes)
    contents = [(path, hash_file(reader, path) if path in dirty else tree.tracked[path]) for path in chosen]
    given = sorted(item for item in build_environment(command.check).items() if item[0] not in _PRIVATE)
    text = json.dumps([command.id, command.argv, given, command.check.access, contents])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def list_requested_commands(session: Session) -> RequestedCommands | None:
    """Everything the repository asks to run, with the digest over exactly that; None if it asks for nothing."""
    requested = [command for command in list_commands(session, None, None) if command.from_repository]
    functions = sorted(
        f"{name}={check.python}"
        for name, check in session.loaded.settings.checks.items()
        if check.python and session.loaded.origins.get(f"checks.{name}.python", "").startswith(REPOSITORY_FILE)
    )
    if not requested and not functions:
        return None
    reader = FileReader(session.repository.root, session.loaded.settings.limits.hash_bytes)
    commands = tuple(
        RequestedCommand(command.id, command.argv, tuple(hash_scripts(reader, command.argv)), command.check.access)
        for command in requested
    )
    asked = [command if command.access else command[:3] for command in commands]
    text = json.dumps([asked, functions], default=str)
    digest = f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    return RequestedCommands(digest, commands, tuple(functions))


def read_consent(session: Session) -> ConsentState | None:
    """Whether the repository's commands may run; None if it asks for none."""
    requested = list_requested_commands(session)
    if requested is None:
        return None
    return ConsentState(digest=requested.digest, trusted=has_consent(session, requested.digest))


def has_consent(session: Session, digest: str) -> bool:
    """Whether somebody has consented to this digest for this repository."""
    return digest in _load_consents().get(str(session.repository.root.resolve()), [])


def give_consent(session: Session, digest: str) -> None:
    """Saves the consent of the person who named the digest; refuses any other digest."""
    requested = list_requested_commands(session)
    if requested is None:
        raise UsageError("this repository asks to run no commands, so there is nothing to consent to")
    if digest != requested.digest:
        raise UsageError(
            f"the digest of this repository's commands is {requested.digest}",
            "Read them with `handoff-tui check --list`, and name that digest if you consent.",
        )
    save_consent(session, digest)


def save_consent(session: Session, digest: str) -> None:
    known = _load_consents()
    root = str(session.repository.root.resolve())
    known[root] = sorted({*known.get(root, []), digest})
    if not write_json(_find_consent_file(), known):
        raise UsageError(f"{_find_consent_file()} cannot be written", "Make its folder writable and try again.")


def hash_scripts(reader: FileReader, argv: tuple[str, ...]) -> list[tuple[str, str]]:
    """Words of a command that are files of the repository, with the hash of each; a shell line is split."""
    words = [part for word in argv for part in (word, *WORD_ENDS.split(word))]
    named = dict.fromkeys(word.removeprefix("./") for word in words if word)
    return [(word, digest) for word in named if (digest := hash_file(reader, word)) is not None]


def _find_consent_file() -> Path:
    return find_state_folder() / _CONSENT_FILE


def _load_consents() -> dict[str, list[str]]:
    value = load_json(_find_consent_file())
    if not isinstance(value, dict):
        return {}
    return {
        str(root): [str(digest) for digest in digests] for root, digests in value.items() if isinstance(digests, list)
    }


HOME, NETWORK, DOCKER, DATABASE = "home", "network", "docker", "database"
_WRITE = ":write"
_FILE = "granted-access.json"
_SOCKETS = {
    DOCKER: ("/run/docker.sock", "/run/podman"),
    DATABASE: ("/run/postgresql", "/run/mysqld", "/run/redis"),
}


class GrantedPath(NamedTuple):
    """A path that a command is given besides the reviewed files."""

    path: str
    """Below the repository, below the home folder (`~/`), or from the root."""
    writable: bool

    @property
    def in_repository(self) -> bool:
        return not self.path.startswith(("~/", "/"))


class Access(NamedTuple):
    """What a command asks for, and what of it a person granted."""

    granted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def home(self) -> bool:
        return HOME in self.granted

    @property
    def network(self) -> bool:
        return NETWORK in self.granted or DATABASE in self.granted

    @property
    def sockets(self) -> tuple[Path, ...]:
        return tuple(Path(place) for name in self.granted for place in _SOCKETS.get(name, ()))

    @property
    def paths(self) -> tuple[GrantedPath, ...]:
        named = (name for name in self.granted if "/" in name)
        return tuple(GrantedPath(name.removesuffix(_WRITE).rstrip("/"), name.endswith(_WRITE)) for name in named)


def find_access(session: Session, command: CommandCheck) -> Access:
    """What a command asks for, sorted by whether it is granted."""
    asked = command.check.access
    if not session.loaded.origins.get(f"checks.{command.id}.access", "").startswith(REPOSITORY_FILE):
        return Access(asked)
    grants = load_grants(session)
    return Access(tuple(name for name in asked if name in grants), tuple(name for name in asked if name not in grants))


def grant_access(session: Session, names: Collection[str]) -> None:
    """Remembers what the person grants this repository's commands; refuses a name that none of them asks for."""
    asked = {name for command in list_commands(session, None, None) for name in command.check.access}
    for name in names:
        if name not in asked:
            known = ", ".join(sorted(asked)) or "nothing"
            raise UsageError(
                f"no command of this repository asks for {name!r}; they ask for {known}",
                f"[checks.NAME] access in {REPOSITORY_FILE} asks; in your own file it asks and grants.",
            )
    if names and not write_json(_find_file(session), sorted({*load_grants(session), *names})):
        raise UsageError(f"{_find_file(session)} cannot be written", "Make its folder writable and try again.")


def load_grants(session: Session) -> frozenset[str]:
    return load_words(_find_file(session))


def _find_file(session: Session) -> Path:
    return find_choices_folder(session.repository.root) / _FILE
