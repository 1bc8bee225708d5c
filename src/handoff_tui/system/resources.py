"""Finds the files shipped with the program: beside the package in a wheel, at the top of a checkout otherwise."""

from __future__ import annotations

import tempfile
from pathlib import Path

from handoff_tui.core.errors import HandoffError

_PACKAGE = Path(__file__).resolve().parent.parent


def find_resource(name: str) -> Path:
    """Returns the folder `themes` or `sample_repo`."""
    for candidate in (_PACKAGE / name, _PACKAGE.parent.parent / name):
        if candidate.is_dir():
            return candidate
    raise HandoffError(f"the folder {name} was not installed with handoff-tui", "Install it again with pip.")


def make_temporary_folder(prefix: str) -> Path:
    """Creates an empty folder in the temporary folder; the user may keep or remove it."""
    return Path(tempfile.mkdtemp(prefix=prefix)).resolve()
