"""Work trees that agents have left: taken away when all of their work is kept elsewhere, else named with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from handoff_tui.agents.runs.run import LeftWorktree
from handoff_tui.agents.runs.state import build_name
from handoff_tui.agents.runs.worktrees import find_worktrees_folder
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.repository import Repository, WorkTree, open_repository, read_work_tree
from handoff_tui.system.files.probe import OFTEN_IGNORED, list_named

_AT_WORK = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply")
_BUSY = "an agent works in it, or its work was not looked at yet"


def list_left_worktrees(repository: Repository, busy: Collection[Path] = ()) -> tuple[LeftWorktree, ...]:
    """Every work tree of an agent of this repository; `busy` are folders that somebody still needs."""
    top = find_worktrees_folder(repository)
    return tuple(_look(repository, place.parent, busy) for place in sorted(top.glob("*/*/a*/.git")))


def remove_left_worktrees(repository: Repository, handoff: str, busy: Collection[Path]) -> tuple[LeftWorktree, ...]:
    """Takes away those of a handoff that hold nothing of their own; branches stay. Returns what was taken away."""
    top = find_worktrees_folder(repository) / build_name(handoff)
    left = [_look(repository, place.parent, busy) for place in sorted(top.glob("*/a*/.git"))]
    return tuple(
        one
        for one in left
        # forced, since everything was looked at: without it git looks again, by the folder's own configuration
        if not one.kept and repository.git.run("worktree", "remove", "--force", "--", one.folder).ok
    )


def _look(repository: Repository, folder: Path, busy: Collection[Path]) -> LeftWorktree:
    if folder in busy:
        return LeftWorktree(folder=str(folder), kept=_BUSY)
    try:
        opened = open_repository(folder)
        work_tree = read_work_tree(opened)
        kept = next(_list_reasons(repository, opened, work_tree), "")
    except HandoffError as unread:
        return LeftWorktree(folder=str(folder), kept=f"it cannot be read: {unread.message}")
    return LeftWorktree(folder=str(folder), branch=work_tree.facts.branch, kept=kept)


def _list_reasons(repository: Repository, opened: Repository, work_tree: WorkTree) -> Iterator[str]:
    """What would be lost with it."""
    facts = work_tree.facts
    if opened.common_dir != repository.common_dir:
        yield "it belongs to another repository"
    if facts.changed or facts.untracked:
        yield f"uncommitted work: {_name([*facts.changed, *facts.untracked])}"
    if work_tree.overlooked or facts.submodules:
        yield "files that git was told to overlook, or repositories inside it"
    own = [path for path in facts.own_uncommitted if not _is_same(repository.root / path, opened.root / path)]
    if own:
        yield f"decisions that are not in the repository: {_name(own)}"
    ignored = [path for path in list_named(opened.root, OFTEN_IGNORED) if path not in work_tree.tracked.paths]
    if ignored:
        yield f"files of a handoff that git ignores: {_name(ignored)}"
    if any((opened.git_dir / name).exists() for name in _AT_WORK):
        yield "a merge or rebase that is not finished"
    if not _is_reachable(opened, facts):
        yield "commits that no branch or tag leads to"


def _is_reachable(opened: Repository, facts: RepositoryFacts) -> bool:
    if facts.head is None:
        return False
    places = ("refs/heads", "refs/tags", "refs/remotes")
    answer = opened.git.run("for-each-ref", "--count=1", f"--contains={facts.head}", *places)
    return answer.ok and bool(answer.text)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return not other.is_symlink() and one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _name(paths: list[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"
