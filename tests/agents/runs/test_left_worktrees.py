from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.runs.worktrees import list_left_worktrees, open_worktree, remove_left_worktrees
from handoff_tui.git.repository import Repository, open_repository
from tests.support.repositories import RepositoryBuilder

KEY = RunKey(handoff="H-1", phase="build")


@pytest.fixture
def repository(builder: RepositoryBuilder) -> Repository:
    builder.write("a").write(".gitignore", "HANDOFF.md\n*.pyc\n").commit()
    return open_repository(builder.folder)


@pytest.fixture
def tree(repository: Repository) -> RepositoryBuilder:
    """A work tree of an agent, with a commit on its branch."""
    return RepositoryBuilder(open_worktree(repository, KEY).folder).write("b").commit()


def test_tree_whose_work_is_in_commits_is_taken_away_and_its_branch_stays(
    repository: Repository, tree: RepositoryBuilder, builder: RepositoryBuilder
) -> None:
    """What can be made again does not keep it; the commits are there, and the tree can be made again."""
    head = tree.write("x.pyc").head()
    [left] = list_left_worktrees(repository)
    assert (left.kept, left.branch) == ("", "handoff-tui/H-1/build/a1")
    assert remove_left_worktrees(repository, "H-1", ()) == (left,)
    assert not tree.folder.exists()
    assert builder.git("rev-parse", "handoff-tui/H-1/build/a1") == head
    assert builder.git("worktree", "list").count("\n") == 0
    assert RepositoryBuilder(open_worktree(repository, KEY).folder).head() == head


@pytest.mark.parametrize(
    ("path", "words"),
    [("loose.txt", "uncommitted work: loose.txt"), ("a", "uncommitted work: a"), ("HANDOFF.md", "that git ignores")],
)
def test_tree_with_work_of_its_own_is_kept(
    path: str, words: str, repository: Repository, tree: RepositoryBuilder
) -> None:
    """Whether git sees it or not; the reason is told."""
    tree.write(path, "mine\n")
    assert remove_left_worktrees(repository, "H-1", ()) == ()
    assert words in list_left_worktrees(repository)[0].kept
    assert (tree.folder / path).read_text(encoding="utf-8") == "mine\n"


def test_commits_that_nothing_leads_to_keep_the_tree(repository: Repository, tree: RepositoryBuilder) -> None:
    """An agent may leave its branch."""
    tree.step("checkout", "--quiet", "--detach").write("c").commit()
    assert remove_left_worktrees(repository, "H-1", ()) == ()
    assert "no branch or tag" in list_left_worktrees(repository)[0].kept


def test_change_that_git_was_told_to_overlook_keeps_the_tree(repository: Repository, tree: RepositoryBuilder) -> None:
    """`git status` says nothing of it."""
    tree.step("update-index", "--assume-unchanged", "a").write("a", "hidden\n")
    assert "overlook" in list_left_worktrees(repository)[0].kept


def test_decisions_are_no_work_of_the_tree_unless_they_differ(
    repository: Repository, tree: RepositoryBuilder, builder: RepositoryBuilder
) -> None:
    """They were copied there; one that the repository has not is kept."""
    for one in (builder, tree):
        one.write(".handoff-tui/log/aa/x", "entry\n")
    assert list_left_worktrees(repository)[0].kept == ""
    tree.write(".handoff-tui/log/aa/x", "another\n")
    assert "not in the repository" in list_left_worktrees(repository)[0].kept


def test_busy_and_foreign_trees_are_left_alone(repository: Repository, tree: RepositoryBuilder) -> None:
    """Somebody works there, or it is another handoff's."""
    assert remove_left_worktrees(repository, "H-1", {tree.folder}) == ()
    assert remove_left_worktrees(repository, "H-2", ()) == ()
    assert "works in it" in list_left_worktrees(repository, {tree.folder})[0].kept
    assert tree.folder.exists()


def test_folder_that_cannot_be_read_is_told(repository: Repository, tree: RepositoryBuilder) -> None:
    """What is in it may be work."""
    Path(tree.folder, ".git").write_text("gitdir: /nowhere\n", encoding="utf-8")
    [left] = list_left_worktrees(repository)
    assert left.kept.startswith("it cannot be read")
