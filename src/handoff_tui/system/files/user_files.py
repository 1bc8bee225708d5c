"""Files that may be absent: the user's, outside any repository, and optional ones inside it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.system.files.atomic_write import read_up_to
from handoff_tui.system.files.noted import note
from handoff_tui.system.files.reader import FileReader

_PROGRAM = "handoff-tui"


def find_config_folder() -> Path | None:
    """Returns the folder of the user's configuration, even if it doesn't exist; None if the user has no home."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    if configured and Path(configured).is_absolute():  # the XDG standard says to ignore a relative one
        return Path(configured) / _PROGRAM
    try:
        return Path.home() / ".config" / _PROGRAM
    except RuntimeError:
        return None


def find_pictures_folder() -> Path:
    """Returns the user's folder of pictures, made if it is missing; raises OSError if there is no place for one."""
    configured = os.environ.get("XDG_PICTURES_DIR", "")
    try:
        folder = Path(configured) if Path(configured).is_absolute() else Path.home() / "Pictures"
    except RuntimeError as homeless:
        raise FileNotFoundError("there is no home folder") from homeless
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def shorten_home(path: Path) -> str:
    """Returns the path with `~` for the user's home."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)


def read_user_file(path: Path, max_bytes: int) -> bytes | None:
    """Returns the content of a user's file, with links followed; None if it doesn't exist."""
    note(path)
    try:
        # without O_NONBLOCK, opening a named pipe would wait for a writer
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise FileUnreadableError(f"{path} is a link to nothing") from None
        return None
    except OSError as refused:
        raise FileUnreadableError(f"{path} cannot be read: {refused.strerror}") from refused
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileUnreadableError(f"{path} is not a regular file")
        content = read_up_to(descriptor, max_bytes + 1)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        raise FileUnreadableError(f"{path} is larger than {max_bytes:,} bytes")
    return content


def read_optional(reader: FileReader, path: str) -> bytes | None:
    """Returns a file inside the repository; None if nothing has that name, not even a broken link."""
    note(reader.root / path)
    if not os.path.lexists(reader.root / path):
        return None
    return reader.read_bytes(path)


def list_user_files(folder: Path, suffix: str) -> tuple[str, ...]:
    """Lists the files in a folder with a suffix, by name without it; empty if there is no such folder."""
    note(folder)
    try:
        return tuple(sorted(entry.stem for entry in folder.iterdir() if entry.suffix == suffix))
    except OSError:
        return ()
