"""Work trees for agents, each on its own branch: made, listed, and removed once nothing in them would be lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from handoff_tui.agents.runs.folders import build_name, list_runs
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import AGENT_STEP, LeftWorktree, RunKey, RunState, RunStatus
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import AgentRunError, HandoffError, StoreWriteError
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.git.history.commit_graph import is_ancestor
from handoff_tui.git.repository import Repository, WorkTree, open_repository, read_work_tree
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.scope.merges import AGENT_BRANCHES, build_branch_part
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.atomic_write import build_write_error, write_file
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.named_files import read_optional
from handoff_tui.system.files.probe import OFTEN_IGNORED, list_named
from handoff_tui.system.files.reader import FileReader

_FOLDER = "worktrees"
_LARGEST = 64 << 20
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply")


class AgentWorktree(NamedTuple):
    """Where an agent works, and on which branch."""

    folder: Path
    branch: str
    base: str = "HEAD"
    """What the branch begins at if it is new."""


def find_worktree(repository: Repository, key: RunKey, base: str = "HEAD") -> AgentWorktree:
    """Returns the work tree of an attempt, which all its runs share."""
    branch = "/".join((AGENT_BRANCHES, build_branch_part(key.handoff), build_id(key.phase), f"a{key.attempt}"))
    folder = _find_top(repository) / build_name(key.handoff) / build_name(key.phase) / f"a{key.attempt}"
    return AgentWorktree(folder, branch, base)


def find_unmerged(repository: Repository, states: Iterable[RunState]) -> str | None:
    """Returns the branch with the newest work of a handoff, if that is not merged here; `states` are its runs."""
    last = next((one for one in reversed([*states]) if one.key.step == AGENT_STEP and one.is_over), None)
    if last is None or last.plan is None or last.plan.folder == str(repository.root):
        return None
    branch = find_worktree(repository, last.key).branch
    head = repository.git.run("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}").text.strip()
    return None if not head or is_ancestor(repository.git, head, "HEAD") else branch


def open_worktree(
    repository: Repository, key: RunKey, own_files: tuple[str, ...] = (), base: str = "HEAD"
) -> AgentWorktree:
    """Makes the work tree if it is missing, and copies `own_files` there: decisions that no commit has yet."""
    worktree = find_worktree(repository, key, base)
    folder, branch, _ = worktree
    if not (folder / ".git").exists():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as refused:
            raise build_write_error(refused, str(folder)) from refused
        repository.git.run("worktree", "prune")
        has_branch = repository.git.run("show-ref", "--verify", "--quiet", f"refs/heads/{branch}").ok
        words = (str(folder), branch) if has_branch else ("-b", branch, str(folder), base)
        answer = repository.git.run("worktree", "add", "--quiet", *words)
        if not answer.ok:
            raise AgentRunError(
                f"can't make a work tree for {key.handoff} · {key.phase}: {answer.complaint}",
                'Or let the agent work in the repository itself: folder = "repository".',
            )
    tip, newest = repository.git.run("rev-parse", branch, base).text.split()
    if tip != newest and (base != "HEAD" or is_ancestor(repository.git, tip, "HEAD")):
        _go_on(open_repository(folder), branch, newest)
    _copy_files(repository.root, folder, own_files)
    return worktree


def _go_on(repository: Repository, branch: str, base: str) -> None:
    """Moves the branch of a work tree on to newer work of the same handoff."""
    aside = set_aside(repository, base)
    if not repository.git.run("merge", "--ff-only", "--quiet", base).ok:
        put_back(repository, aside)
        raise AgentRunError(
            f"{branch} can't go on from {base[:SHORT_DIGEST]}, where the newest work is",
            f"See what is in the way: git -C {repository.root} merge --ff-only {base[:SHORT_DIGEST]}",
        )


def set_aside(repository: Repository, commit: str) -> dict[str, bytes]:
    """Removes decisions and evidence that no commit has here, and that a commit brings byte by byte: git would stop.

    Returns them for `put_back`, in case that the merge fails.
    """
    root, found = repository.root, {}
    for path in read_work_tree(repository).facts.own_uncommitted:
        brought = repository.git.run("cat-file", "blob", f"{commit}:{path}")
        here = read_optional(FileReader(root, _LARGEST), path) if brought.ok else None
        if here is not None and here == brought.stdout:
            found[path] = here
            (root / path).unlink()
    return found


def put_back(repository: Repository, aside: dict[str, bytes]) -> None:
    for path, content in aside.items():
        write_file(repository.root, path, content)


def list_worktrees(session: Session) -> tuple[LeftWorktree, ...]:
    """Lists every work tree of an agent, with what keeps it."""
    busy = _list_busy(session, None)
    places = sorted(_find_top(session.repository).glob("*/*/a*/.git"))
    return tuple(_inspect(session.repository, place.parent, busy) for place in places)


def clear_worktrees(session: Session, handoff: str, needed: Path | None = None) -> tuple[LeftWorktree, ...]:
    """Removes the work trees of a handoff that hold no work and are not needed; returns them. Their branches stay."""
    repository = session.repository
    busy = _list_busy(session, handoff) | ({needed} if needed is not None else set())
    places = sorted((_find_top(repository) / build_name(handoff)).glob("*/a*/.git"))
    left = [_inspect(repository, place.parent, busy) for place in places]
    return tuple(
        worktree
        for worktree in left
        # forced, because everything was inspected: otherwise git looks again, with the folder's own configuration
        if not worktree.kept and repository.git.run("worktree", "remove", "--force", "--", worktree.folder).ok
    )


def _find_top(repository: Repository) -> Path:
    """Returns the folder of all work trees: outside the repository, below the user's own state."""
    return find_choices_folder(repository.common_dir) / _FOLDER


