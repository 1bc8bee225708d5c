"""Finds the scopes of all handoffs of a repository: history read once, uncommitted files, edits that are nobody's."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from handoff_tui.config.load import AGENT_FILES, REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple, dataclass, field, replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.file_modes import FILE, SUBMODULE
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.core.text.toml_text import parse_toml
from handoff_tui.git.history.commit_changes import GONE, ChangedCommit, PathChange, read_commit_changes
from handoff_tui.git.history.commits import read_blobs, resolve_commits
from handoff_tui.git.objects.tree_reader import find_files_in
from handoff_tui.git.work_tree.content import WorkContent, read_submodule_commit, read_work_content
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.scope.assign import UncommittedChange, assign_changes
from handoff_tui.handoffs.scope.merges import find_merge_choices, find_merged_branches, find_merged_commits
from handoff_tui.handoffs.scope.scope import DELETED, Content, Scopes
from handoff_tui.handoffs.scope.traces import (
    PersonSays,
    Traces,
    build_traces,
    find_records,
    find_shared_documents,
    list_named_commits,
)
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.own_folder import OWN_FOLDER, TRUST_POLICY, is_own
from handoff_tui.system.files.reader import FileReader

_MOST_BYTES = 1 << 20
_SCOPES = "scopes"
_WATCHED = frozenset({REPOSITORY_FILE, *AGENT_FILES})
_SHORTEST_ID = 7
_SHOWN_ID = 12
"""With more paths than this, the whole tree is listed."""


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
    now = _read_settings(after)
    is_first = edit.begins_log and edit.before.mode == GONE and now is not None
    return sets_the_same(before, after) or (is_first and is_as_first_written(now or {}))


def sets_the_same(before: bytes, after: bytes) -> bool:
    """Whether two versions of the configuration set the same, apart from scopes; False if one can't be read."""
    then, now = _read_settings(before), _read_settings(after)
    return then is not None and now is not None and _write_out(then) == _write_out(now)


def _find_content(version: _Version, contents: dict[str, bytes | None]) -> bytes | None:
    """What a version holds; None if that can't be told."""
    return b"" if version.mode == GONE else contents.get(version.blob) if version.mode == FILE else None


def _read_settings(content: bytes) -> dict[str, object] | None:
    """What the configuration sets apart from scopes; None if it can't be read."""
    try:
        settings: dict[str, object] = parse_toml(content)
    except ValueError:
        return None
    settings.pop(_SCOPES, None)
    return settings


def _write_out(settings: dict[str, object]) -> str:
    return json.dumps(settings, sort_keys=True, default=repr)


@dataclass(frozen=True, slots=True)
class StatedScope:
    """A scope as a person wrote it down: work since a commit, up to another, below some paths, or all of these."""

    since: str = ""
    until: str = ""
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogTraces:
    """What the signed log and the runs add to what documents and commits show."""

    start_line: str | None = None
    """The commit up to which work is history; empty if all of it counts, None if no policy says."""
    decided: frozenset[str] = frozenset()
    stated: Mapping[str, StatedScope] = field(default_factory=dict)
    find_run_commits: Callable[[Sequence[ChangedCommit]], Mapping[str, frozenset[str]]] = lambda _: {}
    """Finds the commits of a history that agent runs made, by handoff."""


NO_LOG = LogTraces()


def read_stated(session: Session) -> LogTraces:
    """The scopes that the repository's configuration states, for a repository without a log."""
    return LogTraces(stated=list_stated(session))


def list_stated(session: Session) -> dict[str, StatedScope]:
    scopes = session.loaded.settings.scopes
    return {handoff: StatedScope(stated.since, stated.until, stated.paths) for handoff, stated in scopes.items()}


class FoundScopes:
    """The scopes, and what was read to find them."""

    def __init__(
        self,
        scopes: Scopes,
        history: Sequence[ChangedCommit],
        contents: Mapping[str, WorkContent],
        uncommitted: Iterable[UncommittedChange],
    ) -> None:
        self.scopes = scopes
        self.history = history
        self.sha256_by_blob = {content.blob: content.sha256 for content in contents.values()}
        """The hashes of what is not committed; those of committed blobs are looked up when they are needed."""
        self.uncommitted = {change.path: change.after.blob for change in uncommitted}
        self.uncommitted |= {path: content.blob for path, content in contents.items()}
        """What git does not have as it is here, with its blob; empty for what is deleted."""


