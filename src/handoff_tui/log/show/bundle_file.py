"""A log in one file: a tar archive in one form only, so that the same log gives the same bytes."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from handoff_tui.core.errors import BundleMalformedError

TOP = "handoff-log"
_BLOCK = 512
_RECORD = 20 * _BLOCK
"""Tar pads its end to this size."""
_HINT = "Ask for it again: it was cut off or changed on its way, or packed anew by another program."


class Member(NamedTuple):
    """A file of a bundle, by its path below the top folder."""

    path: str
    content: bytes


def render_bundle(members: Iterable[Member]) -> Iterator[bytes]:
    """The archive, piece by piece; members in the order of their paths."""
    written = 0
    for path, content in members:
        padding = b"\0" * (-len(content) % _BLOCK)
        for piece in (_build_header(path, len(content)), content, padding):
            written += len(piece)
            yield piece
    end = 2 * _BLOCK
    yield b"\0" * (end + -(written + end) % _RECORD)


def parse_bundle(content: bytes) -> Iterator[Member]:
    """The members of an archive that `render_bundle` made; any other is refused."""
    position = 0
    before = ""
    while True:
        header = content[position : position + _BLOCK]
        if header == b"\0" * _BLOCK:
            break
        path, size = _parse_header(header)
        if path <= before:
            raise BundleMalformedError("the files of the bundle are not in their order, or one is there twice", _HINT)
        start, before = position + _BLOCK, path
        position = start + size + -size % _BLOCK
        if position > len(content) or any(content[start + size : position]):
            raise BundleMalformedError(f"the bundle is cut off or changed at {path}", _HINT)
        yield Member(path, content[start : start + size])
    expected = 2 * _BLOCK + -(position + 2 * _BLOCK) % _RECORD
    if len(content) - position != expected or any(content[position:]):
        raise BundleMalformedError("the bundle does not end where it should", _HINT)


def _build_header(path: str, size: int) -> bytes:
    """Nothing in it tells when, where or by whom it was made."""
    info = tarfile.TarInfo(f"{TOP}/{path}")
    info.size = size
    info.mode = 0o644
    return info.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")


def _parse_header(header: bytes) -> tuple[str, int]:
    """Path and size; written again and compared, so that nothing but the one form passes."""
    try:
        info = tarfile.TarInfo.frombuf(header, "ascii", "strict")
        path = info.name.removeprefix(f"{TOP}/")
        written = _build_header(path, info.size)
    except (tarfile.TarError, ValueError) as wrong:
        raise BundleMalformedError("not a bundle of a log, or one that is cut off or changed", _HINT) from wrong
    if written != header:
        raise BundleMalformedError("a file in the bundle is not packed in the one form", _HINT)
    return path, info.size
