"""When paths last changed, by commits or by disk, and which commit each line of a file comes from."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.objects.reader import can_be_committed
from handoff_tui.git.stream import open_stream

_MOST_COMMITS: Final = 20_000
"""Anything untouched for this long is older than anybody waits."""
_MOST_FOLDERS: Final = 50
_MARK: Final = "\x01"
_FORMAT: Final = "--format=%x01%ct %P"
_LATEST: Final = 253_402_300_799
"""The last second of the year 9999."""
_ENTRY = compile_later(r"([0-9a-f]{40,64}) [0-9]+ ([0-9]+) ([0-9]+)")
_FILE = "filename "
_ESCAPE = compile_later(r'\\([0-7]{3}|[abtnvfr"\\])')
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


def read_commit_times(git: Git, paths: Collection[str], *, shallow: bool = False) -> dict[str, datetime]:
    """Returns the time of the newest commit for each path, with one call; leaves out paths that no commit touched.

    There must be a commit. In a shallow clone the oldest commit seems to have created everything, so times that only
    it gives are unknown.
    """
    wanted = {path for path in paths if _can_be_file(path)}
    if not wanted:
        return {}
    words = ("log", "-z", "--name-only", "--no-renames", "-m", "--first-parent", f"--max-count={_MOST_COMMITS}")
    with open_stream(git, *words, _FORMAT, "HEAD", "--", *_build_scope(wanted)) as stream:
        found = _collect(map(os.fsdecode, stream.lines(b"\0")), wanted, shallow=shallow)
        if wanted and not (answer := stream.finish()).ok:
            raise answer.to_error("log")
        return found


def read_disk_times(root: Path, paths: Collection[str]) -> dict[str, datetime]:
    """Returns when files were last written to disk; doesn't follow links, and leaves out missing files."""
    found: dict[str, datetime] = {}
    for path in paths:
        if _can_be_file(path) and ".." not in path.split("/"):
            try:
                found[path] = datetime.fromtimestamp(os.lstat(root / path).st_mtime, UTC)
            except (OSError, ValueError, OverflowError):
                continue
    return found


def _collect(fields: Iterator[str], wanted: set[str], *, shallow: bool) -> dict[str, datetime]:
    """Reads until every path was seen, newest commit first; leaves unseen paths in `wanted`."""
    found: dict[str, datetime] = {}
    moment: datetime | None = None
    for field in fields:
        if field.startswith(_MARK):
            moment = _parse_header(field, shallow=shallow)
            continue
        path = field.removeprefix("\n")
        if path in wanted:
            wanted.discard(path)
            if moment is not None:
                found[path] = moment
            if not wanted:
                break
    return found


def _parse_header(field: str, *, shallow: bool) -> datetime | None:
    seconds, _, parents = field[1:].partition(" ")
    if (shallow and not parents.strip()) or not seconds.isdecimal() or int(seconds) > _LATEST:
        return None
    return datetime.fromtimestamp(int(seconds), UTC)


def _build_scope(paths: set[str]) -> list[str]:
    """Returns a few folders that contain all paths: git compares each change with each of these."""
    scope = set(paths)
    while len(scope) > _MOST_FOLDERS:
        deepest = max(path.count("/") for path in scope)
        if deepest == 0:
            return ["."]
        scope = {path.rpartition("/")[0] if path.count("/") == deepest else path for path in scope}
    return sorted(scope)


def _can_be_file(path: str) -> bool:
    """Tells whether a path can be a file of a commit; git objects such as `notes:…` can't."""
    return can_be_committed(path) and ":" not in path


class BlamedLine(NamedTuple):
    """The commit that brought a line in, and the name that the file had there."""

    commit: str
    path: str


def blame_lines(git: Git, commit: str, path: str, extra: Mapping[str, str] | None = None) -> list[BlamedLine]:
    """Returns the origin of every line of a file at a commit. White space counts, and no commit is skipped.

    `extra` may name further object folders, as git's variables do.
    """
    words = ("blame", "--incremental", "--no-textconv", "--ignore-revs-file=", commit, "--", path)
    return parse_blame(git.read(*words, extra=extra))


def parse_blame(output: bytes) -> list[BlamedLine]:
    """Reads `git blame --incremental`: a range of lines, what git knows of the commit, and last the file's name."""
    lines: dict[int, BlamedLine] = {}
    first = number = 0
    commit = ""
    for row in os.fsdecode(output).split("\n"):
        entry = _ENTRY.fullmatch(row)
        if entry is not None:
            commit, first, number = entry[1], int(entry[2]), int(entry[3])
        elif row.startswith(_FILE):
            origin = BlamedLine(commit, _unquote(row.removeprefix(_FILE)))
            lines.update(dict.fromkeys(range(first, first + number), origin))
    return [lines[place] for place in sorted(lines)]


def _unquote(name: str) -> str:
    """Decodes a name that git put in quotes because of special characters."""
    if not (name.startswith('"') and name.endswith('"')):
        return name
    pieces = _ESCAPE.split(name[1:-1])
    parts = [os.fsencode(piece) if place % 2 == 0 else _read_escape(piece) for place, piece in enumerate(pieces)]
    return os.fsdecode(b"".join(parts))


def _read_escape(written: str) -> bytes:
    return bytes([_LETTERS[written] if written in _LETTERS else int(written, 8)])
