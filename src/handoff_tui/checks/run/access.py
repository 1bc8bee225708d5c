"""What a command may reach beyond the reviewed files: asked for by name in the settings, granted by a person.

The person's own file grants what it names. A repository's file only asks; `check --trust DIGEST --grant NAME` grants.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from handoff_tui.checks.run.commands import CommandCheck, list_commands
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.sealed_files import load_json, write_json

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
    stored = load_json(_find_file(session))
    return frozenset(name for name in stored if isinstance(name, str)) if isinstance(stored, list) else frozenset()


def _find_file(session: Session) -> Path:
    return find_choices_folder(session.repository.root) / _FILE
