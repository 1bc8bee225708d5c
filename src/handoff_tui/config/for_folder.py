"""The settings in force for a folder, whether or not it is a repository."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.config.load import LoadedSettings, load_settings
from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.repository import open_repository


def read_settings(start: Path, *, required: bool) -> LoadedSettings:
    """Outside a repository only the user's own file counts, unless a repository was asked for by name."""
    try:
        root = open_repository(start).root
    except RepositoryError:
        if required:
            raise
        root = None
    return load_settings(root)
