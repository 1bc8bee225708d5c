"""Safe reads: inside the repository only, regular files only, up to a size; and bytes as text, in common encodings."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.system.files.atomic_write import read_up_to
from handoff_tui.system.files.noted import note

_NEVER_ENTERED = ".git"
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WIDE_MARKS = (
    # UTF-32 first: its little-endian mark starts with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_BYTE_ORDER_MARK = "\ufeff"
_BINARY_REMARKS = ("is a binary file",)


class FileReader(NamedTuple):
    """Reads files below `root`, up to `max_bytes` each."""

    root: Path
    max_bytes: int

    def read_bytes(self, path: str) -> bytes:
        """Returns the content, or raises an error that says why it can't be read."""
        descriptor = self._open(path)
        try:
            status = os.fstat(descriptor)
            self._refuse_unsuitable(path, status)
            return read_up_to(descriptor, status.st_size)
        except OSError as refused:
            raise FileUnreadableError(_explain(path, self.root / path, refused)) from refused
        finally:
            os.close(descriptor)

    def exists(self, path: str) -> bool:
        """Tells whether the path exists inside the repository; a link that leads out or nowhere doesn't."""
        try:
            split_inside(path)
            note(f"{self.root}/{path}")
            is_somewhere = os.path.exists(f"{self.root}/{path}")  # noqa: PTH110 - asked for each path that is named
            return is_somewhere and self.resolve(path).exists()
        except (UnsafePathError, OSError):
            return False

    def is_linked(self, path: str) -> bool:
        """Tells whether a link leads to it: then its content also has another name."""
        place = str(self.root)
        for name in path.split("/"):
            place = f"{place}/{name}"
            if os.path.islink(place):  # noqa: PTH114 - asked for every file that is measured
                return True
        return False

    def resolve(self, path: str) -> Path:
        """Returns the real path, after links; refuses one outside the repository or inside `.git`."""
        split_inside(path)
        note(f"{self.root}/{path}")
        try:
            real_root = self.root.resolve(strict=True)
            resolved = _follow_links(self.root / path)
        except UnicodeEncodeError as nameless:
            raise UnsafePathError(f"{path!r} cannot be the name of a file") from nameless
        except PermissionError as forbidden:
            raise UnsafePathError(f"{path} may not be read by this user") from forbidden
        except OSError as loop:
            raise UnsafePathError(f"{path} is a link that leads in a circle or cannot be followed") from loop
        if not resolved.is_relative_to(real_root):
            raise UnsafePathError(f"{path} is a link that leads out of the repository")
        refuse_git_folder(path, resolved.relative_to(real_root).parts)
        return resolved

    def _open(self, path: str) -> int:
        """Opens a path folder by folder without following links; opens the real path if there is a link."""
        parts = split_inside(path)
        refuse_git_folder(path, parts)
        note(f"{self.root}/{path}")
        try:
            try:
                return self._open_parts(path, parts)
            except (OSError, _LinkMetError, UnicodeEncodeError) as met:
                if isinstance(met, FileNotFoundError) and self.root.is_dir():
                    raise  # no link was met on the way
                resolved = self.resolve(path)
                return self._open_parts(path, resolved.relative_to(self.root.resolve()).parts or (".",))
        except _LinkMetError as swapped:
            raise FileUnreadableError(f"{path} was changed while it was read") from swapped
        except OSError as refused:
            raise FileUnreadableError(_explain(path, self.root / path, refused)) from refused

    def _open_parts(self, path: str, parts: tuple[str, ...]) -> int:
        *folders, name = parts
        folder = os.open(self.root, _OPEN_FOLDER)
        try:
            for part in folders:
                outer, folder = folder, os.open(part, _OPEN_FOLDER | os.O_NOFOLLOW, dir_fd=folder)
                os.close(outer)
            # checked before it is opened: opening a named pipe would wake the process that writes to it
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise _LinkMetError
            self._refuse_unsuitable(path, status)
            return os.open(name, _OPEN_FILE, dir_fd=folder)
        finally:
            os.close(folder)

    def _refuse_unsuitable(self, path: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise FileUnreadableError(f"{path} is {_kind_of(status.st_mode)}, not a regular file")
        if status.st_size > self.max_bytes:
            raise FileUnreadableError(
                f"{path} is too large: {status.st_size:,} bytes; the limit is {self.max_bytes:,}",
                "Raise limits.file_bytes in handoff-tui.toml if this file must be read.",
            )


class _LinkMetError(Exception):
    """The last part of a path is a link."""


def _follow_links(place: Path) -> Path:
    """Returns where a path leads, even if the target is missing. A loop of links is an OSError on every Python."""
    try:
        return Path(os.path.realpath(place, strict=True))
    except OSError as refused:
        if refused.errno in {errno.ELOOP, errno.EACCES}:
            raise
        return Path(os.path.realpath(place))


def split_inside(path: str) -> tuple[str, ...]:
    """Returns the parts of a path; refuses one that isn't inside the repository by its words alone."""
    parts = tuple(part for part in path.split("/") if part not in {"", "."})
    if "\0" in path or path.startswith("/") or ".." in parts:
        raise UnsafePathError(f"{path!r} is not a path inside the repository")
    return parts or (".",)


def refuse_git_folder(path: str, parts: tuple[str, ...]) -> None:
    # some file systems treat .GIT as .git
    if any(part.casefold() == _NEVER_ENTERED for part in parts):
        raise UnsafePathError(f"{path} leads into .git")


def _explain(path: str, place: Path, refused: OSError) -> str:
    if refused.errno == errno.ENOENT:
        return f"{path} is a link to nothing" if _is_link(place) else f"{path} does not exist"
    if refused.errno == errno.ENOTDIR:
        return f"{path} does not exist: a part of it is a file or a link, not a folder"
    if refused.errno == errno.ELOOP:
        return f"{path} is a link that leads in a circle"
    if refused.errno == errno.ENAMETOOLONG:
        return f"{path} does not exist: the name is longer than a file's name can be"
    if refused.errno in {errno.EACCES, errno.EPERM}:
        return f"{path} may not be read by this user"
    return f"{path} cannot be read: {refused.strerror}"


def _is_link(place: Path) -> bool:
    try:
        return place.is_symlink()
    except OSError:  # the full path is too long
        return False


def _kind_of(mode: int) -> str:
    for is_kind, name in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISLNK, "a link that was put there just now"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    ):
        if is_kind(mode):
            return name
    return "something else"


