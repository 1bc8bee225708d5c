"""Finds the user's programs by name, never in a relative folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from handoff_tui.core.errors import SshKeygenMissingError

_PROGRAM = "ssh-keygen"


def build_search_path() -> str:
    """Returns PATH without relative folders: with `.` on it, a repository could supply its own git."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())


def find_executable(name: str | Path, search_path: str | None = None) -> str | None:
    """Returns the path of a program, like `shutil.which`, which takes long to import; a path stands for itself."""
    folders = (search_path or build_search_path()).split(os.pathsep)
    places = [os.fspath(name)] if os.sep in os.fspath(name) else [f"{folder}/{name}" for folder in folders if folder]
    return next((place for place in places if os.access(place, os.X_OK) and not Path(place).is_dir()), None)


def find_program(name: str = _PROGRAM, hint: str = "Install OpenSSH 8.2 or newer (openssh-client).") -> str:
    """Returns the absolute path of a program on the user's PATH."""
    found = find_executable(expand_home(name))
    if found is None or not Path(found).is_absolute():
        raise SshKeygenMissingError(f"{name} is not installed", hint)
    return found


def find_writable_part(program: str) -> Path | None:
    """Returns what lets this user replace a program: its file, a link, or a folder above; None if nothing does.

    For root nothing is out of reach, so only what lies at home, or is open to everybody, is named.
    """
    user, home = os.geteuid(), expand_home("~")
    for place in dict.fromkeys((Path(program), Path(program).resolve())):
        if place.is_relative_to(home) and home != Path(home.anchor):
            return place
        below: os.stat_result | None = None
        for part in (place, *place.parents):
            try:
                status = part.lstat()
            except OSError:
                break
            if _may_replace(part, status, below, user):
                return part
            below = status
    return None


def _may_replace(part: Path, status: os.stat_result, below: os.stat_result | None, user: int) -> bool:
    """Tells whether a user can change a file, or replace what is below a folder; in a sticky one only their own."""
    if stat.S_ISLNK(status.st_mode):  # the folder decides
        return False
    if user == 0:
        is_open = bool(status.st_mode & stat.S_IWOTH)
    elif status.st_uid == user:
        return True
    else:
        is_open = os.access(part, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    if below is None or not status.st_mode & stat.S_ISVTX:
        return is_open
    is_guarded = below.st_uid == 0 if user == 0 else below.st_uid != user
    return is_open and not is_guarded


def expand_home(path: str) -> Path:
    """Expands `~` in a path; unchanged for a user without a home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
