"""A work tree of its own in a temporary folder, moved from commit to commit; gone when it is left, however that is.

Its HEAD and its index lie in it: the repository's own work tree, index and list of work trees are as they were. Where
its owner was killed, the next one takes it away, with what still runs in it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_view import make_private_head
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.cache_files import load_json, write_json
from handoff_tui.system.processes.identity import is_same_process, read_birth, read_host
from handoff_tui.system.processes.run import end_marked

_PREFIX = "handoff-tui-trial-"
_OWNER = Path(".git", "handoff-tui-owner.json")


class TrialTree:
    """The files of one commit after another."""

    def __init__(self, repository: Repository, folder: Path, mark: str) -> None:
        """By `mark` the commands are known that run in it."""
        self._repository = repository
        self.folder = folder
        self.mark = mark

    def move_to(self, commit: str) -> None:
        """Puts the files of a commit there, and nothing else: what an earlier trial has left behind is taken away."""
        git_dir = make_private_head(self.folder, self._repository.common_dir, commit)
        git = Git(self.folder, self._repository.git.overrides, git_dir, self._repository.common_dir)
        git.read("read-tree", "--reset", "-u", commit)
        git.read("clean", "-ffdxq")

    def put(self, path: str, content: bytes, *, executable: bool) -> None:
        """Puts a content in the place of a file."""
        place = self.folder / path
        if place.is_symlink() or not place.resolve().is_relative_to(self.folder.resolve()):
            raise StoreWriteError(f"{path} is a link in this commit, and nothing is written through it")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o755 if executable else 0o644)


@contextmanager
def open_trial_tree(repository: Repository) -> Iterator[TrialTree]:
    """A work tree beside the repository; it is removed at the end, also after Ctrl-C."""
    remove_left_trials()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        yield TrialTree(repository, folder, _write_owner(folder))
    finally:
        shutil.rmtree(folder, onerror=_make_writable)


def remove_left_trials() -> None:
    """Takes away the work trees of this user whose owner is gone, and ends the commands that still run in them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = _read_owner(folder)
        if owner is not None and owner.host == read_host() and not is_same_process(owner.pid, owner.birth):
            end_marked(owner.mark)
            shutil.rmtree(folder, onerror=_make_writable)


class _Owner(NamedTuple):
    """The process that made a work tree; a pid is given out again, and means nothing on another machine."""

    pid: int
    birth: str
    host: str
    mark: str


def _write_owner(folder: Path) -> str:
    """Says whose it is; returns the mark of its commands."""
    owner = _Owner(os.getpid(), read_birth(os.getpid()) or "", read_host(), uuid.uuid4().hex)
    (folder / _OWNER).parent.mkdir(mode=0o700)
    write_json(folder / _OWNER, owner._asdict())  # where it fails, nobody takes it away but we
    return owner.mark


def _read_owner(folder: Path) -> _Owner | None:
    """The owner of a folder; None if it belongs to another user, or was not made here."""
    try:
        found = folder.lstat()
    except OSError:
        return None
    value = load_json(folder / _OWNER) if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() else None
    match value:
        case {"pid": int(pid), "birth": str(birth), "host": str(host), "mark": str(mark)} if birth and mark:
            return _Owner(pid, birth, host, mark)
    return None


def _make_writable(function: Callable[..., object], path: str, _: object) -> None:
    """A command may have taken its own permissions away; what still resists stays in the temporary folder."""
    with suppress(OSError):
        place = Path(path)
        place.parent.chmod(stat.S_IRWXU)
        if not place.is_symlink():
            place.chmod(stat.S_IRWXU)
        function(path)
