"""Reads the next snapshot of a repository as cheaply as the changes allow."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.classes import replace
from handoff_tui.git.history.last_changes import read_commit_times, read_disk_times
from handoff_tui.git.watch.noticed import Touched
from handoff_tui.git.work_tree.patched_tree import PatchedTree, SavedPaths, is_listed, patch_work_tree
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.live.feed.snapshot import IncrementalState, RepositorySnapshot, read_snapshot
from handoff_tui.status.inbox import build_inbox, build_inbox_facts
from handoff_tui.status.refresh import HandoffReviewer, build_state
from handoff_tui.status.review_state import ReviewState
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import OFTEN_IGNORED

MOST_PATHS = 16
"""More changed paths than this mean a full read."""
_RUN_RECORDS = f"{OWN_FOLDER}/runs/"
MOST_PATCHES = 200
"""After so many increments everything is read again, so that a mistake cannot last."""


def follow(root: Path, snapshot: RepositorySnapshot | None, touched: Touched) -> RepositorySnapshot:
    """Returns the snapshot as of now; the same one if nothing has changed."""
    if snapshot is None:
        return read_snapshot(root, 1)
    patched = None if touched.refs or touched.everything else _patch(snapshot, touched.paths)
    return read_snapshot(root, snapshot.version + 1) if patched is None else patched


def _patch(snapshot: RepositorySnapshot, paths: frozenset[str]) -> RepositorySnapshot | None:
    """Returns the snapshot after a few files were saved; None if everything must be read."""
    if len(paths) > MOST_PATHS or REPOSITORY_FILE in paths or snapshot.version - snapshot.log_version >= MOST_PATCHES:
        return None
    if any(path.startswith(_RUN_RECORDS) for path in paths):  # they say in which phase a handoff is
        return None
    session = snapshot.session
    if any(_is_looked_into(path) and not is_listed(session.work_tree.paths, path) for path in paths):
        return None
    found = patch_work_tree(session.repository, session.work_tree, snapshot.incremental.gone, paths)
    if found is None:
        return None
    return _build_next(snapshot, found) if found.saved.paths else snapshot


def _is_looked_into(path: str) -> bool:
    """Tells whether a path is read even if git ignores it."""
    return any(path == name or path.startswith(f"{name}/") for name in OFTEN_IGNORED)


def _build_next(snapshot: RepositorySnapshot, found: PatchedTree) -> RepositorySnapshot:
    session = snapshot.session._replace(work_tree=found.tree)
    presence = found.saved.presence or snapshot.incremental.verdict_cache.has_sought(found.vanished)
    saved = found.saved._replace(presence=presence)
    files, before = snapshot.reading.files, snapshot.reading.result
    reading = snapshot.reading
    if presence or any(files.has_read(path) for path in saved.paths):
        reading = read_repository(session, files.move_on(found.tree, saved), snapshot.incremental.memory)
        reading = reading._replace(result=_keep_same(before, reading.result))
    moved = replace(snapshot, version=snapshot.version + 1, session=session, reading=reading)
    return _review(snapshot, moved, saved, snapshot.incremental._replace(gone=found.gone))


def _keep_same(before: ReadHandoffs, handoffs_read: ReadHandoffs) -> ReadHandoffs:
    """Keeps the previous value of each handoff that reads the same, so that what was derived from it stays valid."""
    if handoffs_read == before:
        return before
    known = {handoff.id: handoff for handoff in before.handoffs}
    handoffs = (known[one.id] if known.get(one.id) == one else one for one in handoffs_read.handoffs)
    return handoffs_read._replace(handoffs=tuple(handoffs))


def _review(
    snapshot: RepositorySnapshot, moved: RepositorySnapshot, saved: SavedPaths, incremental: IncrementalState
) -> RepositorySnapshot:
    """Measures and reviews again what may differ now."""
    handoffs_read = moved.reading.result
    cache = incremental.verdict_cache.carry(moved.session, saved, handoffs_read.handoffs)
    verdicts = cache.measure_all()
    gates = None if moved.gates is None else moved.gates.renew(moved.session, handoffs_read.handoffs)
    closed = moved.session.loaded.refused_shortly
    handoff_reviewer = HandoffReviewer(moved.session, handoffs_read, gates, snapshot.handoff_reviewer, closed=closed)
    incremental = incremental._replace(verdict_cache=cache)
    moved = replace(moved, gates=gates, verdicts=verdicts, handoff_reviewer=handoff_reviewer, incremental=incremental)
    now = [handoff_reviewer.review(handoff, verdicts[handoff.id]) for handoff in handoffs_read.handoffs]
    known = {one.handoff.id: one for one in snapshot.state.handoffs}  # the same objects: nobody draws them again
    reviewed = tuple(known[one.handoff.id] if known.get(one.handoff.id) == one else one for one in now)
    state = build_state(moved.session, handoffs_read, handoff_reviewer, reviewed, moved.version)
    kept = {path: time for path, time in snapshot.changed.items() if path not in saved.paths}
    changed = kept | _read_times(moved, state, saved.paths)
    if reviewed == snapshot.state.handoffs and changed == snapshot.changed:
        return replace(moved, state=state)
    inbox = build_inbox(state, build_inbox_facts(moved.session, moved.reviewer, changed, moved.gates))
    return replace(moved, state=state, changed=changed, inbox=inbox)


def _read_times(moved: RepositorySnapshot, state: ReviewState, paths: frozenset[str]) -> dict[str, datetime]:
    """Returns when the documents among these paths last changed."""
    documents = {document.path for one in state.handoffs for document in one.handoff.documents}
    saved = documents.intersection(paths)
    uncommitted = saved.intersection((*state.repository.changed, *state.repository.untracked))
    times = read_disk_times(moved.session.repository.root, uncommitted)
    if saved == uncommitted:
        return times
    return times | read_commit_times(
        moved.session.repository.git, saved - uncommitted, shallow=state.repository.shallow
    )
