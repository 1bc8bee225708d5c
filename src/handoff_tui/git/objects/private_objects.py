"""Objects of our own beside a repository's: written to the cache folder, while the user's stay as they are.

What git would write a second time it marks as fresh where it already lies, and in an alternate that sets the time of
the user's own file. So whatever writes sees our folder alone; whatever reads sees both.
"""

from __future__ import annotations

import os
from pathlib import Path

from handoff_tui.core.errors import CaptureError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.own_folder import OWN_FOLDER

_FOLDER = "objects"
_CACHE_HINT = "Give this user a cache folder that can be written; XDG_CACHE_HOME says where."


def offer_objects(repository: Repository, cache_folder: Path) -> dict[str, str]:
    """The variables under which git reads the user's objects and ours."""
    return {
        **offer_own_objects(cache_folder),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_folder(repository.common_dir / "objects"),
    }


def offer_own_objects(cache_folder: Path) -> dict[str, str]:
    """The variable under which git writes objects, and sees no others."""
    return {"GIT_OBJECT_DIRECTORY": str(make_folder(cache_folder / _FOLDER))}


def make_folder(folder: Path) -> Path:
    """A folder of ours in the cache, for this user alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as refused:
        raise build_cache_error(folder, refused) from refused
    return folder


def build_cache_error(place: Path, refused: OSError) -> CaptureError:
    return CaptureError(f"{place} cannot be written: {refused.strerror}", _CACHE_HINT)


def quote_folder(folder: Path) -> str:
    """A path as git's list of object folders takes it: quoted, since a colon would end it."""
    path = str(folder)
    if os.pathsep not in path and not path.startswith('"'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write_without_own_folder(git: Git, tree: str, reading: dict[str, str], writing: dict[str, str]) -> str:
    """The tree without `.handoff-tui/`; the tree itself where there is none. A file of that name is not ours."""
    listing = git.read("ls-tree", "-z", "--full-tree", tree, extra=reading)
    entries = [entry for entry in listing.split(b"\0") if entry]
    kept = [entry for entry in entries if not _is_own(entry)]
    if len(kept) == len(entries):
        return tree
    made = git.read("mktree", "-z", "--missing", stdin=b"".join(entry + b"\0" for entry in kept), extra=writing)
    return made.decode("ascii").strip()


def _is_own(entry: bytes) -> bool:
    meta, _, name = entry.partition(b"\t")
    return name == OWN_FOLDER.encode() and meta.startswith(b"040000 tree ")
