"""Files of the user's, anywhere, which may be absent: read with a limit, written completely, never through a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from handoff_tui.core.errors import FileUnreadableError, StoreWriteError
from handoff_tui.system.files.atomic_write import SYSTEM, Calls, Folder, build_write_error, open_folders, read_up_to
from handoff_tui.system.files.noted import note
from handoff_tui.system.files.reader import FileReader

_PROGRAM = "handoff-tui"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SHARED_MODE = 0o666
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


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


def write_new_file(place: Path, pieces: Iterable[bytes]) -> int:
    """Writes a file piece by piece and returns its size. Leaves nothing behind if it fails; never overwrites."""
    descriptor = _create(place)
    try:
        with os.fdopen(descriptor, "wb") as file:
            return sum(file.write(piece) for piece in pieces)
    except BaseException as stopped:
        with suppress(OSError):
            place.unlink()
        if isinstance(stopped, OSError):
            raise build_write_error(stopped, str(place)) from stopped
        raise


def write_new_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files into a folder, created if missing; writes none if one of them exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise build_write_error(refused, str(folder)) from refused
    taken = sorted(name for name in files if os.path.lexists(folder / name))
    if taken:
        raise _build_taken_error(folder / taken[0])
    for name, content in files.items():
        write_new_file(folder / name, (content,))


def _create(place: Path) -> int:
    try:
        return os.open(place, _NEW_FILE, 0o666)
    except FileExistsError as taken:
        raise _build_taken_error(place) from taken
    except OSError as refused:
        raise build_write_error(refused, str(place)) from refused


def _build_taken_error(place: Path) -> StoreWriteError:
    return StoreWriteError(f"{place} is there already", "It is left alone; name another place.")


def read_named_file(file: Path, max_bytes: int) -> bytes:
    """Returns the content of a file that must exist."""
    content = read_user_file(file, max_bytes)
    if content is None:
        raise FileUnreadableError(f"{file} is not there")
    return content


def read_named_texts(place: Path, names: tuple[str, ...], max_bytes: int) -> dict[str, str]:
    """Returns the texts of those files in a folder that exist; a file stands for itself, by its own name."""
    if not place.is_dir():
        return {place.name: _decode(place, read_named_file(place, max_bytes))}
    found = {name: read_user_file(place / name, max_bytes) for name in names}
    return {name: _decode(place / name, content) for name, content in found.items() if content is not None}


def write_if_absent(file: Path, content: bytes, calls: Calls = SYSTEM) -> bool:
    """Writes a file that doesn't exist yet; returns False and changes nothing if anything has its name."""
    with _open_folder(file, calls) as folder:
        written = folder.write_once(file.name, content)
        folder.sync()
    return written


def write_named_file(file: Path, content: bytes, calls: Calls = SYSTEM) -> None:
    """Replaces a file in one step."""
    with _open_folder(file, calls) as folder:
        folder.replace(file.name, content, mode=_SHARED_MODE)


@contextmanager
def _open_folder(file: Path, calls: Calls) -> Iterator[Folder]:
    if not file.name:
        raise StoreWriteError(f"{file} is not a file name")
    try:
        with open_folders(calls, file.parent) as folders:
            yield folders[0]
    except OSError as refused:
        raise build_write_error(refused, str(file)) from refused


def _decode(file: Path, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as wrong:
        raise FileUnreadableError(f"{file} is not UTF-8 at byte {wrong.start}") from wrong


def is_inside(file: Path, folder: Path) -> bool:
    """Tells whether a file would be inside a folder, with all links followed."""
    return file.parent.resolve().is_relative_to(folder.resolve())


def write_bug_report(text: str) -> str:
    """Writes a new file in the temporary folder, readable by this user only, and returns its path."""
    import tempfile  # noqa: PLC0415 - it imports half a dozen modules, and few commands write such a file

    with tempfile.NamedTemporaryFile(
        "w", prefix="handoff-tui-report-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(text)
    return file.name


def write_settings_file(place: Path, content: bytes) -> None:
    """Replaces a file, through a link if it is one; makes missing folders."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = _read_mode(place)
        file = place.resolve()
    except OSError as refused:
        raise _build_error(place, refused) from refused
    write_named_file(file, content)
    if mode is not None:
        file.chmod(mode)


def remove_settings_file(place: Path, base: Path) -> None:
    """Removes a file, and every folder below `base` that is empty then."""
    try:
        _read_mode(place)
        place.unlink()
        folder = place.parent
        while folder != base and folder.is_relative_to(base) and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    except OSError as refused:
        raise _build_error(place, refused) from refused


def _read_mode(place: Path) -> int | None:
    """Returns the mode of a file that may be written, None if it isn't there; whoever made it read-only meant it."""
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    if mode is not None and not mode & _WRITABLE:
        raise StoreWriteError(f"{place} is read-only; it is left alone", "Make it writable first, if it may change.")
    return mode


def _build_error(place: Path, refused: OSError) -> StoreWriteError:
    return StoreWriteError(f"{place} can't be changed: {refused.strerror}", "It is as it was before.")
