from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.runs.worktrees import find_worktree, open_worktree
from handoff_tui.core.errors import AgentRunError
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder

KEY = RunKey(handoff="notes/HANDOFF.md", phase="GREEN", attempt=2)


def test_worktree_is_made_on_a_branch_of_its_own(builder: RepositoryBuilder) -> None:
    """Outside the repository, at the same commit; a second try goes on in it."""
    builder.write("a").commit()
    repository = open_repository(builder.folder)
    made = open_worktree(repository, KEY)
    assert made == find_worktree(repository, KEY)
    assert made.branch == "handoff-tui/notes-HANDOFF.md/GREEN/a2"
    inner = RepositoryBuilder(made.folder)
    assert (inner.head(), inner.git("symbolic-ref", "--short", "HEAD")) == (builder.head(), made.branch)
    inner.write("b").commit()
    assert open_worktree(repository, KEY) == made
    assert made.folder.joinpath("b").exists()
    assert not made.folder.is_relative_to(builder.folder)


def test_worktree_that_was_deleted_is_made_again(builder: RepositoryBuilder) -> None:
    """On the branch that is still there, with its work."""
    import shutil  # noqa: PLC0415

    builder.write("a").commit()
    repository = open_repository(builder.folder)
    made = open_worktree(repository, KEY)
    head = RepositoryBuilder(made.folder).write("b").commit().head()
    shutil.rmtree(made.folder)
    open_worktree(repository, KEY)
    assert RepositoryBuilder(made.folder).head() == head


def test_decisions_that_are_in_no_commit_are_there_too(builder: RepositoryBuilder) -> None:
    """Else they would seem to be lost; what is there already stays, links are not followed."""
    builder.write("a").commit().write(".handoff-tui/log/aa/x", "entry\n").link(".handoff-tui/y", Path("/etc/passwd"))
    repository = open_repository(builder.folder)
    paths = (".handoff-tui/log/aa/x", ".handoff-tui/y", ".handoff-tui/gone")
    made = open_worktree(repository, KEY, paths)
    assert made.folder.joinpath(paths[0]).read_text(encoding="utf-8") == "entry\n"
    assert not made.folder.joinpath(paths[1]).exists()
    open_worktree(repository, KEY, paths)


def test_worktree_that_git_refuses_is_told(builder: RepositoryBuilder) -> None:
    """With the other way."""
    repository = open_repository(builder.folder)
    with pytest.raises(AgentRunError, match="no work tree") as refused:
        open_worktree(repository, KEY)
    assert 'folder = "repository"' in refused.value.hint
