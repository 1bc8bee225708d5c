"""Edits of the configuration that set nothing but scopes are nobody's work.

Committing what `init` wrote, or a corrected scope, must not need an approval. A scope hides nothing: whatever it takes
from one handoff belongs to another one, or to nobody, and is shown there.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.history.commit_changes import GONE, ChangedCommit, PathChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.work_tree.content import FILE, read_work_content
from handoff_tui.handoffs.scope.assign import UncommittedChange
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.reader import FileReader

_MOST_BYTES = 1 << 20
_SCOPES = "scopes"


class _Version(NamedTuple):
    """What the configuration was at one time."""

    mode: str
    blob: str


class _Edit(NamedTuple):
    before: _Version
    after: _Version


def leave_out_silent(
    session: Session, history: list[ChangedCommit], uncommitted: list[UncommittedChange]
) -> tuple[list[ChangedCommit], list[UncommittedChange]]:
    """Leaves out each change of the configuration after which it says the same, scopes aside."""
    edits = {_build_edit(change) for change in _list_changes(history) if change.path == REPOSITORY_FILE}
    edits |= {_build_own_edit(edit) for edit in uncommitted if edit.path == REPOSITORY_FILE}
    if not edits:
        return history, uncommitted
    said = _read_all(session, {version for edit in edits for version in edit})
    silent = {edit for edit in edits if said[edit.before] is not None and said[edit.before] == said[edit.after]}
    return [
        commit._replace(
            changes=tuple(
                change
                for change in commit.changes
                if change.path != REPOSITORY_FILE or _build_edit(change) not in silent
            )
        )
        for commit in history
    ], [edit for edit in uncommitted if edit.path != REPOSITORY_FILE or _build_own_edit(edit) not in silent]


def _list_changes(history: list[ChangedCommit]) -> Iterator[PathChange]:
    for commit in history:
        yield from commit.changes


def _build_edit(change: PathChange) -> _Edit:
    return _Edit(_Version(change.mode_before, change.before), _Version(change.mode, change.blob))


def _build_own_edit(edit: UncommittedChange) -> _Edit:
    before, after = (_Version(content.mode or GONE, content.blob) for content in (edit.before, edit.after))
    return _Edit(before, after)


def _read_all(session: Session, versions: set[_Version]) -> dict[_Version, str | None]:
    """What each version sets apart from scopes, in one form; None if that can't be told."""
    contents = read_blobs(session.repository.git, sorted(one.blob for one in versions if one.mode == FILE), _MOST_BYTES)
    here = read_work_content(session.repository.root, REPOSITORY_FILE, session.repository.object_format)
    if here is not None and here.mode == FILE:
        with suppress(HandoffError):
            reader = FileReader(session.repository.root, _MOST_BYTES)
            contents[here.blob] = reader.read_bytes(REPOSITORY_FILE)
    return {one: _read_settings(b"" if one.mode == GONE else contents.get(one.blob)) for one in versions}


def _read_settings(content: bytes | None) -> str | None:
    if content is None:
        return None
    try:
        settings = tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return None
    settings.pop(_SCOPES, None)
    return json.dumps(settings, sort_keys=True, default=repr)
