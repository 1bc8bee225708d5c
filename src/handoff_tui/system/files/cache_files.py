"""Our folders outside any repository: for caches, and for what the user consented to."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PROGRAM = "handoff-tui"


def find_cache_folder(root: Path) -> Path:
    """Returns the folder for results about a repository; it may be deleted at any time."""
    return _find_base("XDG_CACHE_HOME", ".cache") / _build_name(root)


def find_state_folder() -> Path:
    """Returns the folder for the user's decisions about this machine."""
    return _find_base("XDG_STATE_HOME", ".local/state")


def find_choices_folder(root: Path) -> Path:
    """Returns the folder for the user's choices about a repository: outside it, where no agent can make them."""
    return find_state_folder() / "repositories" / _build_name(root)


def find_agent_home(root: Path, agent: str) -> Path:
    """Returns the home folder that an agent has to itself in a repository; it may not exist yet."""
    return find_choices_folder(root) / "homes" / hashlib.sha256(agent.encode()).hexdigest()[:16]


def make_agent_home(root: Path, agent: str) -> None:
    """Creates it, for this user only."""
    from handoff_tui.core.errors import StoreWriteError  # noqa: PLC0415 - few agents have one

    place = find_agent_home(root, agent)
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as refused:
        raise StoreWriteError(
            f"{place} cannot be written: {refused.strerror}", "XDG_STATE_HOME sets its folder."
        ) from refused


def write_log(place: Path, content: bytes) -> str | None:
    """Stores the output of a command and returns its path; None if it can't."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.write_bytes(content)
    except OSError:
        return None
    return str(place)


@contextmanager
def hold_once(place: Path) -> Iterator[bool]:
    """Holds a lock file; yields False if another process holds it. Without a place for it, everybody is alone."""
    import fcntl  # noqa: PLC0415 - few hold one

    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        yield True
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


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
