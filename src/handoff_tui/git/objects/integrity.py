"""Whether objects have the content that their names say.

Git does not look when it reads them, and an agent can put other content under a name: then what is shown is not what
is signed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from handoff_tui.core.errors import GitError

if TYPE_CHECKING:
    from _hashlib import HASH

    from handoff_tui.git.objects.isolated import IsolatedObjects

_SHA1_WIDTH = 40
_BYTES_AT_ONCE = 16 * 1024 * 1024
_WORDS = 3


class _Object(NamedTuple):
    id: str
    kind: bytes
    size: int


def matches_id(identifier: str, kind: bytes, content: bytes) -> bool:
    """Whether an object of a kind (`blob`, `tree`, `commit`) and this content has this id."""
    digest = _begin(identifier, kind, len(content))
    digest.update(content)
    return digest.hexdigest() == identifier


def build_altered_error(identifier: str) -> GitError:
    return GitError(
        f"the object {identifier} of this repository does not have the content that its name says",
        "Somebody has put other content in its place, or the disk is damaged: git fsck --full tells more.",
    )


def refuse_altered_objects(view: IsolatedObjects, identifiers: Iterable[str]) -> None:
    """Raises if one of these objects is not what it is called; what is missing is for others to notice."""
    for some in _split(_list_objects(view, identifiers)):
        if len(some) == 1 and some[0].kind == b"blob":
            _check_large(view, some[0])
        else:
            _check_small(view, some)


def _list_objects(view: IsolatedObjects, identifiers: Iterable[str]) -> Iterator[_Object]:
    asked = "".join(f"{one}\n" for one in sorted(set(identifiers)))
    answer = view.run("cat-file", "--batch-check", stdin=asked.encode()) if asked else None
    for line in answer.stdout.split(b"\n") if answer is not None else ():
        words = line.split(b" ")
        if len(words) == _WORDS and words[2].isdigit():
            yield _Object(words[0].decode("ascii"), words[1], int(words[2]))


def _split(objects: Iterable[_Object]) -> Iterator[list[_Object]]:
    """As many at once as fit into memory; a large one stands alone."""
    some: list[_Object] = []
    size = 0
    for one in objects:
        if some and size + one.size > _BYTES_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(one)
        size += one.size
    if some:
        yield some


def _check_small(view: IsolatedObjects, some: list[_Object]) -> None:
    asked = "".join(f"{one.id}\n" for one in some).encode()
    output = view.run("cat-file", "--batch", stdin=asked).stdout
    position = 0
    for one in some:
        start = output.find(b"\n", position) + 1
        position = start + one.size + 1
        if not matches_id(one.id, one.kind, output[start : position - 1]):
            raise build_altered_error(one.id)


def _check_large(view: IsolatedObjects, one: _Object) -> None:
    digest = _begin(one.id, one.kind, one.size)
    with view.open_blob(one.id) as stream:
        for chunk in stream.chunks():
            digest.update(chunk)
    if digest.hexdigest() != one.id:
        raise build_altered_error(one.id)


def _begin(identifier: str, kind: bytes, size: int) -> HASH:
    header = b"%b %d\0" % (kind, size)
    if len(identifier) == _SHA1_WIDTH:
        return hashlib.sha1(header, usedforsecurity=False)
    return hashlib.sha256(header)