@without_collection()
def find_scopes(session: Session, handoffs: Iterable[Handoff], known: LogTraces = NO_LOG) -> FoundScopes:
    """Reads history and what is not committed, and gives each change to its handoffs."""
    handoffs = tuple(handoffs)
    git = session.repository.git
    read = read_commit_changes(git, None, session.work_tree.facts.head or "HEAD")
    beginnings, history = find_beginnings(read), [_leave_out_own(one) for one in read]
    history = _cut_off(history) if session.repository.shallow else history
    contents, uncommitted = _read_uncommitted(session)
    history, uncommitted = leave_out_silent(session, history, uncommitted, beginnings)
    past = find_behind(history, known.start_line) if known.start_line else frozenset()
    choices = find_merge_choices(git, history, past)
    history = choices.history
    traces = tuple(_build_all_traces(session, handoffs, history, known))
    records = _add_former_names(find_records(handoffs), history)
    is_gated = known.start_line == "" or bool(past)
    scopes = assign_changes(history, uncommitted, traces, past, records, choices.kept, is_gated=is_gated)
    cut_off = _find_cut_off(session, history, known, past)
    problems = tuple(_find_problems(session, traces, known, cut_off))
    merged = find_merged_branches(history)
    return FoundScopes(
        replace(scopes, merged=merged, cut_off=cut_off, problems=problems), history, contents, uncommitted
    )


def _find_cut_off(
    session: Session, history: Sequence[ChangedCommit], known: LogTraces, past: frozenset[str]
) -> frozenset[str]:
    """The first commits of a shallow clone, or of a history that doesn't contain the start line."""
    is_cut_off = session.repository.shallow or (known.start_line and not past)
    return frozenset(one.id for one in history if is_cut_off and not one.parents and one.id not in past)


def _cut_off(history: Sequence[ChangedCommit]) -> list[ChangedCommit]:
    """A shallow history: the commits where it ends seem to add every file, and say nothing about who did."""
    return [one if one.parents else one._replace(changes=()) for one in history]


def _find_problems(
    session: Session, traces: Sequence[Traces], known: LogTraces, cut_off: frozenset[str]
) -> Iterator[str]:
    if session.repository.shallow:
        yield "this clone is shallow, so work before its end has no handoff here; git fetch --unshallow brings it"
    elif cut_off:
        line = str(known.start_line)[:_SHOWN_ID]
        yield (
            f"the start line {line} is not in this history, so nobody can tell what changed since: "
            "after a rewrite, move it with `policy propose --edit`"
        )
    present = {found.handoff: found for found in traces}
    for handoff, stated in known.stated.items():
        for path in stated.paths:
            if path.startswith("/") or ".." in path.split("/"):
                yield f'[scopes."{handoff}"] names {path}, which leads out of the repository: no change is there'
        found = present.get(handoff)
        if found is None:
            yield f'[scopes."{handoff}"] is about a handoff that is not here, so it says nothing'
        elif found.person is None:
            named = " or ".join(name[:_SHOWN_ID] for name in (stated.since, stated.until) if name)
            yield (
                f'[scopes."{handoff}"] names a commit that is not in this history ({named}), so it says nothing: '
                "after a rebase, state it again with `submit --since`"
            )


def _leave_out_own(commit: ChangedCommit) -> ChangedCommit:
    """The commit without changes of the log."""
    return commit.without(set(filter(is_own, commit.paths))) if commit.may_change(OWN_FOLDER) else commit


def _add_former_names(records: frozenset[str], history: Sequence[ChangedCommit]) -> frozenset[str]:
    """Also the names that a review had before it was filed away in its folder: they never held anything else."""
    if not records:
        return records
    folders = tuple({path.rpartition("/")[0] for path in records})
    changes = [
        change
        for commit in history
        for change in commit.changes
        if change.path.startswith(folders) and not change.removed
    ]
    contents = {(change.path.rpartition("/")[0], change.blob) for change in changes if change.path in records}
    fitting: dict[str, bool] = {}
    for change in changes:
        known = (change.path.rpartition("/")[0], change.blob) in contents
        fitting[change.path] = known and fitting.get(change.path, True)
    return records | {path for path, fits in fitting.items() if fits}


