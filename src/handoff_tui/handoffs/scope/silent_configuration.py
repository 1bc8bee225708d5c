"""A configuration that sets nothing is nobody's work: committing what `init` wrote must not need an approval."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.history.commit_changes import GONE, ChangedCommit, PathChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.work_tree.content import FILE, read_work_content
from handoff_tui.handoffs.scope.assign import UncommittedChange
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.reader import FileReader

_MOST_BYTES = 1 << 20


def leave_out_silent(
    desk: Desk, history: list[ChangedCommit], uncommitted: list[UncommittedChange]
) -> tuple[list[ChangedCommit], list[UncommittedChange]]:
    """Leaves out a configuration that sets nothing, such as the one that `init` writes: it is nobody's work."""
    files = {
        *((change.mode_before, change.before) for commit in history for change in _list_configuration(commit)),
        *((change.mode, change.blob) for commit in history for change in _list_configuration(commit)),
    }
    edits = [edit for edit in uncommitted if edit.path == REPOSITORY_FILE]
    files |= {(content.mode, content.blob) for edit in edits for content in (edit.before, edit.after)}
    if not files:
        return history, uncommitted
    silent = _find_silent(desk, files)
    kept = []
    for commit in history:
        left_out = {
            change
            for change in _list_configuration(commit)
            if {(change.mode_before, change.before), (change.mode, change.blob)} <= silent
        }
        kept.append(commit._replace(changes=tuple(one for one in commit.changes if one not in left_out)))
    saying = [edit for edit in edits if not {(one.mode, one.blob) for one in (edit.before, edit.after)} <= silent]
    return kept, [edit for edit in uncommitted if edit.path != REPOSITORY_FILE or edit in saying]


def _list_configuration(commit: ChangedCommit) -> Iterable[PathChange]:
    return (change for change in commit.changes if change.path == REPOSITORY_FILE)


def _find_silent(desk: Desk, files: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those files, each a mode and a blob, that are absent or have nothing but comments."""
    blobs = sorted(blob for mode, blob in files if mode == FILE)
    contents = read_blobs(desk.repository.git, blobs, _MOST_BYTES)
    here = read_work_content(desk.repository.root, REPOSITORY_FILE, desk.repository.object_format)
    if here is not None and here.mode == FILE:
        with suppress(HandoffError):
            reader = FileReader(desk.repository.root, _MOST_BYTES)
            contents[here.blob] = reader.read_bytes(REPOSITORY_FILE)
    silent = {blob for blob, content in contents.items() if content is not None and _has_only_comments(content)}
    return {(mode, blob) for mode, blob in files if mode in {"", GONE} or (mode == FILE and blob in silent)}


def _has_only_comments(content: bytes) -> bool:
    return all(not line.strip() or line.lstrip().startswith(b"#") for line in content.splitlines())
