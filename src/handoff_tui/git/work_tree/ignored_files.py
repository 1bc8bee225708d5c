"""Searches what git ignores, where test reports usually are."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.command import Git


class IgnoredFiles(NamedTuple):
    """Regular files, sorted. `complete` is False if there were too many to search."""

    paths: tuple[str, ...]
    complete: bool


def list_ignored(
    root: Path, ignored: Iterable[str], skipped_folders: Collection[str], most_entries: int
) -> IgnoredFiles:
    """Lists the files at and below ignored paths (folders end with a slash); doesn't follow links.

    The order is fixed, so the limit cuts at the same place on every file system.
    """
    found: list[str] = []
    looked_at = 0
    waiting = [path for path in sorted(ignored, reverse=True) if not _is_skipped(path, skipped_folders)]
    while waiting:
        path = waiting.pop()
        if not path.endswith("/"):
            found.append(path)
            continue
        entries = _scan(root / path)
        looked_at += len(entries)
        if looked_at > most_entries:
            return IgnoredFiles(tuple(sorted(found)), complete=False)
        found += [f"{path}{name}" for name, is_folder in entries if not is_folder]
        inner = [f"{path}{name}/" for name, is_folder in entries if is_folder and name not in skipped_folders]
        waiting += reversed(inner)
    return IgnoredFiles(tuple(sorted(found)), complete=True)


def is_ignored(git: Git, path: str) -> bool:
    """Tells whether git would ignore an untracked path."""
    return git.run("check-ignore", "--quiet", "--", path).ok


def find_ignored(git: Git, paths: Iterable[str]) -> frozenset[str]:
    """Finds the paths that git would ignore, all in one question."""
    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths if path)
    answer = git.run("check-ignore", "-z", "--stdin", stdin=stdin) if stdin else None
    return frozenset(os.fsdecode(answer.stdout).split("\0")) - {""} if answer is not None else frozenset()


def _is_skipped(path: str, skipped_folders: Collection[str]) -> bool:
    return path.endswith("/") and any(part in skipped_folders for part in path.split("/"))


def _scan(folder: Path) -> list[tuple[str, bool]]:
    """Lists the folders and regular files in a folder; empty if it isn't readable."""
    try:
        with os.scandir(folder) as entries:
            kinds = [(entry.name, entry.is_dir(follow_symlinks=False), entry) for entry in entries]
            return sorted(
                (name, is_folder)
                for name, is_folder, entry in kinds
                if is_folder or entry.is_file(follow_symlinks=False)
            )
    except OSError:
        return []
