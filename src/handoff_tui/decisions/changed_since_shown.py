"""Finds what has changed since work was examined: commit, files, handoff. Only what was shown is signed."""

from __future__ import annotations

from handoff_tui.core.errors import DecisionForbiddenError, HandoffError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.work_tree.capture import write_work_tree
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Desk, reopen_desk
from handoff_tui.log.gates.position import build_handoff_digest
from handoff_tui.system.files.cache_files import find_cache_folder

_NAMED = 5


def refuse_changed(examined: ExaminedGate) -> None:
    """Looks at HEAD, the files and the handoff again; raises if any of them has changed."""
    changes = find_changes_since(examined)
    if changes:
        raise DecisionForbiddenError(
            f"the work has changed since it was shown, so nothing was signed: {'; '.join(changes)}",
            "Look again, then decide.",
        )


def find_changes_since(examined: ExaminedGate) -> tuple[str, ...]:
    """Says in words what has changed since the examination; empty if nothing has."""
    now = reopen_desk(examined.desk)
    tree = write_work_tree(now.repository, find_cache_folder(now.repository.root))
    then = examined.subject.commit
    changes: list[str] = []
    if tree.commit != then:
        found = tree.commit[:SHORT_COMMIT] if tree.commit else "none"
        changes.append(f"the commit has changed: {then[:SHORT_COMMIT]} → {found}")
    if tree.tree != examined.work_tree:
        changes.append(_name_files(now, examined.work_tree, tree.tree))
    # even if no file has changed: a handoff may be in git notes, or in a folder that git ignores
    changes.extend(_find_handoff_change(now, examined))
    return tuple(changes)


def _name_files(now: Desk, old: str, new: str) -> str:
    objects = offer_objects(now.repository, find_cache_folder(now.repository.root))
    try:
        changes = list_changes(now.repository.git, old, new, extra=objects)
    except HandoffError:  # their ids say that they differ
        return "files have changed"
    # a line end in a name must not start a line of ours
    names = [change.path.replace("\n", "\\n") for change in changes]
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{'1 file' if len(names) == 1 else f'{len(names)} files'} changed: {shown}"


def _find_handoff_change(now: Desk, examined: ExaminedGate) -> tuple[str, ...]:
    found = next((one for one in read_repository(now).result.handoffs if one.id == examined.handoff.id), None)
    if found is None:
        return ("the handoff is gone",)
    if build_handoff_digest(found) != examined.subject.handoff:
        return ("the handoff was edited",)
    return ()
