"""What lies in a folder of content-addressed files, by name and kind; a shard that did not change is not read again."""

from __future__ import annotations

import os
import re
import time
from typing import NamedTuple

from handoff_tui.system.files.atomic_write import TEMPORARY_PREFIX, close_looked_at, open_folder
from handoff_tui.system.files.system_calls import Calls

_SHARD = re.compile(r"[0-9a-f]{2}")
SETTLED_NANOSECONDS = 2_000_000_000
"""A folder's times may be as coarse as this: what changed so shortly before it was read may change unnoticed."""


class ForeignFile(NamedTuple):
    """Something in the store that is no file of ours."""

    path: str
    reason: str


class Found(NamedTuple):
    """What was found in one folder, sorted."""

    digests: tuple[str, ...]
    foreign: tuple[ForeignFile, ...]


class _Memory(NamedTuple):
    stamp: tuple[int, int, int]
    found: Found


class FolderListing:
    """Lists one folder, again and again if need be; `shown` is its path for people."""

    def __init__(self, shown: str, suffix: str, calls: Calls) -> None:
        self._shown = shown
        self._suffix = suffix
        self._calls = calls
        self._name = re.compile(f"([0-9a-f]{{64}}){re.escape(suffix)}")
        self._memory: dict[str, _Memory] = {}

    def look_at_files(self, folder: int) -> list[Found]:
        """A folder without shards."""
        return [self._look(folder, "")]

    def look_at_shards(self, folder: int) -> list[Found]:
        """One for each shard, in their order, and one for what lies between them."""
        shards: list[str] = []
        foreign: list[ForeignFile] = []
        for name, is_folder, is_file in _scan(folder):
            if is_folder and _SHARD.fullmatch(name):
                shards.append(name)
            elif not (is_file and name.startswith(TEMPORARY_PREFIX)):
                foreign.append(ForeignFile(f"{self._shown}/{name}", "not a shard of this store"))
        looked = [self._look_at_shard(folder, name) for name in sorted(shards)]
        return [*looked, Found((), tuple(sorted(foreign)))]

    def _look_at_shard(self, folder: int, name: str) -> Found:
        now = time.time_ns()
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            stamp = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            remembered = self._memory.get(name)
            if remembered is not None and remembered.stamp == stamp:
                return remembered.found
            shard = open_folder(self._calls, name, folder, f"{self._shown}/{name}")
        except FileNotFoundError:  # it went while we looked
            return Found((), ())
        try:
            found = self._look(shard, name)
        finally:
            close_looked_at(self._calls, shard)
        self._memory.pop(name, None)
        if now - max(status.st_mtime_ns, status.st_ctime_ns) > SETTLED_NANOSECONDS:
            self._memory[name] = _Memory(stamp, found)
        return found

    def _look(self, folder: int, shard: str) -> Found:
        shown = f"{self._shown}/{shard}" if shard else self._shown
        digests: list[str] = []
        foreign: list[ForeignFile] = []
        for name, _, is_file in _scan(folder):
            fitting = self._name.fullmatch(name)
            if is_file and fitting is not None and name.startswith(shard):
                digests.append(fitting[1])
            elif not (is_file and name.startswith(TEMPORARY_PREFIX)):
                foreign.append(ForeignFile(f"{shown}/{name}", self._explain(name, shard, is_named=fitting is not None)))
        return Found(tuple(sorted(digests)), tuple(sorted(foreign)))

    def _explain(self, name: str, shard: str, *, is_named: bool) -> str:
        if not is_named:
            return f"its name is not a SHA-256 digest and {self._suffix}"
        if not name.startswith(shard):
            return "it is in the wrong shard"
        return "it is a link, a folder, a pipe or a device, not a regular file"


def _scan(folder: int) -> list[tuple[str, bool, bool]]:
    """Names in a folder, with whether each is a folder and whether it is a regular file; a link is neither."""
    with os.scandir(folder) as entries:
        return [
            (entry.name, entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)) for entry in entries
        ]
