from __future__ import annotations

from pathlib import Path

from handoff_tui.git.command import Git
from handoff_tui.git.history.commit_graph import (
    count_commits,
    find_merge_bases,
    read_first_commit,
    read_graph,
    read_message,
)
from handoff_tui.git.repository import open_repository
from tests.support.repositories import AUTHOR, EMAIL, RepositoryBuilder


def test_graph_has_trees_parents_and_words(builder: RepositoryBuilder) -> None:
    """Newest first, without what leads to another commit."""
    builder.commit("one").commit("two\n\nwith a body").commit("three")
    found = read_graph(Git(builder.folder), "HEAD", without=(builder.head("HEAD~2"),))
    assert [(one.id, one.subject) for one in found] == [(builder.head(), "three"), (builder.head("HEAD~1"), "two")]
    assert found[0].parents == (found[1].id,)
    assert count_commits(Git(builder.folder), "HEAD") == 3
    assert found[0].tree == builder.head("HEAD^{tree}")
    assert (found[0].author, found[0].author_email, found[0].committed) == (AUTHOR, EMAIL, builder.moment)
    assert found[0].moment.timestamp() == builder.moment
    assert read_message(Git(builder.folder), found[1].id) == "two\n\nwith a body"


def test_merge_bases_are_where_lines_parted(builder: RepositoryBuilder) -> None:
    """None where there is no common history."""
    builder.commit("one").step("branch", "side").commit("two")
    builder.step("checkout", "--quiet", "side").commit("three")
    git = Git(builder.folder)
    assert find_merge_bases(git, "main", "side") == [builder.head("main~1")]
    builder.step("checkout", "--quiet", "--orphan", "other").commit("alone")
    assert find_merge_bases(git, "main", "other") == []


def test_first_commit_is_the_same_in_every_clone(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """However far each of them has come."""
    first = builder.write("a").commit().head()
    builder.git("clone", "--quiet", "--template=", str(builder.folder), str(tmp_path / "clone"))
    builder.write("b").commit()
    for folder in (builder.folder, tmp_path / "clone"):
        assert read_first_commit(open_repository(folder).git) == first


def test_repository_without_a_commit_has_none(builder: RepositoryBuilder) -> None:
    """Nothing is made up for it."""
    assert read_first_commit(open_repository(builder.folder).git) is None