def _copy_files(root: Path, folder: Path, paths: tuple[str, ...]) -> None:
    for path in paths:
        source, target = root / path, folder / path
        if os.path.lexists(target) or source.is_symlink() or not source.is_file():
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        except OSError as refused:
            raise StoreWriteError(f"can't write {target}: {refused.strerror}") from refused


def _list_busy(session: Session, handoff: str | None) -> set[Path]:
    """Lists the folders of runs that go on, or that nobody has finished yet."""
    return {
        Path(state.plan.folder)
        for state in list_runs(session.repository.common_dir, handoff)
        if state.plan is not None and (state.status is not RunStatus.FINISHED or load_report(state) is None)
    }


def _inspect(repository: Repository, folder: Path, busy: Collection[Path]) -> LeftWorktree:
    if folder in busy:
        return LeftWorktree(folder=str(folder), kept="an agent works in it, or its work was not examined yet")
    try:
        opened = open_repository(folder)
        work_tree = read_work_tree(opened)
        kept = next(_list_reasons(repository, opened, work_tree), "")
    except HandoffError as unread:
        return LeftWorktree(folder=str(folder), kept=f"it can't be read: {unread.message}")
    return LeftWorktree(folder=str(folder), branch=work_tree.facts.branch, kept=kept)


def _list_reasons(repository: Repository, opened: Repository, work_tree: WorkTree) -> Iterator[str]:
    """Says what would be lost with it."""
    facts = work_tree.facts
    if opened.common_dir != repository.common_dir:
        yield "it belongs to another repository"
    if facts.changed or facts.untracked:
        yield f"uncommitted work: {_name([*facts.changed, *facts.untracked])}"
    if work_tree.overlooked or facts.submodules:
        yield "files that git was told to overlook, or nested repositories"
    own = [path for path in facts.own_uncommitted if not _is_same(repository.root / path, opened.root / path)]
    if own:
        yield f"decisions that the repository does not have: {_name(own)}"
    ignored = [path for path in list_named(opened.root, OFTEN_IGNORED) if path not in work_tree.tracked.paths]
    if ignored:
        yield f"handoff files that git ignores: {_name(ignored)}"
    if any((opened.git_dir / name).exists() for name in _UNFINISHED):
        yield "an unfinished merge or rebase"
    if not _is_reachable(opened, facts):
        yield "commits that no branch or tag contains"


def _is_reachable(opened: Repository, facts: RepositoryFacts) -> bool:
    if facts.head is None:
        return False
    places = ("refs/heads", "refs/tags", "refs/remotes")
    answer = opened.git.run("for-each-ref", "--count=1", f"--contains={facts.head}", *places)
    return answer.ok and bool(answer.text)


def _is_same(first: Path, other: Path) -> bool:
    try:
        return not other.is_symlink() and first.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _name(paths: list[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"
