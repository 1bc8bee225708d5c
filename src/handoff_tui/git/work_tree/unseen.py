"""Finds what git doesn't report of the work tree: ignored files, local excludes, hiding filters, inner repositories."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.reader import build_object_id
from handoff_tui.git.objects.tree_files import list_converted
from handoff_tui.git.repository import Repository, WorkTree
from handoff_tui.system.files.own_folder import is_below_own_folder
from handoff_tui.system.files.reader import FileReader


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


_EXPANDED: Final = compile_later(rb"\$Id: [0-9a-f]{40}(?:[0-9a-f]{24})? \$")
_LARGE_FILE: Final = compile_later(rb"version https://git-lfs[^\n]*\noid sha256:([0-9a-f]{64})\n")
_MOST_BYTES: Final = 64 * 1024 * 1024


def find_locally_excluded(repository: Repository, tree: WorkTree) -> tuple[str, ...]:
    """Lists untracked files like the tracked ones that only an exclude of this machine hides, not a .gitignore."""
    listed = repository.git.read("ls-files", "--others", "--exclude-per-directory=.gitignore", "-z")
    endings = {os.path.splitext(path)[1] for path in tree.tracked.paths} - {""}  # noqa: PTH122 - very many paths
    known = frozenset(tree.facts.untracked)
    return tuple(
        path
        for path in os.fsdecode(listed).split("\0")
        if path and path not in known and os.path.splitext(path)[1] in endings and not is_below_own_folder(path)  # noqa: PTH122
    )


def find_uninspected(tree: WorkTree) -> tuple[str, ...]:
    """Lists submodules and nested repositories: git would run under their configuration, so nobody looks into them."""
    return (*tree.facts.submodules, *(path for path in tree.facts.untracked if path.endswith("/")))


def find_converted(repository: Repository, tree: WorkTree) -> tuple[str, ...]:
    """Lists tracked files whose bytes are not what git records of them, because a filter or attribute says so.

    Two conversions are borne out by the bytes: the id that `ident` writes, and a large file behind its pointer.
    """
    converted = sorted(list_converted(repository.git, tree.tracked.paths))
    recorded = {path: tree.tracked[path] for path in converted}
    contents = read_blobs(repository.git, sorted(set(recorded.values())), _MOST_BYTES) if recorded else {}
    reader = FileReader(repository.root, _MOST_BYTES)
    found: list[str] = []
    for path, blob in recorded.items():
        try:
            raw = reader.read_bytes(path)
        except (FileUnreadableError, UnsafePathError):
            continue  # a missing or unreadable file is told elsewhere
        made = build_object_id(b"blob", raw, repository.id_width)
        if made != blob and not _is_borne_out(raw, contents.get(blob)) and made != _convert(repository, path):
            found.append(path)
    return tuple(found)


def _convert(repository: Repository, path: str) -> str:
    """The id that git would record for a file: what is captured and shown."""
    return repository.git.run("hash-object", f"--path={path}", "--", path).text.strip()


def _is_borne_out(raw: bytes, recorded: bytes | None) -> bool:
    if recorded is None:
        return False
    pointer = _LARGE_FILE.match(recorded)
    if pointer is not None:
        return hashlib.sha256(raw).hexdigest().encode() == pointer[1]
    plain = _EXPANDED.sub(b"$Id$", raw)
    return recorded in {plain, plain.replace(b"\r\n", b"\n")}
