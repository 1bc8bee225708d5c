"""Our files outside any repository: caches, and what the user consented to. A damaged file counts as absent."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

_PROGRAM = "handoff-tui"
_MAX_BYTES = 64 * 1024 * 1024


def find_cache_folder(root: Path) -> Path:
    """Returns the folder for results about a repository; it may be deleted at any time."""
    return _find_base("XDG_CACHE_HOME", ".cache") / _build_name(root)


def find_state_folder() -> Path:
    """Returns the folder for the user's decisions about this machine."""
    return _find_base("XDG_STATE_HOME", ".local/state")


def find_choices_folder(root: Path) -> Path:
    """Returns the folder for the user's choices about a repository: outside it, where no agent can make them."""
    return find_state_folder() / "repositories" / _build_name(root)


def load_json(place: Path) -> object:
    """Returns the value in one of our files; None if it is missing or damaged."""
    try:
        if place.stat().st_size > _MAX_BYTES:
            return None
        return json.loads(place.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def write_json(place: Path, value: object) -> bool:
    """Replaces one of our files in one step; returns False if it can't, which only costs time."""
    import tempfile  # noqa: PLC0415 - reading is the hot path

    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(dir=place.parent, prefix=".tmp-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(value))
        Path(temporary).replace(place)
    except OSError:
        return False
    return True


def write_log(place: Path, content: bytes) -> str | None:
    """Stores the output of a command and returns its path; None if it can't."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.write_bytes(content)
    except OSError:
        return None
    return str(place)


def drop_oldest(folder: Path, most: int) -> None:
    """Removes the oldest of our files in a folder if there are more than this."""
    try:
        files = [(entry.stat().st_mtime_ns, entry.path) for entry in os.scandir(folder)]
        for _, path in sorted(files)[: max(0, len(files) - most)]:
            Path(path).unlink()
    except OSError:  # another process is cleaning up as well
        return


def _build_name(root: Path) -> str:
    return hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]


def _find_base(variable: str, below_home: str) -> Path:
    configured = os.environ.get(variable, "")
    if configured and Path(configured).is_absolute():
        return Path(configured) / _PROGRAM
    try:
        return Path.home() / below_home / _PROGRAM
    except RuntimeError:
        import tempfile  # noqa: PLC0415 - for a user without a home

        return Path(tempfile.gettempdir()) / f"{_PROGRAM}-{os.getuid()}"