def find_behind(history: Sequence[ChangedCommit], commit: str) -> frozenset[str]:
    """A commit and everything before it; empty if it is not in this history."""
    behind = {commit}
    for one in reversed(history):
        if one.id in behind:
            behind.update(one.parents)
    return frozenset(behind) if any(one.id == commit for one in history) else frozenset()


def _build_all_traces(
    session: Session, handoffs: tuple[Handoff, ...], history: Sequence[ChangedCommit], known: LogTraces
) -> Iterable[Traces]:
    shared = find_shared_documents(handoffs)
    ids = sorted(commit.id for commit in history)
    ranges = _StatedRanges(session, history)
    by_run, on_branch = known.find_run_commits(history), find_merged_commits(history, handoffs)
    for handoff in handoffs:
        found = build_traces(handoff, shared)
        stated = known.stated.get(handoff.id)
        yield replace(
            found,
            commits=frozenset(filter(None, (_find_id(ids, name) for name in list_named_commits(handoff)))),
            run_commits=by_run.get(handoff.id, frozenset()),
            branch_commits=on_branch.get(handoff.id, frozenset()),
            person=None if stated is None else ranges.build(stated),
            undecided=handoff.id not in known.decided,
        )


class _StatedRanges:
    """What stated scopes mean in this history."""

    def __init__(self, session: Session, history: Sequence[ChangedCommit]) -> None:
        self._session, self._history = session, history

    def build(self, stated: StatedScope) -> PersonSays | None:
        """None if it names a commit that is not in this history, say after a rebase: then nothing is known of it."""
        before = self._find_behind(stated.since) if stated.since else frozenset()
        judged = self._find_behind(stated.until) if stated.until else None
        if (stated.since and not before) or (stated.until and not judged):
            return None
        if judged is None and not before:
            return PersonSays(paths=stated.paths)
        within = frozenset(one.id for one in self._history) if judged is None else judged
        return PersonSays(within - before, stated.paths, judged)

    def _find_behind(self, name: str) -> frozenset[str]:
        commit = resolve_commits(self._session.repository.git, [name])[name]
        return find_behind(self._history, commit) if commit else frozenset()


def _find_id(ids: list[str], written: str) -> str | None:
    """The full id that a document shortened; None if it is not in this history, or ambiguous."""
    prefix = written.casefold()
    if len(prefix) < _SHORTEST_ID:
        return None
    number = bisect_left(ids, prefix)
    fitting = [name for name in ids[number : number + 2] if name.startswith(prefix)]
    return fitting[0] if len(fitting) == 1 else None


def _read_uncommitted(session: Session) -> tuple[dict[str, WorkContent], list[UncommittedChange]]:
    """What differs from HEAD in the work tree, by bytes; a submodule by the commit that is checked out.

    Also files whose changes git was told to overlook.
    """
    facts, root = session.work_tree.facts, session.repository.root
    tracked = [*facts.changed, *list_overlooked(session)]
    before = _read_head(session, tracked)
    submodules = frozenset(facts.submodules)
    contents: dict[str, WorkContent] = {}
    changes = []
    for name in sorted({*tracked, *facts.untracked}):
        path = name.rstrip("/")
        content = read_work_content(root, path, session.repository.object_format)
        if content is not None:
            contents[path] = content
        now = DELETED if content is None else Content(content.mode, content.blob)
        if content is None and (path in submodules or path != name):  # with a slash, a nested repository
            commit = read_submodule_commit(root, path)
            none = DELETED if path == name else Content(SUBMODULE, "0" * session.repository.id_width)
            now = none if commit is None else Content(SUBMODULE, commit)
        if now != before.get(path, DELETED):
            changes.append(UncommittedChange(path, before.get(path, DELETED), now))
    return contents, changes


def list_overlooked(session: Session) -> tuple[str, ...]:
    """Lists the tracked files whose changes git was told not to see; in a sparse checkout, those that are there."""
    overlooked = session.work_tree.overlooked
    settings = session.repository.git.list_config() if overlooked else ()
    sparse = any(key == "core.sparsecheckout" and value != "false" for _, key, value in settings)
    return tuple(path for path in overlooked if not sparse or os.path.lexists(session.repository.root / path))


def _read_head(session: Session, paths: list[str]) -> dict[str, Content]:
    """What HEAD holds at these paths."""
    head = session.work_tree.facts.head
    found = find_files_in(session.repository.git, head, paths) if paths and head is not None else {}
    return {path: Content(entry.mode.decode("ascii"), entry.object) for path, entry in found.items()}
