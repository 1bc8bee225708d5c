"""When paths last changed: from the commits that touched them, or from disk if they aren't committed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

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
