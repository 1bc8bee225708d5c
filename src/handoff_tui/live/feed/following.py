"""The next scene of a repository, read as cheaply as what changed allows."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.git.history.change_times import read_commit_times, read_disk_times
from handoff_tui.git.work_tree.patched_tree import PatchedTree, is_listed, patch_work_tree
from handoff_tui.handoffs.formats.registry import DIALECTS
from handoff_tui.handoffs.read_handoffs import Reading
from handoff_tui.handoffs.reading.read import Harvest, list_text_names, read_again
from handoff_tui.live.feed.notices import Notices
from handoff_tui.live.feed.snapshot import Patch, Scene, Workings, build_inbox_facts, read_scene
from handoff_tui.live.feed.verdict_cache import ClaimBook
from handoff_tui.status.inbox import build_inbox
from handoff_tui.status.refresh import Bench, build_state
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState
from handoff_tui.system.files.probe import OFTEN_IGNORED

MOST_PATHS = 16
"""More than these at once are not followed one by one."""
_MOST_PATCHES = 200
"""After so many everything is read anew, so that a patch that was wrong does not stay for ever."""


def follow(root: Path, scene: Scene | None, notices: Notices) -> Scene:
    """The scene as of now; the very same one where nothing has changed."""
    if scene is None:
        return read_scene(root, 1)
    patched = None if notices.refs or notices.everything else _patch(scene, notices.paths)
    return read_scene(root, scene.version + 1) if patched is None else patched


def _patch(scene: Scene, paths: frozenset[str]) -> Scene | None:
    """The scene after a few files were saved; nothing where everything must be read."""
    if len(paths) > MOST_PATHS or len(scene.patches) >= _MOST_PATCHES or REPOSITORY_FILE in paths:
        return None
    desk = scene.desk
    if any(_is_looked_into(path) and not is_listed(desk.work_tree.paths, path) for path in paths):
        return None
    found = patch_work_tree(desk.repository, desk.work_tree, scene.workings.gone, scene.workings.rules, paths)
    if found is None:
        return None
    return _build_next(scene, found) if found.paths or found.vanished else scene


def _is_looked_into(path: str) -> bool:
    """Whether it is a place that is looked at even where git ignores it."""
    return any(path == name or path.startswith(f"{name}/") for name in OFTEN_IGNORED)


def _build_next(scene: Scene, found: PatchedTree) -> Scene:
    desk = scene.desk._replace(work_tree=found.tree)
    presence = found.presence or scene.workings.book.has_sought(found.vanished)
    patch = Patch(scene.version + 1, found.paths | found.vanished, presence)
    shelf, before = scene.reading.shelf, scene.reading.harvest
    reading, names = scene.reading, scene.workings.names
    if presence or any(shelf.has_read(path) for path in patch.paths):
        later = shelf.move_on(found.tree, patch.paths, presence=presence)
        names = list_text_names(later.paths) if presence else names
        reading = Reading(later, _keep_same(before, read_again(later, DIALECTS, names, scene.workings.memory)))
    moved = replace(scene, version=patch.version, desk=desk, reading=reading, patches=(*scene.patches, patch))
    return _review(scene, moved, patch, scene.workings._replace(gone=found.gone, names=names))


def _keep_same(before: Harvest, harvest: Harvest) -> Harvest:
    """Handoffs that are read as they were are the very same values: what was found out about them holds."""
    if harvest == before:
        return before
    known = {handoff.id: handoff for handoff in before.handoffs}
    handoffs = (known[one.id] if known.get(one.id) == one else one for one in harvest.handoffs)
    return harvest._replace(handoffs=tuple(handoffs))


def _review(scene: Scene, moved: Scene, patch: Patch, workings: Workings) -> Scene:
    """Measures and judges again what may differ now."""
    harvest = moved.reading.harvest
    if patch.presence:
        workings = workings._replace(book=ClaimBook(moved.desk, harvest.handoffs, deep=False))
        touched = frozenset(handoff.id for handoff in harvest.handoffs)
    else:
        touched = workings.book.move_on(moved.desk, patch.paths, harvest.handoffs)
    if harvest is not scene.reading.harvest:
        closed = moved.desk.loaded.refused_shortly
        workings = workings._replace(bench=Bench(harvest, moved.gates, workings.bench, closed=closed))
        touched = frozenset(handoff.id for handoff in harvest.handoffs)  # one may wait for another
    reviewed = _review_touched(scene, moved, workings, touched)
    state = build_state(moved.desk, harvest, reviewed, patch.version)
    kept = {path: time for path, time in scene.changed.items() if path not in patch.paths}
    changed = kept | _read_times(moved, state, patch.paths)
    if reviewed == scene.state.handoffs and changed == scene.changed:
        return replace(moved, state=state, workings=workings)
    inbox = build_inbox(state, build_inbox_facts(moved.desk, moved.reviewer, changed, moved.gates))
    return replace(moved, state=state, changed=changed, inbox=inbox, workings=workings)


def _read_times(moved: Scene, state: ReviewState, paths: frozenset[str]) -> dict[str, datetime]:
    """When the documents among these paths last changed."""
    documents = {document.path for one in state.handoffs for document in one.handoff.documents}
    saved = documents.intersection(paths)
    uncommitted = saved.intersection((*state.repository.changed, *state.repository.untracked))
    times = read_disk_times(moved.desk.repository.root, uncommitted)
    if saved == uncommitted:
        return times
    return times | read_commit_times(moved.desk.repository.git, saved - uncommitted, shallow=state.repository.shallow)


def _review_touched(
    scene: Scene, moved: Scene, workings: Workings, touched: frozenset[str]
) -> tuple[ReviewedHandoff, ...]:
    """Where a handoff is reviewed with the same result, the old value stays, so that nobody draws it again."""
    known = {one.handoff.id: one for one in scene.state.handoffs}
    reviewed: list[ReviewedHandoff] = []
    for handoff in moved.reading.harvest.handoffs:
        before = known.get(handoff.id)
        if before is not None and handoff.id not in touched:
            reviewed.append(before)
            continue
        now = workings.bench.review(handoff, workings.book.measure(handoff))
        reviewed.append(before if before == now else now)
    return tuple(reviewed)
