"""What makes a tar archive differ from build to build, read from its bytes without unpacking anything."""

from __future__ import annotations

import io
import zlib
from collections.abc import Collection, Iterator
from typing import Final

_GZIP: Final = b"\x1f\x8b"
_TIME_IN_GZIP: Final = slice(4, 8)
_TAR_MARK: Final = b"ustar"
_MARK_IN_TAR: Final = slice(257, 262)


class ArchiveBrokenError(Exception):
    """The bytes are no archive that can be read to its end."""


class _Bounded(io.RawIOBase):
    """A stream that ends with an error where a small archive unpacks into a huge one."""

    def __init__(self, stream: io.BufferedIOBase, limit: int) -> None:
        self._stream = stream
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if size >= 0 else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveBrokenError("unpacks into more than may be read")
        return data


def is_tar(content: bytes) -> bool:
    """Whether the bytes are a tar archive, plain or packed with gzip; other kinds are not looked into."""
    return content.startswith(_GZIP) or content[_MARK_IN_TAR] == _TAR_MARK


def find_varying(content: bytes, *, time: int, owners: Collection[str], limit: int) -> list[str]:
    """What varies between two builds of the same files, in words."""
    import tarfile  # noqa: PLC0415 - few runs look into an archive

    try:
        return list(_find_varying(content, time, owners, limit))
    except (tarfile.TarError, OSError, EOFError, zlib.error) as broken:
        raise ArchiveBrokenError(f"cannot be read as an archive: {broken}") from broken


def _find_varying(content: bytes, time: int, owners: Collection[str], limit: int) -> Iterator[str]:
    import gzip  # noqa: PLC0415 - few runs look into an archive
    import tarfile  # noqa: PLC0415

    raw: io.BufferedIOBase = io.BytesIO(content)
    if content.startswith(_GZIP):
        if int.from_bytes(content[_TIME_IN_GZIP], "little") != time:
            yield "the gzip header carries the time of the build"
        raw = gzip.GzipFile(fileobj=io.BytesIO(content))
    with tarfile.open(fileobj=_Bounded(raw, limit), mode="r|") as archive:
        for member in archive:
            if member.mtime != time:
                yield f"{member.name} carries the time {member.mtime:g}"
            if member.uid or member.gid:
                yield f"{member.name} belongs to user {member.uid} and group {member.gid}"
            if member.uname not in owners or member.gname not in owners:
                yield f"{member.name} names its owner {member.uname}:{member.gname}"
