"""A repository as if an old commit were checked out: git with a separate HEAD, outside the repository.

Refs, objects and configuration are the repository's (as for `git worktree`), the HEAD lies in a temporary folder. So
nothing is written to the repository, and whoever asks about HEAD is told of then.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from threading import Lock

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.git.repository import Repository
from handoff_tui.git.session import RepositorySession

_PREFIX = "handoff-tui-"
_lock = Lock()
_folders: list[Path] = []


def offer_commit_view(repository: Repository, commit: str) -> Repository:
    """Offers the repository at a commit. Its root stays that of the work tree, which isn't changed."""
    named = hashlib.sha256(os.fsencode(repository.common_dir)).hexdigest()[:16]
    folder = _offer_folder() / named / commit
    try:
        if not (folder / ".git" / "HEAD").is_file():
            make_private_head(folder, repository.common_dir, commit)
    except OSError as refused:
        raise StoreWriteError(
            f"{folder} cannot be written: {refused.strerror}", "Make room in the temporary folder (TMPDIR)."
        ) from refused
    git_dir = folder / ".git"
    git = RepositorySession(folder, repository.git.overrides, git_dir, repository.common_dir)
    return repository._replace(git=git, git_dir=git_dir)


def make_private_head(folder: Path, common_dir: Path, commit: str) -> Path:
    """Creates a folder that git accepts as a work tree of the repository, at a commit; returns its git folder."""
    git_dir = folder / ".git"
    git_dir.mkdir(parents=True, mode=0o700, exist_ok=True)
    (git_dir / "commondir").write_bytes(os.fsencode(common_dir) + b"\n")
    (git_dir / "HEAD").write_text(f"{commit}\n", encoding="ascii")
    return git_dir


def _offer_folder() -> Path:
    """One folder for all views of this process; removed when the process ends."""
    with _lock:
        if not _folders or not _folders[-1].is_dir():  # a clean-up of the temporary folder may delete it
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            _folders.append(folder)
        return _folders[-1]