class DecodedText(NamedTuple):
    """Text with plain newlines as line ends, and notes on what the bytes were."""

    text: str
    remarks: tuple[str, ...] = ()
    binary: bool = False


def decode_text(content: bytes) -> DecodedText:
    """Decodes UTF-8, with or without BOM; tolerates UTF-16 and UTF-32 with BOM and invalid bytes, and says so."""
    for mark, encoding, name in _WIDE_MARKS:
        if content.startswith(mark):
            return _normalise(content.decode(encoding, "replace"), [f"is {name}; read as such"])
    remarks: list[str] = []
    if content.startswith(codecs.BOM_UTF8):
        remarks.append("starts with a byte order mark")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as invalid:
        line = _end_lines(content[: invalid.start].decode("utf-8")).count("\n") + 1
        remarks.append(f"has bytes that are not UTF-8 (first on line {line}); shown as U+FFFD")
        text = content.decode("utf-8", "replace")
    return _normalise(text, remarks)


def _normalise(text: str, remarks: list[str]) -> DecodedText:
    if "\0" in text:
        return DecodedText("", _BINARY_REMARKS, binary=True)
    if "\r\n" in text:
        remarks.append("has CRLF line ends")
    return DecodedText(_end_lines(text.lstrip(_BYTE_ORDER_MARK)), tuple(remarks))


def _end_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
