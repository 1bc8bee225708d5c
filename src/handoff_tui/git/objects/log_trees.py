"""Tree objects, and the log's folders among them, read without a checkout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.system.files.atomic_write import TEMPORARY_PREFIX
from handoff_tui.system.files.own_folder import OWN_FOLDER, is_own

_SHARD = compile_later(r"[0-9a-f]{2}")
_FOLDER_MODE = b"40000"
_FILE_MODE = b"100"
"""The beginning of a regular file's mode; a link has 120000, a submodule 160000."""


class TreeEntry(NamedTuple):
    """One name in a folder."""

    mode: bytes
    name: str
    object: str

    @property
    def is_folder(self) -> bool:
        return self.mode == _FOLDER_MODE

    @property
    def is_file(self) -> bool:
        return self.mode.startswith(_FILE_MODE)


class LogFolder(NamedTuple):
    """The content of one log folder: our files, and anything else with the reason."""

    ours: dict[str, str]
    """Shard to tree id, or digest to blob id."""
    foreign: tuple[tuple[str, str], ...]


def parse_tree(content: bytes, id_bytes: int) -> Iterator[TreeEntry]:
    """Reads a tree object: mode, space, name, NUL, and the raw object id. Leaves out an entry that is cut off."""
    position = 0
    while (name_end := content.find(b"\0", position)) >= 0:
        mode, _, name = content[position:name_end].partition(b" ")
        position = name_end + 1 + id_bytes
        if position > len(content):
            return
        yield TreeEntry(mode, os.fsdecode(name), content[name_end + 1 : position].hex())


_all_ours: set[str] = set()
"""Trees below `.handoff-tui/` in which there was nothing but ours."""


class DropOwnFiles:
    """Takes our own files out of trees. `read` gives a tree's content, `store` takes a new one and gives its id."""

    def __init__(self, read: Callable[[str], bytes], store: Callable[[bytes], str], id_bytes: int) -> None:
        self._read = read
        self._store = store
        self._id_bytes = id_bytes

    def drop(self, tree: str) -> str:
        """The tree without what we write below `.handoff-tui/`; itself if there is nothing of ours."""
        content = self._read(tree)
        own = (one for one in parse_tree(content, self._id_bytes) if one.is_folder and one.name == OWN_FOLDER)
        found = next(own, None)
        if found is None:
            return tree
        head = b"40000 " + OWN_FOLDER.encode() + b"\0"
        rest = self._drop_below(f"{OWN_FOLDER}/", found.object)
        if rest == found.object:
            return tree
        kept = b"" if rest is None else head + bytes.fromhex(rest)
        return self._store(content.replace(head + bytes.fromhex(found.object), kept, 1))

    def _drop_below(self, folder: str, tree: str) -> str | None:
        """The tree of a folder without our files; None if nothing is left of it."""
        if f"{folder}{tree}" in _all_ours:
            return None
        kept: list[tuple[TreeEntry, str]] = []
        entries = list(parse_tree(self._read(tree), self._id_bytes))
        for one in entries:
            path = f"{folder}{one.name}"
            if one.is_folder:
                rest = self._drop_below(f"{path}/", one.object)
                if rest is not None:
                    kept.append((one, rest))
            elif not (one.is_file and is_own(path)):
                kept.append((one, one.object))
        if not kept and entries:
            _all_ours.add(f"{folder}{tree}")
            return None
        if len(kept) == len(entries) and all(one.object == rest for one, rest in kept):
            return tree
        lines = (one.mode + b" " + os.fsencode(one.name) + b"\0" + bytes.fromhex(rest) for one, rest in kept)
        return self._store(b"".join(lines))


def parse_log_folder(content: bytes, id_bytes: int) -> LogFolder:
    """Returns the shards in `.handoff-tui/log`."""
    ours: dict[str, str] = {}
    foreign: list[tuple[str, str]] = []
    for line in parse_tree(content, id_bytes):
        if line.is_folder and _SHARD.fullmatch(line.name):
            ours[line.name] = line.object
        elif not _is_temporary(line):
            foreign.append((line.name, "not a shard of this store"))
    return LogFolder(ours, tuple(foreign))


def parse_shard(content: bytes, id_bytes: int, shard: str, suffix: str) -> LogFolder:
    """Returns the entries in one shard."""
    wanted = re.compile(rf"({shard}[0-9a-f]{{62}}){re.escape(suffix)}")
    ours: dict[str, str] = {}
    foreign: list[tuple[str, str]] = []
    for line in parse_tree(content, id_bytes):
        fitting = wanted.fullmatch(line.name)
        if fitting is not None and line.is_file:
            ours[fitting[1]] = line.object
        elif fitting is not None:
            foreign.append((line.name, "it is a link, a folder or a submodule, not a regular file"))
        elif not _is_temporary(line):
            foreign.append((line.name, "not the name of an entry in this shard"))
    return LogFolder(ours, tuple(foreign))


def _is_temporary(line: TreeEntry) -> bool:
    return line.is_file and line.name.startswith(TEMPORARY_PREFIX)
