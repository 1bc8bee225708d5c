"""Our objects beside a repository's: written to the cache folder, while the user's stay unchanged.

What git would write a second time it marks as fresh where it already lies, and in an alternate that sets the time of
the user's own file. So whatever writes sees our folder alone; whatever reads sees both.
"""

from __future__ import annotations

import os
import zlib
from functools import partial
from pathlib import Path

from handoff_tui.core.errors import CaptureError
from handoff_tui.git.objects.log_trees import DropOwnFiles
from handoff_tui.git.objects.reader import ObjectReader, build_object_id
from handoff_tui.git.repository import Repository

_FOLDER = "objects"
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
    """Returns the tree without our own files; the tree itself if it has none."""
    write = partial(write_own_object, cache_folder, b"tree", id_width=len(tree))
    return DropOwnFiles(reader.require_tree, write, len(tree) // 2).drop(tree)


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
    name = build_object_id(kind, content, id_width)
    place = folder / name[:2] / name[2:]
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        temporary = place.with_name(f"tmp_obj_{os.urandom(8).hex()}")
        temporary.write_bytes(zlib.compress(stored, 1))
        temporary.replace(place)
    return name
