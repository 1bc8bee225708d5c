"""Command checks: which there are, what they would run, and what their outcome depends on."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from handoff_tui.checks.report import ConsentState, RequestedCommand, RequestedCommands
from handoff_tui.checks.rule import Moment
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.settings.checks import Check, OutputForm
from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claims.evidence import hash_file
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.cache_files import find_state_folder, load_json, write_json
from handoff_tui.system.files.own_folder import is_own
from handoff_tui.system.files.reader import FileReader

SESSION_GATE = "session-gate-passes"


class CommandCheck(NamedTuple):
    """A check that runs a command. `from_repository`: someone must have trusted it once."""

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
    desk: Desk, moment: Moment | None, phase: str | None, reader: FileReader | None = None
) -> list[CommandCheck]:
    """The commands that belong to a moment and a phase, the session gate among them.

    `reader` is whoever reads the files where they are not those of the work tree.
    """
    settings = desk.loaded.settings
    found = [
        _build_command(desk, name, check) for name, check in settings.checks.items() if check.run and check.enabled
    ]
    gate = _find_session_gate(desk, reader or FileReader(desk.repository.root, 0))
    if gate is not None:
        found.append(gate)
    return [command for command in found if _is_wanted(command.check, moment, phase)]


def _build_command(desk: Desk, name: str, check: Check) -> CommandCheck:
    severity = check.severity or Severity.HIGH
    heavy = desk.loaded.settings.check_run.blocking_severities
    argv = ("/bin/sh", "-c", check.run[0]) if check.shell else check.run
    blocking = check.blocking if check.blocking is not None else severity in heavy
    origin = desk.loaded.origins.get(f"checks.{name}.run", "")
    return CommandCheck(name, argv, check, severity, blocking, origin.startswith(REPOSITORY_FILE))


def _find_session_gate(desk: Desk, reader: FileReader) -> CommandCheck | None:
    """The repository's own gate script, when it has one; its settings may be changed under its id."""
    settings = desk.loaded.settings
    own = settings.checks.get(SESSION_GATE, Check())
    script = settings.mosaic.session_gate_script
    if own.run or not own.enabled or not reader.exists(script):
        return None
    check = own.model_copy(
        update={
            "run": ("bash", script),
            "timeout_seconds": settings.mosaic.session_gate_timeout_seconds,
            "moments": tuple(moment for moment in own.moments if moment.value == Moment.POST),
            "inputs": own.inputs or (script, f"{settings.mosaic.folder}/*"),
            "remedy": own.remedy or f"Run `bash {script}` and mend what it names.",
        }
    )
    severity = own.severity or Severity.HIGH
    blocking = own.blocking if own.blocking is not None else True
    return CommandCheck(SESSION_GATE, check.run, check, severity, blocking, from_repository=True)


def _is_wanted(check: Check, moment: Moment | None, phase: str | None) -> bool:
    in_moment = moment is None or moment.value in {known.value for known in check.moments}
    return in_moment and (phase is None or not check.phases or phase in check.phases)


def build_environment(check: Check) -> dict[str, str]:
    """Only the variables the check names; everything else of this session is held back."""
    return {name: os.environ[name] for name in check.environment if name in os.environ}


def digest_command(desk: Desk, command: CommandCheck) -> str:
    """Over the command, its environment and the content of its inputs: equal digest, equal question."""
    tree = desk.work_tree
    dirty = {*tree.facts.changed, *tree.facts.untracked}
    everything = sorted(path for path in {*tree.tracked, *tree.facts.untracked} if not is_own(path))
    patterns = command.check.inputs
    chosen = [path for path in everything if not patterns or any(fnmatch.fnmatch(path, glob) for glob in patterns)]
    reader = FileReader(desk.repository.root, desk.loaded.settings.limits.hash_bytes)
    contents = [(path, hash_file(reader, path) if path in dirty else tree.tracked[path]) for path in chosen]
    text = json.dumps([command.id, command.argv, sorted(build_environment(command.check).items()), contents])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_junit(check: Check) -> bool:
    return check.parse is OutputForm.JUNIT


def is_tap(check: Check) -> bool:
    return check.parse is OutputForm.TAP


_FILE = "trusted.json"
_SPLIT = compile_later(r"[\s;&|()<>='\"`$]+")


def digest_commands(desk: Desk) -> str | None:
    """Over all that the repository would have us run, scripts by their content; nothing when it asks for nothing."""
    plan = list_requested_commands(desk)
    return None if plan is None else plan.digest


def list_requested_commands(desk: Desk) -> RequestedCommands | None:
    """All that the repository would have us run; what is shown of it is what the digest is over."""
    asked = [command for command in list_commands(desk, None, None) if command.from_repository]
    functions = sorted(
        f"{name}={check.python}"
        for name, check in desk.loaded.settings.checks.items()
        if check.python and desk.loaded.origins.get(f"checks.{name}.python", "").startswith(REPOSITORY_FILE)
    )
    if not asked and not functions:
        return None
    reader = FileReader(desk.repository.root, desk.loaded.settings.limits.hash_bytes)
    commands = tuple(RequestedCommand(one.id, one.argv, tuple(hash_scripts(reader, one.argv))) for one in asked)
    text = json.dumps([commands, functions], default=str)
    digest = f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    return RequestedCommands(digest, commands, tuple(functions))


def read_consent(desk: Desk) -> ConsentState | None:
    """Whether the repository's commands may run; nothing when it asks for none."""
    digest = digest_commands(desk)
    if digest is None:
        return None
    return ConsentState(digest=digest, trusted=has_consent(desk, digest))


def has_consent(desk: Desk, digest: str) -> bool:
    """Whether somebody has spelled this digest out for this repository."""
    return digest in _load().get(str(desk.repository.root.resolve()), [])


def give_consent(desk: Desk, digest: str) -> None:
    """Remembers the consent of the person who spelled the digest out; any other digest is refused."""
    wanted = digest_commands(desk)
    if wanted is None:
        raise UsageError("this repository asks for no commands; there is nothing to trust")
    if digest != wanted:
        raise UsageError(
            f"the commands of this repository have another digest: {wanted}",
            "Look at them with `handoff-tui check --list` and name that digest if you trust them.",
        )
    save_consent(desk, digest)


def save_consent(desk: Desk, digest: str) -> None:
    """Keeps a consent that was given."""
    known = _load()
    root = str(desk.repository.root.resolve())
    known[root] = sorted({*known.get(root, []), digest})
    if not write_json(_find_file(), known):
        raise UsageError(f"{_find_file()} cannot be written", "Make its folder writable and try again.")


def hash_scripts(reader: FileReader, argv: tuple[str, ...]) -> list[tuple[str, str]]:
    """Words of a command that are files of the repository, with their content; a line for the shell is split."""
    words = [part for word in argv for part in (word, *_SPLIT.split(word))]
    named = dict.fromkeys(word.removeprefix("./") for word in words if word)
    return [(word, found) for word in named if (found := hash_file(reader, word)) is not None]


def _find_file() -> Path:
    return find_state_folder() / _FILE


def _load() -> dict[str, list[str]]:
    value = load_json(_find_file())
    if not isinstance(value, dict):
        return {}
    return {str(root): [str(digest) for digest in found] for root, found in value.items() if isinstance(found, list)}
