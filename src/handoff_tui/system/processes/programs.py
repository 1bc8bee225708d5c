"""Finds the user's programs by name, never in a relative folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from handoff_tui.core.errors import SshKeygenMissingError

_PROGRAM = "ssh-keygen"


def build_search_path() -> str:
    """Returns PATH without relative folders: with `.` on it, a repository could supply its own git."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())


def find_program(name: str = _PROGRAM, hint: str = "Install OpenSSH 8.2 or newer (openssh-client).") -> str:
    """Returns the absolute path of a program on the user's PATH."""
    found = shutil.which(expand_home(name), path=build_search_path())
    if found is None or not Path(found).is_absolute():
        raise SshKeygenMissingError(f"{name} is not installed", hint)
    return found


def expand_home(path: str) -> Path:
    """Expands `~` in a path; unchanged for a user without a home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
