"""A branch never sets its own guards: a handoff is checked with the settings from before it.

What it changes in `handoff-tui.toml` takes effect for the handoffs that start after it, or as soon as a person accepts
the file on this machine.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from handoff_tui.checks.facts.configuration_changes import compare_configuration, list_weaker
from handoff_tui.checks.run.choose import find_usual_severity
from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE, LoadedSettings, build_settings, load_settings_with
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import ConfigError, StoreWriteError
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.scope.find import sets_the_same
from handoff_tui.handoffs.session import Session, has_log
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.named_files import read_optional
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.files.sealed_files import load_words, write_json

_FILE = "accepted-settings.json"
_SCOPES = "scopes"


class Guards(NamedTuple):
    """The session a handoff is checked in, and what differs from the settings as they are now."""

    session: Session
    held_back: bool = False
    """Whether the repository's file changed since, and does not count yet."""


def guard_all(session: Session, handoffs: tuple[Handoff, ...]) -> Session:
    """For checks of the whole repository: settings count if they are older than the start line, or approved."""
    if not has_log(session):
        return session
    from handoff_tui.log.gates.all_gates import LogGates  # noqa: PLC0415 - most repositories have no log yet

    gates = LogGates(session, handoffs)
    start = gates.policy.start_line if gates.policy is not None else ""
    guards = guard(session, start or None)
    return guards.session if guards.held_back and not gates.is_covered(REPOSITORY_FILE) else session


def guard(session: Session, start: str | None) -> Guards:
    """Puts the settings of the commit before a handoff in force; before the first commit there were none.

    Without a signed log there is no gate to guard, and the settings are those of the file.
    """
    if not has_log(session):
        return Guards(session)
    now = read_optional(FileReader(session.repository.root, MAX_BYTES), REPOSITORY_FILE)
    before = _read_at(session, start)
    is_accepted = now is not None and _hash(now) in _load_accepted(session)
    if now == before or is_accepted or sets_the_same(before or b"", now or b""):
        return Guards(session)
    try:
        loaded = load_settings_with(before)
    except ConfigError:  # it was unusable then, so it guarded nothing
        loaded = load_settings_with(None)
    return Guards(session._replace(loaded=_keep_scopes(loaded, session.loaded)), held_back=True)


def guard_portably(session: Session, start: str | None) -> Session:
    """The same without the person's own file and what they accepted on this machine."""
    try:
        loaded = build_settings(None, _read_at(session, start))
    except ConfigError:
        loaded = build_settings(None, None)
    return session._replace(loaded=_keep_scopes(loaded, session.loaded))


def accept_settings(session: Session) -> None:
    """Remembers that a person takes the repository's settings as they are now."""
    now = read_optional(FileReader(session.repository.root, MAX_BYTES), REPOSITORY_FILE)
    place = _find_file(session)
    if now is not None and not write_json(place, sorted({*_load_accepted(session), _hash(now)})):
        raise StoreWriteError(f"{place} can't be written", "Make its folder writable and try again.")


def list_weakened(loaded: LoadedSettings) -> tuple[str, ...]:
    """What the person's own file makes weaker than the program and the repository say."""
    without, now = _write_out(loaded.without_user), _write_out(loaded.settings)
    if without == now:
        return ()
    added = loaded.settings.pipelines.keys() - loaded.without_user.pipelines.keys()  # no gate was there before
    now["pipelines"] = {name: one for name, one in now["pipelines"].items() if name not in added}
    changes = compare_configuration(without, now, lambda name: _find_severity(loaded, name))
    return tuple(f"{change.name}: {why}" for change, why in list_weaker(changes))


def _write_out(settings: Settings) -> dict[str, Any]:
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


def _read_at(session: Session, commit: str | None) -> bytes | None:
    if commit is None:
        return None
    name = f"{commit}:{REPOSITORY_FILE}"
    return read_blobs(session.repository.git, [name], MAX_BYTES)[name]


def _load_accepted(session: Session) -> frozenset[str]:
    return load_words(_find_file(session))


def _find_file(session: Session) -> Path:
    return find_choices_folder(session.repository.root) / _FILE


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
