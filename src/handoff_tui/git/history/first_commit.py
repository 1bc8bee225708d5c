"""What all clones of a repository have in common: its first commit."""

from __future__ import annotations

import os

from handoff_tui.git.command import Git


def read_first_commit(git: Git) -> str | None:
    """The first commit that HEAD goes back to, the least of them where there are several; nothing without a commit."""
    answer = git.run("rev-list", "--max-parents=0", "HEAD")
    return min(os.fsdecode(answer.stdout).split(), default=None) if answer.ok else None
