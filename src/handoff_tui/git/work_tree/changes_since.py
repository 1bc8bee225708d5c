"""What differs between a commit and the work tree: git is asked once, and again where a save leaves doubts."""

from __future__ import annotations

import os
import stat

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.objects.tree_diff import read_changes
from handoff_tui.git.repository import Repository, WorkTree
from handoff_tui.git.session import session_of
from handoff_tui.git.watch.reconcile import Stamp, read_stamp
from handoff_tui.git.work_tree.patched_tree import is_stored_as_is
from handoff_tui.system.files.reader import FileReader

_MOST_BYTES = 4 * 1024 * 1024
_LEAVING = frozenset({"D", "R"})


class _Known(NamedTuple):
    """The changes, and what they rest on: the files that differed from HEAD, as they were then."""

    stamps: dict[str, Stamp | None]
    changes: list[FileChange]


def list_changes_since(repository: Repository, tree: WorkTree, commit: str) -> list[FileChange]:
    """Returns the tracked paths that differ from a commit, with renames; without ids where a file was only saved."""
    stamps = {path: read_stamp(repository.root, path) for path in tree.facts.changed}

    def renew(known: _Known | None) -> _Known:
        if known is not None:
            saved = {path for path, _ in stamps.items() ^ known.stamps.items()}
            patched = _patch(repository, tree, commit, known.changes, saved) if saved else known.changes
            if patched is not None:
                return _Known(stamps, patched)
        return _Known(stamps, read_changes(repository.git, commit))

    return session_of(repository.git).renew(("changes", commit), renew).changes


def _patch(
    repository: Repository, tree: WorkTree, commit: str, known: list[FileChange], saved: set[str]
) -> list[FileChange] | None:
    """Returns the changes after some files were saved, in git's order; None if only git can tell."""
    by_path = {change.path: change for change in known}
    leaves_gaps = any(change.status in _LEAVING for change in known)
    for path in saved:
        status = by_path[path].status if path in by_path else "M"
        is_sure = status == "M" or (status == "A" and not leaves_gaps)  # where a path is gone, one may be its new name
        if not is_sure or not _is_file(repository, tree, path):
            return None
        if status == "M" and not _is_modified(repository, commit, path):
            return None
        by_path.setdefault(path, FileChange("M", path, None, "", "", "", ""))
    return sorted(by_path.values(), key=lambda change: os.fsencode(change.path))


def _is_file(repository: Repository, tree: WorkTree, path: str) -> bool:
    """Tells whether a path is a plain file for git, and on disk."""
    line, now = tree.tracked.find_line(path), read_stamp(repository.root, path)
    return line is not None and now is not None and stat.S_ISREG(int(line[0], 8)) and stat.S_ISREG(now[0])


def _is_modified(repository: Repository, commit: str, path: str) -> bool:
    """Tells whether git would surely store other content for a file than the commit has."""
    session = session_of(repository.git)
    try:
        content = FileReader(repository.root, _MOST_BYTES).read_bytes(path)
    except (FileUnreadableError, UnsafePathError):
        return False
    stored = session.read_objects().read(f"{commit}:{path}", _MOST_BYTES)
    return stored not in {None, content} and is_stored_as_is(repository, path, content)
