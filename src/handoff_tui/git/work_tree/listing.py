"""What git says about the work tree: the tracked paths, read without looking at each line, and `git status`."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from operator import eq
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.file_modes import SUBMODULE
from handoff_tui.core.lazy_pattern import compile_known, compile_later
from handoff_tui.system.files.own_folder import OWN_FOLDER, is_own

_PATH_BEHIND = {"1": 8, "2": 9, "u": 10, "?": 1, "!": 1}
"""How many spaces come before the path, by the first letter of the line."""


class StatusLine(NamedTuple):
    """What git says about one path. The old name of a renamed file has a line of its own."""

    path: str
    """A folder that is another repository ends with a slash."""
    text: str
    """`1 XY …` changed, `2 XY …` renamed, `u XY …` in conflict, `? …` untracked, `! …` ignored."""

    @property
    def kind(self) -> str:
        return self.text[0]

    @property
    def is_staged(self) -> bool:
        """Whether the index differs from HEAD."""
        return self.text[2] != "."

    @property
    def work_tree_change(self) -> str | None:
        """How the work tree differs from the index, such as `M` or `D`; None if it doesn't."""
        return self.text[3] if self.text[3] != "." else None


class Status(NamedTuple):
    """One answer of `git status`."""

    headers: dict[str, str]
    lines: list[StatusLine]

    @property
    def commit(self) -> str | None:
        """The commit of HEAD; None before the first one."""
        head = self.headers.get("branch.oid")
        return None if head == "(initial)" else head

    @property
    def is_detached(self) -> bool:
        return self.headers.get("branch.head") == "(detached)"

    @property
    def branch(self) -> str | None:
        return None if self.is_detached else self.headers.get("branch.head")

    @property
    def upstream(self) -> str | None:
        return self.headers.get("branch.upstream")


def parse_status(output: bytes) -> Status:
    headers: dict[str, str] = {}
    lines: list[StatusLine] = []
    fields = iter(os.fsdecode(output).split("\0"))
    for field in fields:
        kind = field[:1]
        if kind == "#":
            name, _, value = field[2:].partition(" ")
            headers[name] = value
        elif kind in _PATH_BEHIND:
            lines.append(StatusLine(field.split(" ", _PATH_BEHIND[kind])[-1], field))
            if kind == "2":
                lines.append(StatusLine(next(fields, ""), field))
    return Status(headers, lines)


_BEFORE_BLOB = len("H 100644 ")
_BEHIND_BLOB = len(" 0\t")
_OURS = "2"
_ORDINARY: Final = compile_later(r"H (?P<mode>\d{6}) (?P<blob>[0-9a-f]+) 0")


class Tracked(Mapping[str, str]):
    """Maps paths to blob ids, as in the index. The ids are parsed when the first one is needed."""

    def __init__(self, paths: list[str], listing: str, others: Mapping[str, str]) -> None:
        """`others` are paths whose lines are out of the ordinary, with their blobs."""
        self.paths = [*paths, *others]
        self._listing = listing
        self._others = others
        self._blobs: dict[str, str] | None = None

    def __getitem__(self, path: str) -> str:
        if self._blobs is None:
            lines = (line.partition("\t") for line in self._listing.split("\0"))
            found = {name: meta[_BEFORE_BLOB:].partition(" ")[0] for meta, _, name in lines if name}
            self._blobs = {name: found[name] for name in self.paths} | dict(self._others)
        return self._blobs[path]

    def find_line(self, path: str) -> tuple[str, str] | None:
        """Returns mode and blob id of one path without parsing all lines; None if its line isn't ordinary."""
        ending = f"\t{path}\0"
        at = self._listing.find(ending)
        while at >= 0:
            line = self._listing[self._listing.rfind("\0", 0, at) + 1 : at]
            found = _ORDINARY.fullmatch(line)
            if found is not None:
                return found["mode"], found["blob"]
            at = self._listing.find(ending, at + 1)  # it was the end of another path, one with a tab
        return None

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def parse_listing(listing: bytes) -> tuple[Tracked, tuple[str, ...], tuple[str, ...]]:
    """Reads `ls-files --stage -v -z`: `H 100644 <blob> 0<TAB>path`; a lower-case tag or S hides changes.

    Returns tracked paths, submodules, and paths that git was told to overlook. Splitting at the beginnings of ordinary
    lines (a file or link, no conflict, nothing hidden) leaves the paths; other lines follow a path after a NUL.
    """
    text = os.fsdecode(listing)
    width = max(text.find("\t") + 1 - _BEFORE_BLOB - _BEHIND_BLOB, 1)
    first, *paths = compile_known(rf"\0H 1(?:00644|00755|20000) .{{{width}}} 0\t").split(f"\0{text[:-1]}")
    if len(paths) == text.count("\0"):
        return Tracked(paths, text, {}), (), ()
    lines = first.split("\0")[1:]
    for position, path in enumerate(paths):
        if "\0" in path:
            paths[position], *following = path.split("\0")
            lines += following
    others, submodules, overlooked = _parse_lines(lines)
    return Tracked(paths, text, others), submodules, overlooked


def _parse_lines(lines: list[str]) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    """Reads the other lines. A path in conflict has up to three; ours (stage 2) counts if there is one."""
    tracked: dict[str, str] = {}
    submodules: list[str] = []
    overlooked: list[str] = []
    for line in lines:
        meta, _, path = line.partition("\t")
        tag, mode, blob, stage = meta.split(" ")
        if mode == SUBMODULE:
            submodules.append(path)
        elif stage == _OURS or path not in tracked:
            tracked[path] = blob
        if tag.islower() or tag == "S":
            overlooked.append(path)
    return tracked, tuple(dict.fromkeys(submodules)), tuple(dict.fromkeys(overlooked))


def sort_paths(*lists: Iterable[str]) -> tuple[str, ...]:
    """Returns all paths once, sorted. That is cheap for git's lists, which are nearly sorted."""
    merged: list[str] = []
    for paths in lists:
        merged += paths
    merged.sort()
    following = iter(merged)
    next(following, None)
    return tuple(dict.fromkeys(merged)) if any(map(eq, merged, following)) else tuple(merged)


def list_below(paths: tuple[str, ...], folder: str) -> tuple[str, ...]:
    """Returns those of sorted paths that are below a folder."""
    first, end = _find_range(paths, folder)
    return paths[first:end]


def leave_out_own(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Returns those of sorted paths that are not ours."""
    first, end = _find_range(paths, OWN_FOLDER)
    if first == end:
        return paths
    return paths[:first] + tuple(path for path in paths[first:end] if not is_own(path)) + paths[end:]


def _find_range(paths: tuple[str, ...], folder: str) -> tuple[int, int]:
    behind_slash = chr(ord("/") + 1)
    return bisect_left(paths, f"{folder}/"), bisect_left(paths, f"{folder}{behind_slash}")
