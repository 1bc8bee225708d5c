"""Command checks: which there are, what they would run, and what their outcome depends on."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from typing import NamedTuple

from handoff_tui.checks.contract import Moment
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.settings.checks import Check, OutputForm
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claims.evidence import hash_file
from handoff_tui.handoffs.session import Desk
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
