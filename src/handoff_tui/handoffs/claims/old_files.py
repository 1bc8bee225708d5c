"""What files were at earlier commits, and which commit touched them last; each asked for once."""

from __future__ import annotations

from functools import cache

from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import find_last_commit, is_cut_off
from handoff_tui.git.objects.reader import ObjectReader


class OldFiles:
    """The past of one repository, for all that measure in one run."""

    def __init__(self, git: Git) -> None:
        self._reader = ObjectReader(git)
        self.find_commit = cache(lambda path: find_last_commit(git, path))
        self.is_cut_off = cache(lambda commit: is_cut_off(git, commit))

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """A content by object name; nothing for what is missing or too large."""
        return self._reader.read(name, max_bytes)

    def close(self) -> None:
        """Ends the git process that answers; it is started again when it is needed."""
        self._reader.close()
