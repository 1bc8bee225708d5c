"""What has moved since work was examined: the commit, the files, the handoff. What was shown is what is signed."""

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
    """HEAD, the files and the handoff are looked at once more; an error says what is not as it was."""
    moves = find_changes_since(examined)
    if moves:
        raise DecisionForbiddenError(
            f"the work has changed since it was looked at, so nothing was signed: {'; '.join(moves)}",
            "Look again, then decide.",
        )


def find_changes_since(examined: ExaminedGate) -> tuple[str, ...]:
    """What differs now from what was examined, in words; nothing where nothing does."""
    now = reopen_desk(examined.desk)
    tree = write_work_tree(now.repository, find_cache_folder(now.repository.root))
    then = examined.subject.commit
    moves: list[str] = []
    if tree.commit != then:
        found = tree.commit[:SHORT_COMMIT] if tree.commit else "none"
        moves.append(f"the commit is another one now: {then[:SHORT_COMMIT]} → {found}")
    if tree.tree != examined.work_tree:
        moves.append(_name_files(now, examined.work_tree, tree.tree))
    # also where no file has moved: a handoff may lie in git notes, or in a folder that git ignores
    moves.extend(_find_handoff_move(now, examined))
    return tuple(moves)


def _name_files(now: Desk, old: str, new: str) -> str:
    objects = offer_objects(now.repository, find_cache_folder(now.repository.root))
    try:
        changes = list_changes(now.repository.git, old, new, extra=objects)
    except HandoffError:  # that they differ is sure by their ids
        return "files have changed"
    # a line end in a name must not begin a line of our own words
    names = [change.path.replace("\n", "\\n") for change in changes]
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{'1 file' if len(names) == 1 else f'{len(names)} files'} changed: {shown}"


def _find_handoff_move(now: Desk, examined: ExaminedGate) -> tuple[str, ...]:
    found = next((one for one in read_repository(now).result.handoffs if one.id == examined.handoff.id), None)
    if found is None:
        return ("the handoff itself is gone",)
    if build_handoff_digest(found) != examined.subject.handoff:
        return ("the handoff itself was edited",)
    return ()
