"""Checks that objects have the content their ids say.

Git doesn't check when it reads them, and an agent can store other content under an id: then what is shown isn't what
is signed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from handoff_tui.core.errors import GitError

if TYPE_CHECKING:
    from _hashlib import HASH

    from handoff_tui.git.objects.isolated import IsolatedObjects
    from handoff_tui.git.objects.reader import ObjectInfo, ObjectReader

_SHA1_WIDTH = 40
_BYTES_AT_ONCE = 16 * 1024 * 1024


def matches_id(identifier: str, kind: bytes, content: bytes) -> bool:
    """Tells whether an object of a kind (`blob`, `tree`, `commit`) with this content has this id."""
    return build_object_id(kind, content, len(identifier)) == identifier


def build_object_id(kind: bytes, content: bytes, id_width: int) -> str:
    """Returns the id git gives an object; it has 40 digits, or 64 in a SHA-256 repository."""
    digest = _begin(kind, len(content), id_width)
    digest.update(content)
    return digest.hexdigest()


def build_altered_error(identifier: str) -> GitError:
    return GitError(
        f"the object {identifier} of this repository does not have the content that its name says",
        "Somebody has put other content in its place, or the disk is damaged: git fsck --full tells more.",
    )


def refuse_altered_objects(view: IsolatedObjects, reader: ObjectReader, identifiers: Iterable[str]) -> None:
    """Raises if one of these objects doesn't match its id; missing objects are left to the callers."""
    described = reader.describe(sorted(set(identifiers))).values()
    for some in _split(info for info in described if info is not None):
        if len(some) == 1 and some[0].kind == "blob":
            _check_large(view, some[0])
        else:
            _check_small(reader, some)


def _split(objects: Iterable[ObjectInfo]) -> Iterator[list[ObjectInfo]]:
    """Yields as many at once as fit into memory; a large one alone."""
    some: list[ObjectInfo] = []
    size = 0
    for info in objects:
        if some and size + info.size > _BYTES_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(info)
        size += info.size
    if some:
        yield some


def _check_small(reader: ObjectReader, some: list[ObjectInfo]) -> None:
    for kind in {info.kind for info in some}:
        names = [info.id for info in some if info.kind == kind]
        contents = reader.read_many(kind, names, max(info.size for info in some))
        for name in names:
            if contents[name] is None:
                raise build_altered_error(name)


def _check_large(view: IsolatedObjects, info: ObjectInfo) -> None:
    digest = _begin(info.kind.encode(), info.size, len(info.id))
    with view.open_blob(info.id) as stream:
        for chunk in stream.chunks():
            digest.update(chunk)
    if digest.hexdigest() != info.id:
        raise build_altered_error(info.id)


def _begin(kind: bytes, size: int, id_width: int) -> HASH:
    header = b"%b %d\0" % (kind, size)
    if id_width == _SHA1_WIDTH:
        return hashlib.sha1(header, usedforsecurity=False)
    return hashlib.sha256(header)
