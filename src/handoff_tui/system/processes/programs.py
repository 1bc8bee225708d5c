"""Programs of the user's, found by name."""

from __future__ import annotations

import shutil
from pathlib import Path

from handoff_tui.core.errors import SshKeygenMissingError
from handoff_tui.system.processes.search_path import build_search_path

_PROGRAM = "ssh-keygen"


def find_program(name: str = _PROGRAM, hint: str = "Install OpenSSH 8.2 or newer (openssh-client).") -> str:
    """The absolute path of a program of the user's; a relative folder on PATH offers nothing."""
    found = shutil.which(expand_home(name), path=build_search_path())
    if found is None or not Path(found).is_absolute():
        raise SshKeygenMissingError(f"{name} is not installed", hint)
    return found


def expand_home(path: str) -> Path:
    """A path with its `~` replaced; as it is for a user without a home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
