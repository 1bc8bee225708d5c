"""Edits that are nobody's work: what `init` wrote, its note for agents, and settings that say nothing but scopes.

Committing what `init` prints, or a corrected scope, must not need an approval nor make anybody a producer. A scope
hides nothing: whatever it takes from one handoff belongs to another one, or to nobody, and is shown there. The note is
known word by word. Settings count as those of `init` only in the commit that begins the log, and only what it asks
about: the tests as a check and an agent, whose commands run only with somebody's consent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress

from handoff_tui.config.load import AGENT_FILES, REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.history.commit_changes import GONE, ChangedCommit, PathChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.work_tree.content import FILE, read_work_content
from handoff_tui.handoffs.scope.assign import UncommittedChange
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.own_folder import TRUST_POLICY
from handoff_tui.system.files.reader import FileReader

_MOST_BYTES = 1 << 20
_SCOPES = "scopes"
_WATCHED = frozenset({REPOSITORY_FILE, *AGENT_FILES})


class _Version(NamedTuple):
    """What a file was at one time."""

    mode: str
    blob: str


class _Edit(NamedTuple):
    path: str
    before: _Version
    after: _Version
    begins_log: bool


def find_beginnings(history: Iterable[ChangedCommit]) -> frozenset[str]:
    """The commits that bring a log, of a history that still has the changes of our own files."""
    policy = {TRUST_POLICY}
    return frozenset(one.id for one in history if any(change.mode_before == GONE for change in one.find(policy)))


def leave_out_silent(
    session: Session,
    history: Sequence[ChangedCommit],
    uncommitted: list[UncommittedChange],
    beginnings: frozenset[str],
) -> tuple[list[ChangedCommit], list[UncommittedChange]]:
    """Leaves out each change after which a file says the same, apart from what is nobody's work."""
    begins_here = not beginnings and TRUST_POLICY in session.work_tree.facts.own_uncommitted
    edits = {
        _build_edit(change, begins_log=commit.id in beginnings)
        for commit in history
        for change in commit.find(_WATCHED)
    }
    edits |= {_build_own_edit(edit, begins_log=begins_here) for edit in uncommitted if edit.path in _WATCHED}
    if not edits:
        return list(history), uncommitted
    contents = _read_all(session, edits)
    silent = {edit for edit in edits if _is_silent(edit, contents)}
    return [
        commit.without(
            {
                change.path
                for change in commit.find(_WATCHED)
                if _build_edit(change, begins_log=commit.id in beginnings) in silent
            }
        )
        for commit in history
    ], [
        edit
        for edit in uncommitted
        if edit.path not in _WATCHED or _build_own_edit(edit, begins_log=begins_here) not in silent
    ]


def _build_edit(change: PathChange, *, begins_log: bool) -> _Edit:
    before, after = _Version(change.mode_before, change.before), _Version(change.mode, change.blob)
    return _Edit(change.path, before, after, begins_log)


def _build_own_edit(edit: UncommittedChange, *, begins_log: bool) -> _Edit:
    before, after = (_Version(content.mode or GONE, content.blob) for content in (edit.before, edit.after))
    return _Edit(edit.path, before, after, begins_log)


def _read_all(session: Session, edits: set[_Edit]) -> dict[str, bytes | None]:
    """What the versions of these edits hold, by blob."""
    blobs = {version.blob for edit in edits for version in (edit.before, edit.after) if version.mode == FILE}
    contents = read_blobs(session.repository.git, sorted(blobs), _MOST_BYTES)
    reader = FileReader(session.repository.root, _MOST_BYTES)
    for path in {edit.path for edit in edits}:
        here = read_work_content(session.repository.root, path, session.repository.object_format)
        if here is not None and here.mode == FILE:
            with suppress(HandoffError):
                contents[here.blob] = reader.read_bytes(path)
    return contents


def _is_silent(edit: _Edit, contents: dict[str, bytes | None]) -> bool:
    from handoff_tui.config.first_hour import adds_note_alone, is_as_first_written  # noqa: PLC0415 - few files need it

    before, after = (_find_content(version, contents) for version in (edit.before, edit.after))
    if before is None or after is None:
        return False
    if edit.path != REPOSITORY_FILE:
        return adds_note_alone(before, after)
    then, now = _read_settings(before), _read_settings(after)
    if then is None or now is None:
        return False
    is_first = edit.begins_log and edit.before.mode == GONE
    return _write_out(then) == _write_out(now) or (is_first and is_as_first_written(now))


def _find_content(version: _Version, contents: dict[str, bytes | None]) -> bytes | None:
    """What a version holds; None if that can't be told."""
    return b"" if version.mode == GONE else contents.get(version.blob) if version.mode == FILE else None


def _read_settings(content: bytes) -> dict[str, object] | None:
    """What the configuration sets apart from scopes; None if it can't be read."""
    try:
        import tomllib  # noqa: PLC0415 - read where the configuration has changed

        settings: dict[str, object] = tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return None
    settings.pop(_SCOPES, None)
    return settings


def _write_out(settings: dict[str, object]) -> str:
    return json.dumps(settings, sort_keys=True, default=repr)
