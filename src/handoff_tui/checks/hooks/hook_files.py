"""The only place that writes git hooks.

At every moment a complete hook is in place, the old one or the new one: new content is written and synced under
another name and then renamed, and an earlier hook gets a second name before ours takes over its first.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from handoff_tui.checks.hooks.hook import HookCondition, HookName
from handoff_tui.checks.hooks.hook_script import EARLIER_SUFFIX, HookScript, parse_hook
from handoff_tui.core.errors import FileUnreadableError, HookError
from handoff_tui.system.files.user_files import read_user_file

_MAX_BYTES = 1024 * 1024
_NEW_SUFFIX = ".handoff-tui-new"
_LEGACY_SUFFIX = ".legacy"
"""Where the tool pre-commit moves an existing hook, which it calls from its own."""
_LEGACY_CALLER = b"hook-impl"


class FoundHook(NamedTuple):
    """What is in place of a hook, and whether an earlier hook is kept beside it."""

    name: HookName
    place: Path
    condition: HookCondition
    content: bytes
    """Empty if it was not read, such as a link or a folder."""
    script: HookScript | None
    executable: bool
    kept: bool
    """An earlier hook is kept."""
    kept_is_same: bool
    """The kept hook is still in place, because an installation was interrupted."""

    @property
    def earlier(self) -> Path:
        return find_earlier(self.place)


def find_earlier(place: Path) -> Path:
    """Returns where the earlier hook is kept, by the hook's name even if ours was moved."""
    return place.with_name(place.name.removesuffix(_LEGACY_SUFFIX) + EARLIER_SUFFIX)


def read_hook(folder: Path, name: HookName, wanted: bytes) -> FoundHook:
    """Reads the hook in place, or ours where the tool pre-commit has moved it aside and calls it."""
    found = _read_place(folder / name.value, name, wanted)
    if found.condition is HookCondition.FOREIGN and _LEGACY_CALLER in found.content:
        moved = _read_place(folder / f"{name.value}{_LEGACY_SUFFIX}", name, wanted)
        if moved.script is not None:
            return moved
    return found


def read_hook_file(place: Path) -> bytes:
    """Reads the text of a hook, following a link; empty if there is nothing to read."""
    try:
        return read_user_file(place, _MAX_BYTES) or b""
    except FileUnreadableError:
        return b""


def write_hook(found: FoundHook, content: bytes) -> None:
    """Puts ours in place, after keeping an earlier hook."""
    with _explained(found.place):
        new = found.place.with_name(found.place.name + _NEW_SUFFIX)
        _write_new(new, content)
        if found.condition is HookCondition.FOREIGN and not found.kept:
            _keep(found.place, found.earlier)
        if found.condition is HookCondition.ABSENT:
            _move_to_free_place(new, found.place)
        else:
            new.replace(found.place)


def put_back(found: FoundHook) -> None:
    """Puts the earlier hook back, with its mode and times."""
    with _explained(found.place):
        found.earlier.rename(found.place)


def remove_hook(found: FoundHook) -> None:
    with _explained(found.place):
        found.place.unlink()


def remove_second_name(found: FoundHook) -> None:
    """Undoes an interrupted installation: the earlier hook is in place, and stays."""
    with _explained(found.earlier):
        found.earlier.unlink()


@contextmanager
def hold_folder(folder: Path, *, make: bool) -> Iterator[None]:
    """Allows one writer at a time, and syncs to disk afterwards. Creates a missing folder if asked to."""
    if not make and not folder.is_dir():
        yield
        return
    if os.path.lexists(folder) and not folder.is_dir():
        raise HookError(f"{folder} isn't a folder, so git finds no hooks", "Find out who set it up that way, and why.")
    with _explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as busy:
            raise HookError(f"{folder} is being changed by another handoff-tui", "Try again when it is done.") from busy
        except OSError:  # a file system without locks
            pass
        with _explained(folder):
            for leftover in folder.glob(f"pre-*{_NEW_SUFFIX}*"):
                leftover.unlink(missing_ok=True)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_place(place: Path, name: HookName, wanted: bytes) -> FoundHook:
    condition, content, script = _judge(place, name, wanted)
    earlier = find_earlier(place)
    kept = os.path.lexists(earlier)
    return FoundHook(
        name=name,
        place=place,
        condition=condition,
        content=content,
        script=script,
        executable=os.access(place, os.X_OK),
        kept=kept,
        kept_is_same=kept and condition is HookCondition.FOREIGN and _is_same(place, earlier),
    )


def _judge(place: Path, name: HookName, wanted: bytes) -> tuple[HookCondition, bytes, HookScript | None]:
    if place.is_symlink():
        return HookCondition.FOREIGN, read_hook_file(place), None
    try:
        content = read_user_file(place, _MAX_BYTES)
    except FileUnreadableError:
        is_large_file = place.is_file() and os.access(place, os.R_OK)
        return (HookCondition.FOREIGN if is_large_file else HookCondition.UNUSABLE), b"", None
    if content is None:
        return HookCondition.ABSENT, b"", None
    script = parse_hook(content)
    if script is None:
        return HookCondition.FOREIGN, content, None
    if not script.unchanged or script.name != name.value:
        return HookCondition.EDITED, content, script
    current = content == wanted and os.access(place, os.X_OK)
    return (HookCondition.CURRENT if current else HookCondition.OUTDATED), content, script


def _write_new(place: Path, content: bytes) -> None:
    """A new file, executable for whom the umask allows it and always for its owner, and on the disk."""
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o777)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(os.fstat(file.fileno()).st_mode) | 0o700)
            os.fsync(file.fileno())
    except OSError:
        place.unlink(missing_ok=True)
        raise


def _move_to_free_place(new: Path, place: Path) -> None:
    """Unlike a rename, fails where somebody else has put a hook there meanwhile."""
    try:
        os.link(new, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without second names
        new.replace(place)
    else:
        new.unlink()


def _keep(place: Path, earlier: Path) -> None:
    """Gives a hook a second name; where the file system has no second names, a copy with the same mode and times."""
    try:
        os.link(place, earlier, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        _copy(place, earlier)


def _copy(place: Path, earlier: Path) -> None:
    status = place.lstat()
    times = (status.st_atime_ns, status.st_mtime_ns)
    if place.is_symlink():
        earlier.symlink_to(place.readlink())
        os.utime(earlier, ns=times, follow_symlinks=False)
        return
    new = earlier.with_name(place.name + _NEW_SUFFIX + "-copy")
    new.unlink(missing_ok=True)
    _write_new(new, place.read_bytes())
    new.chmod(stat.S_IMODE(status.st_mode))
    os.utime(new, ns=times)
    new.rename(earlier)


def _is_same(place: Path, earlier: Path) -> bool:
    one, other = place.lstat(), earlier.lstat()
    if (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino):
        return True
    if stat.S_IFMT(one.st_mode) != stat.S_IFMT(other.st_mode):
        return False
    if place.is_symlink():
        return place.readlink() == earlier.readlink()
    # only a copy made for want of second names has the very time stamp of the other
    same_time = one.st_mtime_ns == other.st_mtime_ns
    return same_time and place.is_file() and place.read_bytes() == earlier.read_bytes()


@contextmanager
def _explained(place: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as exists:
        raise HookError(
            f"{exists.filename2 or exists.filename} has just appeared", "See who wrote it, then try again."
        ) from exists
    except OSError as refused:
        raise HookError(
            f"{place} can't be changed: {refused.strerror}", "The earlier hook is still there."
        ) from refused
