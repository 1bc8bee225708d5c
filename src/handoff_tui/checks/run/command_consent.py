"""Commands that come from a repository run only after a person trusted just these commands once."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from handoff_tui.checks.report import ConsentState, RequestedCommand, RequestedCommands
from handoff_tui.checks.run.commands import list_commands
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claims.evidence import hash_file
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.cache_files import find_state_folder, load_json, write_json
from handoff_tui.system.files.reader import FileReader

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
