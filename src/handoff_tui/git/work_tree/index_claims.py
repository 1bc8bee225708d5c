"""An index without what its last writer only claims: which files are as they were, and which folders make which tree.

Git believes both without looking. An agent can write the user's index, so there a changed file may pass as unchanged.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _hashlib import HASH

_MAGIC = b"DIRC"
_HEADER = struct.Struct(">4sII")
_FLAGS = struct.Struct(">H")
_VERSIONS = frozenset({2, 3})
_CLAIMS = 40
"""Bytes of times, device, number, mode, owner and size at the beginning of an entry."""
_NO_CLAIMS = bytes(_CLAIMS)
_MODE = slice(24, 28)
_MODE_BYTES = 4
_EXTENDED = 0x4000
_LONGEST_NAME = 0xFFF
_OPTIONAL = range(ord("A"), ord("Z") + 1)
"""How the name of an extension begins that may be left out."""
_HASHES: dict[str, Callable[[bytes], HASH]] = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}


class _Entry(NamedTuple):
    """Where an entry lies, and its mode, object id and name in one."""

    start: int
    end: int
    identity: bytes


def drop_claims(index: bytes, known: Mapping[bytes, bytes], object_format: str) -> bytes:
    """The index with nothing claimed but what is `known` of the same path, mode and content; a ValueError if odd."""
    changed = bytearray(index)
    end = _HEADER.size
    for entry in _find_entries(index, object_format):
        claims = known.get(entry.identity, _NO_CLAIMS)
        mode = entry.identity[:_MODE_BYTES]
        changed[entry.start : entry.start + _CLAIMS] = claims[: _MODE.start] + mode + claims[_MODE.stop :]
        end = entry.end
    _refuse_needed(index, end, object_format)
    body = bytes(changed[:end])
    return body + _HASHES[object_format](body).digest()


def read_claims(index: bytes, looked_at: int, object_format: str) -> dict[bytes, bytes]:
    """What an index of our own knows of its files, for `drop_claims`; nothing of one that is damaged.

    Git compares whole seconds. What changed in the second of the look, or right before, is not known: it may have
    changed again with its old time put back. `looked_at` is that second.
    """
    digest = _HASHES[object_format]
    width = digest(b"").digest_size
    if digest(index[:-width]).digest() != index[-width:]:
        return {}
    try:
        found = list(_find_entries(index, object_format))
    except ValueError:
        return {}
    claims = {entry.identity: index[entry.start : entry.start + _CLAIMS] for entry in found}
    return {one: said for one, said in claims.items() if int.from_bytes(said[:4], "big") < looked_at - 1}


def _find_entries(index: bytes, object_format: str) -> Iterator[_Entry]:
    if len(index) < _HEADER.size:
        raise ValueError("too short")
    magic, version, count = _HEADER.unpack_from(index)
    if magic != _MAGIC or version not in _VERSIONS:
        raise ValueError("of another version")
    flags_at = _CLAIMS + _HASHES[object_format](b"").digest_size
    start = _HEADER.size
    for _ in range(count):
        if start + flags_at + _FLAGS.size > len(index):
            raise ValueError("cut short")
        (flags,) = _FLAGS.unpack_from(index, start + flags_at)
        name_at = start + flags_at + _FLAGS.size * (2 if flags & _EXTENDED else 1)
        length = flags & _LONGEST_NAME
        name_end = name_at + length if length < _LONGEST_NAME else index.find(b"\0", name_at)
        end = start + ((name_end - start + 8) & ~7)
        if name_end < name_at or end > len(index) or index[name_end:end].strip(b"\0"):
            raise ValueError("cut short")
        identity = index[start : start + flags_at][_MODE] + index[start + _CLAIMS : start + flags_at]
        yield _Entry(start, end, identity + index[name_at:name_end])
        start = end


def _refuse_needed(index: bytes, position: int, object_format: str) -> None:
    """Extensions are left out; one without which the entries mean something else is a ValueError."""
    end = len(index) - _HASHES[object_format](b"").digest_size
    while position < end:
        if index[position] not in _OPTIONAL:
            raise ValueError("with an extension that is needed")
        position += 8 + int.from_bytes(index[position + 4 : position + 8], "big")
    if position != end:
        raise ValueError("cut short")
