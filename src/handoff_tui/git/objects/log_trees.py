"""The log's folders as git stores them: shards and the files in them, read without checking anything out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from handoff_tui.system.files.atomic_write import TEMPORARY_PREFIX

_SHARD = re.compile(r"[0-9a-f]{2}")
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
    """What is in one folder: what belongs there by name and kind, and the rest with reasons."""

    ours: dict[str, str]
    """Shard to tree id, or digest to blob id."""
    foreign: tuple[tuple[str, str], ...]


def parse_tree(content: bytes, id_bytes: int) -> Iterator[TreeEntry]:
    """Reads a tree object: mode, space, name, NUL, and the object id in raw bytes. What is cut off is left out."""
    position = 0
    while (name_end := content.find(b"\0", position)) >= 0:
        mode, _, name = content[position:name_end].partition(b" ")
        position = name_end + 1 + id_bytes
        if position > len(content):
            return
        yield TreeEntry(mode, os.fsdecode(name), content[name_end + 1 : position].hex())


def parse_log_folder(content: bytes, id_bytes: int) -> LogFolder:
    """The shards in `.handoff-tui/log`."""
    ours: dict[str, str] = {}
    foreign: list[tuple[str, str]] = []
    for line in parse_tree(content, id_bytes):
        if line.is_folder and _SHARD.fullmatch(line.name):
            ours[line.name] = line.object
        elif not _is_temporary(line):
            foreign.append((line.name, "not a shard of this store"))
    return LogFolder(ours, tuple(foreign))


def parse_shard(content: bytes, id_bytes: int, shard: str, suffix: str) -> LogFolder:
    """The entries in one shard."""
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
