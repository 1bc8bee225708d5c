"""A work tree of its own for an agent, on a branch of its own; what it does there touches nobody's files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.runs.state import build_name
from handoff_tui.core.errors import AgentRunError, StoreWriteError
from handoff_tui.git.repository import Repository
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.cache_files import find_choices_folder

_FOLDER = "worktrees"
_PREFIX = "handoff-tui"


class AgentWorktree(NamedTuple):
    """Where an agent works, and on which branch."""

    folder: Path
    branch: str


def find_worktrees_folder(repository: Repository) -> Path:
    """Where the work trees of agents are: outside the repository, below the user's own state."""
    return find_choices_folder(repository.common_dir) / _FOLDER


def find_worktree(repository: Repository, key: RunKey) -> AgentWorktree:
    """One for each attempt: every try of it goes on in the same place."""
    base = find_worktrees_folder(repository)
    branch = "/".join((_PREFIX, build_id(key.handoff).replace("/", "-"), build_id(key.phase), f"a{key.attempt}"))
    return AgentWorktree(base / build_name(key.handoff) / build_name(key.phase) / f"a{key.attempt}", branch)


def open_worktree(repository: Repository, key: RunKey, own_files: tuple[str, ...] = ()) -> AgentWorktree:
    """Makes it where it is missing. `own_files` are decisions that are in no commit yet: none may be missed there."""
    found = find_worktree(repository, key)
    if not (found.folder / ".git").exists():
        try:
            found.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as refused:
            raise build_write_error(refused, str(found.folder)) from refused
        repository.git.run("worktree", "prune")
        words = (
            (str(found.folder), found.branch)
            if _has_branch(repository, found.branch)
            else (
                "-b",
                found.branch,
                str(found.folder),
                "HEAD",
            )
        )
        answer = repository.git.run("worktree", "add", "--quiet", *words)
        if not answer.ok:
            raise AgentRunError(
                f"no work tree could be made for {key.handoff} · {key.phase}: {answer.complaint}",
                'Or let the agent work in the repository itself: folder = "repository".',
            )
    _copy_own(repository.root, found.folder, own_files)
    return found


def _has_branch(repository: Repository, branch: str) -> bool:
    return repository.git.run("show-ref", "--verify", "--quiet", f"refs/heads/{branch}").ok


def _copy_own(root: Path, folder: Path, paths: tuple[str, ...]) -> None:
    for path in paths:
        source, target = root / path, folder / path
        if os.path.lexists(target) or source.is_symlink() or not source.is_file():
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        except OSError as refused:
            raise StoreWriteError(f"{target} cannot be written: {refused.strerror}") from refused
