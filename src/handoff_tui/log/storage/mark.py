"""Something cheap that changes whenever the signed log in the work tree does."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from handoff_tui.system.files.own_folder import OWN_FOLDER


def read_log_mark(root: Path) -> str:
    """Of the names and times of the log's folders, without opening a file."""
    place = root / OWN_FOLDER / "log"
    try:
        with os.scandir(place) as entries:
            stamps = sorted((entry.name, entry.stat(follow_symlinks=False).st_mtime_ns) for entry in entries)
    except OSError:
        return ""
    return hashlib.sha256(repr(stamps).encode("utf-8", "surrogateescape")).hexdigest()
