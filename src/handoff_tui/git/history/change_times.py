"""When paths last changed: by the commits that touched them, and by the disk for what is in no commit."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from handoff_tui.git.command import Git
from handoff_tui.git.stream import GitStream, open_stream

_MOST_COMMITS: Final = 20_000
"""What was not touched for so long is older than anybody waits."""
_MOST_FOLDERS: Final = 50
_MARK: Final = "\x01"
_FORMAT: Final = "--format=%x01%ct %P"
_LATEST: Final = 253_402_300_799
"""The last second of the year 9999."""


def read_commit_times(git: Git, paths: Collection[str], *, shallow: bool = False) -> dict[str, datetime]:
    """The newest commit's time for each path, by one call for all of them; a path that no commit touched is left out.

    There must be a commit. In a shallow clone the oldest one seems to have made everything, so what only that one
    tells is not known.
    """
    wanted = {path for path in paths if _can_be_committed(path)}
    if not wanted:
        return {}
    words = ("log", "-z", "--name-only", "--no-renames", "-m", "--first-parent", f"--max-count={_MOST_COMMITS}")
    with open_stream(git, *words, _FORMAT, "HEAD", "--", *_build_scope(wanted)) as stream:
        found = _collect(_split(stream), wanted, shallow=shallow)
        if wanted and not (answer := stream.finish()).ok:
            raise answer.to_error("log")
        return found


def read_disk_times(root: Path, paths: Collection[str]) -> dict[str, datetime]:
    """When files were last written, by the disk; links are not followed, and what is not there is left out."""
    found: dict[str, datetime] = {}
    for path in paths:
        if _can_be_committed(path) and ".." not in path.split("/"):
            try:
                found[path] = datetime.fromtimestamp(os.lstat(root / path).st_mtime, UTC)
            except (OSError, ValueError, OverflowError):
                continue
    return found


def _collect(fields: Iterator[str], wanted: set[str], *, shallow: bool) -> dict[str, datetime]:
    """Reads until every path was seen, and leaves in `wanted` those that were not: the first commit is the newest."""
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


def _split(stream: GitStream) -> Iterator[str]:
    """Fields that end with NUL."""
    rest = b""
    for chunk in stream.chunks():
        *whole, rest = (rest + chunk).split(b"\0")
        yield from map(os.fsdecode, whole)
    if rest:
        yield os.fsdecode(rest)


def _build_scope(paths: set[str]) -> list[str]:
    """Folders that hold them all: git compares each change with each of these, so they must be few."""
    scope = set(paths)
    while len(scope) > _MOST_FOLDERS:
        deepest = max(path.count("/") for path in scope)
        if deepest == 0:
            return ["."]
        scope = {path.rpartition("/")[0] if path.count("/") == deepest else path for path in scope}
    return sorted(scope)


def _can_be_committed(path: str) -> bool:
    """A path of a file: not a git object such as `notes:…`, nothing absolute, nothing without bytes."""
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return bool(path) and not path.startswith("/") and ":" not in path and b"\0" not in encoded
