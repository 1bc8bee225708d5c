"""A work tree of its own in a temporary folder, moved from commit to commit; gone when it is left, however that is.

Its HEAD and its index lie in it: the repository's own work tree, index and list of work trees are as they were.
"""

from __future__ import annotations

import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handoff_tui.errors import StoreWriteError
from handoff_tui.repo.commit_view import make_private_head
from handoff_tui.repo.git import Git
from handoff_tui.repo.repository import Repository

_PREFIX = "handoff-tui-trial-"


class TrialTree:
    """The files of one commit after another."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        self._repository = repository
        self.folder = folder

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
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        yield TrialTree(repository, folder)
    finally:
        shutil.rmtree(folder, onerror=_make_writable)


def _make_writable(function: Callable[..., object], path: str, _: object) -> None:
    """A command may have taken its own permissions away; what still resists stays in the temporary folder."""
    with suppress(OSError):
        place = Path(path)
        place.parent.chmod(stat.S_IRWXU)
        if not place.is_symlink():
            place.chmod(stat.S_IRWXU)
        function(path)
