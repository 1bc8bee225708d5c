"""A branch never sets its own guards: a handoff is checked with the settings from before it.

What it changes in `handoff-tui.toml` takes effect for the handoffs that start after it, or as soon as a person accepts
the file on this machine.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from handoff_tui.checks.facts.configuration_changes import compare_configuration, list_weaker
from handoff_tui.checks.run.choose import find_usual_severity
from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE, LoadedSettings, load_settings_with
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import ConfigError, StoreWriteError
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk, has_log
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.files.sealed_files import load_json, write_json
from handoff_tui.system.files.user_files import read_optional

_FILE = "accepted-settings.json"
_SCOPES = "scopes"


class Guards(NamedTuple):
    """The desk as a handoff is checked at, and what differs from the settings as they are now."""

    desk: Desk
    held_back: bool = False
    """Whether the repository's file changed since, and does not count yet."""


def guard_all(desk: Desk, handoffs: tuple[Handoff, ...]) -> Desk:
    """For checks of the whole repository: settings count if they are older than the start line, or approved."""
    if not has_log(desk):
        return desk
    from handoff_tui.log.gates.all_gates import LogGates  # noqa: PLC0415 - most repositories have no log yet

    gates = LogGates(desk, handoffs)
    start = gates.policy.start_line if gates.policy is not None else ""
    guards = guard(desk, start or None)
    return guards.desk if guards.held_back and not gates.is_covered(REPOSITORY_FILE) else desk


def guard(desk: Desk, start: str | None) -> Guards:
    """Puts the settings of the commit before a handoff in force; before the first commit there were none.

    Without a signed log there is no gate to guard, and the settings are those of the file.
    """
    if not has_log(desk):
        return Guards(desk)
    now = read_optional(FileReader(desk.repository.root, MAX_BYTES), REPOSITORY_FILE)
    before = _read_at(desk, start)
    if now == before or (now is not None and _hash(now) in _load_accepted(desk)):
        return Guards(desk)
    try:
        loaded = load_settings_with(before)
    except ConfigError:  # it was unusable then, so it guarded nothing
        loaded = load_settings_with(None)
    return Guards(desk._replace(loaded=_keep_scopes(loaded, desk.loaded)), held_back=True)


def accept_settings(desk: Desk) -> None:
    """Remembers that a person takes the repository's settings as they are now."""
    now = read_optional(FileReader(desk.repository.root, MAX_BYTES), REPOSITORY_FILE)
    place = _find_file(desk)
    if now is not None and not write_json(place, sorted({*_load_accepted(desk), _hash(now)})):
        raise StoreWriteError(f"{place} can't be written", "Make its folder writable and try again.")


def list_weakened(loaded: LoadedSettings) -> tuple[str, ...]:
    """What the person's own file makes weaker than the program and the repository say."""
    without, now = _write_out(loaded.without_user), _write_out(loaded.settings)
    if without == now:
        return ()
    changes = compare_configuration(without, now, lambda name: _find_severity(loaded, name))
    return tuple(f"{change.name}: {why}" for change, why in list_weaker(changes))


def _write_out(settings: Settings) -> dict[str, object]:
    """All settings with their values; of a check only those that somebody set."""
    checks = settings.model_dump(mode="json", exclude_defaults=True).get("checks", {})
    return {**settings.model_dump(mode="json"), "checks": checks}


def _find_severity(loaded: LoadedSettings, name: str) -> str | None:
    severity = find_usual_severity(loaded.without_user, name)
    return None if severity is None else severity.value


def _keep_scopes(loaded: LoadedSettings, now: LoadedSettings) -> LoadedSettings:
    """Scopes guard nothing: whatever one takes from a handoff belongs to another, or to nobody, and is shown."""
    settings = loaded.settings.model_copy(update={_SCOPES: now.settings.scopes})
    return LoadedSettings(settings, loaded.usual, loaded.layers)


def _read_at(desk: Desk, commit: str | None) -> bytes | None:
    if commit is None:
        return None
    name = f"{commit}:{REPOSITORY_FILE}"
    return read_blobs(desk.repository.git, [name], MAX_BYTES)[name]


def _load_accepted(desk: Desk) -> frozenset[str]:
    stored = load_json(_find_file(desk))
    return frozenset(one for one in stored if isinstance(one, str)) if isinstance(stored, list) else frozenset()


def _find_file(desk: Desk) -> Path:
    return find_choices_folder(desk.repository.root) / _FILE


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
