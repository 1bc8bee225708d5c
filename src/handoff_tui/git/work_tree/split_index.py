"""Reading a split index without touching it.

Git marks the shared part of a split index as used by setting its mtime, on every read. Looking must change nothing, so
a repository that has one is read through a copy of its index in a temporary folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handoff_tui.core.errors import RepositoryError

_SHARED = "sharedindex.*"
_COPIED = ("HEAD", "index", "config.worktree", _SHARED)


@contextmanager
def spare_shared_index(work_tree: Path, git_dir: Path | None, common_dir: Path | None) -> Iterator[dict[str, str]]:
    """The environment that makes git read the copy; empty where nothing is shared."""
    if git_dir is None or common_dir is None or not any(git_dir.glob(_SHARED)):
        yield {}
        return
    import tempfile  # noqa: PLC0415 - few repositories have a split index, and every run would pay for it

    with tempfile.TemporaryDirectory(prefix="handoff-tui-") as folder:
        try:
            _copy_index(git_dir, Path(folder))
        except OSError as refused:
            raise RepositoryError(
                f"the split index of {work_tree} cannot be read: {refused}",
                "Run git update-index --no-split-index there.",
            ) from refused
        (Path(folder) / "commondir").write_bytes(os.fsencode(common_dir) + b"\n")
        yield {"GIT_DIR": folder, "GIT_WORK_TREE": str(work_tree)}


def _copy_index(git_dir: Path, folder: Path) -> None:
    for pattern in _COPIED:
        for original in git_dir.glob(pattern):
            # an old repository's HEAD is a link whose target is the name of the branch
            follow = original.name != "HEAD"
            times = original.stat(follow_symlinks=follow)
            shutil.copyfile(original, folder / original.name, follow_symlinks=follow)
            # by this time git knows which files may have changed right after it looked; a later one hides that
            os.utime(folder / original.name, ns=(times.st_atime_ns, times.st_mtime_ns), follow_symlinks=follow)
