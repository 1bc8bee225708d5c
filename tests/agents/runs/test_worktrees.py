from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from handoff_tui.agents.runs.folders import write_run
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.runs.worktrees import clear_worktrees, find_worktree, list_worktrees, open_worktree
from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.step import start_step, stop_step
from handoff_tui.core.errors import AgentRunError
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import Session, open_session
from tests.support.repositories import RepositoryBuilder
from tests.support.step_reports import Runs
from tests.support.stepping import HANDOFF, Stepping

KEY = RunKey(handoff="notes/HANDOFF.md", phase="GREEN", attempt=2)
LEFT = RunKey(handoff="H-1", phase="build")


def test_worktree_is_made_on_a_branch_of_its_own(builder: RepositoryBuilder) -> None:
    """Outside the repository, at the same commit; a second run goes on in it."""
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
    builder.write("a").commit()
    repository = open_repository(builder.folder)
    made = open_worktree(repository, KEY)
    head = RepositoryBuilder(made.folder).write("b").commit().head()
    shutil.rmtree(made.folder)
    open_worktree(repository, KEY)
    assert RepositoryBuilder(made.folder).head() == head


def test_decisions_that_are_in_no_commit_are_there_too(builder: RepositoryBuilder) -> None:
    """Else they would seem to be lost; what is there already stays, links are not followed."""
    builder.write("a").commit().write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", "entry\n").link(
        ".handoff-tui/y", Path("/etc/passwd")
    )
    repository = open_repository(builder.folder)
    paths = (f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", ".handoff-tui/y", ".handoff-tui/gone")
    made = open_worktree(repository, KEY, paths)
    assert made.folder.joinpath(paths[0]).read_text(encoding="utf-8") == "entry\n"
    assert not made.folder.joinpath(paths[1]).exists()
    open_worktree(repository, KEY, paths)


def test_worktree_that_git_refuses_is_told(builder: RepositoryBuilder) -> None:
    """With the other way."""
    repository = open_repository(builder.folder)
    with pytest.raises(AgentRunError, match="can't make a work tree") as refused:
        open_worktree(repository, KEY)
    assert 'folder = "repository"' in refused.value.hint


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Session:
    builder.write("a").write(".gitignore", "HANDOFF.md\n*.pyc\n").commit()
    return open_session(builder.folder)


@pytest.fixture
def tree(desk: Session) -> RepositoryBuilder:
    """A work tree of an agent, with a commit on its branch."""
    return RepositoryBuilder(open_worktree(desk.repository, LEFT).folder).write("b").commit()


def test_tree_whose_work_is_in_commits_is_taken_away_and_its_branch_stays(
    desk: Session, tree: RepositoryBuilder, builder: RepositoryBuilder
) -> None:
    """What can be made again does not keep it; the commits are there, and the tree can be made again."""
    head = tree.write("x.pyc").head()
    [left] = list_worktrees(desk)
    assert (left.kept, left.branch) == ("", "handoff-tui/H-1/build/a1")
    assert clear_worktrees(desk, "H-1") == (left,)
    assert not tree.folder.exists()
    assert builder.git("rev-parse", "handoff-tui/H-1/build/a1") == head
    assert builder.git("worktree", "list").count("\n") == 0
    assert RepositoryBuilder(open_worktree(desk.repository, LEFT).folder).head() == head


@pytest.mark.parametrize(
    ("path", "words"),
    [("loose.txt", "uncommitted work: loose.txt"), ("a", "uncommitted work: a"), ("HANDOFF.md", "that git ignores")],
)
def test_tree_with_work_of_its_own_is_kept(path: str, words: str, desk: Session, tree: RepositoryBuilder) -> None:
    """Whether git sees it or not; the reason is told."""
    tree.write(path, "mine\n")
    assert clear_worktrees(desk, "H-1") == ()
    assert words in list_worktrees(desk)[0].kept
    assert (tree.folder / path).read_text(encoding="utf-8") == "mine\n"


def test_commits_that_nothing_leads_to_keep_the_tree(desk: Session, tree: RepositoryBuilder) -> None:
    """An agent may leave its branch."""
    tree.step("checkout", "--quiet", "--detach").write("c").commit()
    assert clear_worktrees(desk, "H-1") == ()
    assert "no branch or tag" in list_worktrees(desk)[0].kept


def test_change_that_git_was_told_to_overlook_keeps_the_tree(desk: Session, tree: RepositoryBuilder) -> None:
    """`git status` says nothing of it."""
    tree.step("update-index", "--assume-unchanged", "a").write("a", "hidden\n")
    assert "overlook" in list_worktrees(desk)[0].kept


def test_decisions_are_no_work_of_the_tree_unless_they_differ(
    desk: Session, tree: RepositoryBuilder, builder: RepositoryBuilder
) -> None:
    """They were copied there; one that the repository has not is kept."""
    for one in (builder, tree):
        one.write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", "entry\n")
    assert list_worktrees(desk)[0].kept == ""
    tree.write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", "another\n")
    assert "the repository does not have" in list_worktrees(desk)[0].kept


def test_needed_and_foreign_trees_are_left_alone(desk: Session, tree: RepositoryBuilder) -> None:
    """Somebody works there, or it is another handoff's."""
    assert clear_worktrees(desk, "H-1", tree.folder) == ()
    assert clear_worktrees(desk, "H-2") == ()
    assert tree.folder.exists()


def test_folder_that_cannot_be_read_is_told(desk: Session, tree: RepositoryBuilder) -> None:
    """What is in it may be work."""
    Path(tree.folder, ".git").write_text("gitdir: /nowhere\n", encoding="utf-8")
    [left] = list_worktrees(desk)
    assert left.kept.startswith("it can't be read")


def test_tree_is_kept_while_a_run_needs_it(builder: RepositoryBuilder) -> None:
    """One that is under way, or ended and was not examined; then it goes, before the next run."""
    builder.write("a").commit()
    desk = open_session(builder.folder)
    key = RunKey(handoff="H-1", phase="build", number=1)
    made = open_worktree(desk.repository, key)
    plan = Runs(builder.folder).plan("true", folder=str(made.folder))
    handle = write_run(desk.repository.common_dir, plan)
    assert clear_worktrees(desk, "H-1") == ()
    assert "works in it" in list_worktrees(desk)[0].kept
    (handle.folder / "plan.json").unlink()
    assert clear_worktrees(desk, "H-1", made.folder) == ()
    assert [one.folder for one in clear_worktrees(desk, "H-1")] == [str(made.folder)]
    assert list_worktrees(desk) == ()


@pytest.mark.slow
def test_next_run_clears_the_tree_of_an_earlier_attempt(stepping: Stepping) -> None:
    """And its own stays."""
    desk = stepping.configure(folder="worktree").desk()
    earlier = open_worktree(desk.repository, RunKey(handoff=HANDOFF, phase="test"))
    view = start_step(prepare_step(desk, StepRequest(HANDOFF, "build")))
    assert not earlier.folder.exists()
    assert [one.kept for one in list_worktrees(desk)] == ["an agent works in it, or its work was not examined yet"]
    stop_step(desk, view.state.key)
