"""Our objects beside a repository's: written to the cache folder, while the user's stay unchanged.

What git would write a second time it marks as fresh where it already lies, and in an alternate that sets the time of
the user's own file. So whatever writes sees our folder alone; whatever reads sees both.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path

from handoff_tui.core.errors import CaptureError, ObjectMissingError
from handoff_tui.git.objects.log_trees import parse_tree
from handoff_tui.git.objects.reader import MISSING_HINT, ObjectReader
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.own_folder import OWN_FOLDER

_FOLDER = "objects"
_SHA1_WIDTH = 40
_MAX_TREE_BYTES = 64 * 1024 * 1024
_CACHE_HINT = "Give this user a cache folder that can be written; XDG_CACHE_HOME says where."


def offer_objects(repository: Repository, cache_folder: Path) -> dict[str, str]:
    """Returns the variables with which git reads the user's objects and ours."""
    return {
        **offer_own_objects(cache_folder),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_folder(repository.common_dir / "objects"),
    }


def offer_own_objects(cache_folder: Path) -> dict[str, str]:
    """Returns the variable with which git writes objects and sees no others."""
    return {"GIT_OBJECT_DIRECTORY": str(make_folder(cache_folder / _FOLDER))}


def make_folder(folder: Path) -> Path:
    """Creates a folder in the cache, for this user only."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as refused:
        raise build_cache_error(folder, refused) from refused
    return folder


def build_cache_error(place: Path, refused: OSError) -> CaptureError:
    return CaptureError(f"{place} cannot be written: {refused.strerror}", _CACHE_HINT)


def quote_folder(folder: Path) -> str:
    """Returns a path as git's list of object folders takes it: quoted, as a colon would end it."""
    path = str(folder)
    if os.pathsep not in path and not path.startswith('"'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write_without_own_folder(reader: ObjectReader, tree: str, cache_folder: Path) -> str:
    """Returns the tree without `.handoff-tui/`; the tree itself if there is none. A file of that name isn't ours."""
    content = reader.read_tree(tree, _MAX_TREE_BYTES)
    if content is None:
        message = f"the tree {tree} is not in this repository, or is not what its name says"
        raise ObjectMissingError(message, MISSING_HINT)
    is_own = (entry for entry in parse_tree(content, len(tree) // 2) if entry.is_folder and entry.name == OWN_FOLDER)
    own = next(is_own, None)
    if own is None:
        return tree
    kept = content.replace(b"40000 " + OWN_FOLDER.encode() + b"\0" + bytes.fromhex(own.object), b"", 1)
    return write_own_object(cache_folder, b"tree", kept, len(tree))


def write_own_object(cache_folder: Path, kind: bytes, content: bytes, id_width: int) -> str:
    """Stores an object among ours; returns its id."""
    folder = make_folder(cache_folder / _FOLDER)
    try:
        return write_loose_object(folder, kind, content, id_width)
    except OSError as refused:
        raise build_cache_error(folder, refused) from refused


def write_loose_object(folder: Path, kind: bytes, content: bytes, id_width: int) -> str:
    """Stores an object as git does, in one step; returns its id."""
    stored = b"%b %d\0" % (kind, len(content)) + content
    digest = hashlib.sha1(stored, usedforsecurity=False) if id_width == _SHA1_WIDTH else hashlib.sha256(stored)
    name = digest.hexdigest()
    place = folder / name[:2] / name[2:]
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        temporary = place.with_name(f"tmp_obj_{os.urandom(8).hex()}")
        temporary.write_bytes(zlib.compress(stored, 1))
        temporary.replace(place)
    return name
