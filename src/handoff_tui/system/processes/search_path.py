"""The search path for programs, without relative folders."""

from __future__ import annotations

import os
from pathlib import Path


def build_search_path() -> str:
    """PATH without relative folders: with `.` on it, a repository could offer its own git."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
