from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.git.command import Git
from handoff_tui.git.history import change_times
from handoff_tui.git.history.change_times import read_commit_times, read_disk_times
from handoff_tui.git.history.commit_graph import (
    count_commits,
    find_merge_bases,
    read_commit_paths,
    read_graph,
    read_message,
)
from handoff_tui.git.history.commit_view import offer_commit_view
from handoff_tui.git.objects.tree_diff import read_changes
from handoff_tui.git.repository import open_repository, reaches_locally
from tests.support.repositories import AUTHOR, EMAIL, RepositoryBuilder


def read(builder: RepositoryBuilder, *paths: str, shallow: bool = False) -> dict[str, datetime]:
    return read_commit_times(open_repository(builder.folder).git, paths, shallow=shallow)


def moment(builder: RepositoryBuilder) -> datetime:
    return datetime.fromtimestamp(builder.moment, UTC)


def test_newest_commit_that_touched_a_path_gives_its_time(builder: RepositoryBuilder) -> None:
    """Each path by its own last change; what no commit has is left out."""
    builder.write("a/one.md", "1").write("two.md", "1").commit()
    first = moment(builder)
    builder.write("a/one.md", "2").commit()
    second = moment(builder)
    builder.write("later.md").write("two.md", "1")
    assert read(builder, "a/one.md", "two.md", "later.md", "nowhere.md") == {"a/one.md": second, "two.md": first}


def test_odd_names_are_taken_as_they_are(builder: RepositoryBuilder) -> None:
    """Blanks, quotes, stars and bytes that are no text; a star stands for nothing else."""
    names = ["a b.md", 'c"d.md', "*.md", os.fsdecode(b"\xff.md"), "\n.md"]
    for name in names:
        builder.write(name)
    builder.write("other.md").commit()
    assert read(builder, *names).keys() == set(names)


def test_merge_counts_as_the_change_of_what_it_brings(builder: RepositoryBuilder) -> None:
    """On this line of work the file changed when it was merged."""
    builder.write("one.md", "1").commit().step("checkout", "-q", "-b", "side")
    builder.write("one.md", "2").commit().step("checkout", "-q", "main")
    builder.write("else.md").commit()
    builder.moment += 600
    builder.step("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert read(builder, "one.md") == {"one.md": moment(builder)}


def test_shallow_clone_does_not_guess(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Its oldest commit seems to have made everything; only what came later has a time."""
    builder.write("old.md").commit()
    clone = builder.clone_shallow(tmp_path / "clone")
    clone.write("new.md").commit()
    assert read(clone, "old.md", "new.md", shallow=True).keys() == {"new.md"}


def test_many_paths_are_asked_for_by_their_folders(builder: RepositoryBuilder) -> None:
    """Git compares each change with each path it is given, so two thousand are asked for by few."""
    names = [f"handoffs/H-{number}/results.md" for number in range(200)]
    for name in names:
        builder.write(name)
    builder.commit()
    assert read(builder, *names).keys() == set(names)
    assert change_times._build_scope(set(names)) == ["handoffs"]
    assert change_times._build_scope({f"{number}.md" for number in range(200)}) == ["."]


def test_disk_tells_the_time_of_what_is_in_no_commit(builder: RepositoryBuilder) -> None:
    """By the last write; a link by its own, and what leads out of the repository not at all."""
    builder.write("draft.md").link("link.md", "/etc/passwd")
    os.utime(builder.folder / "draft.md", (1_700_000_000, 1_700_000_000))
    found = read_disk_times(builder.folder, ["draft.md", "link.md", "gone.md", "../secret", "/etc/passwd", "\udcff\0"])
    assert found["draft.md"] == datetime.fromtimestamp(1_700_000_000, UTC)
    assert found.keys() == {"draft.md", "link.md"}


def test_changes_against_a_commit_are_told(builder: RepositoryBuilder) -> None:
    """Committed, staged and unstaged ones alike; renames are found."""
    builder.write("keep", "k\n").write("old name.py", "text\n" * 20).write("gone").write("edit", "a\n").commit("one")
    base = builder.head()
    builder.git("mv", "old name.py", "new name.py")
    builder.git("rm", "-q", "gone")
    builder.write("added", "something else\n").commit("two").write("edit", "b\n")
    listed = read_changes(open_repository(builder.folder).git, base)
    assert sorted((one.status, one.path, one.old_path) for one in listed) == [
        ("A", "added", None),
        ("D", "gone", None),
        ("M", "edit", None),
        ("R", "new name.py", "old name.py"),
    ]


def test_paths_of_a_commit_are_told(builder: RepositoryBuilder) -> None:
    """Also of the first one."""
    builder.write("a").commit("one").write("b").commit("two")
    git = open_repository(builder.folder).git
    assert read_commit_paths(git, builder.head("HEAD~1")) == ["a"]
    assert read_commit_paths(git, "HEAD") == ["b"]


def test_merge_base_is_where_lines_parted(builder: RepositoryBuilder) -> None:
    """An unknown name gives nothing."""
    builder.write("a").commit("one")
    base = builder.head()
    builder.git("checkout", "-q", "-b", "side")
    builder.write("b").commit("two")
    git = open_repository(builder.folder).git
    assert find_merge_bases(git, "main", "side") == [base]
    assert find_merge_bases(git, "main", "nowhere") == []


@pytest.mark.parametrize("url", ["https://example.com/x.git", "git@example.com:x.git", "ssh://h/x", "ext::sh -c x"])
def test_remote_elsewhere_is_not_asked(tmp_path: Path, url: str) -> None:
    """Only folders of this machine are looked at."""
    assert reaches_locally(tmp_path, url) is None


def test_local_remote_is_looked_at(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A repository answers, an empty folder and a missing one do not."""
    bare = RepositoryBuilder.init(tmp_path / "bare", "--bare").folder
    (tmp_path / "empty").mkdir()
    assert reaches_locally(builder.folder, f"file://{bare}") is True
    assert reaches_locally(builder.folder, "../bare") is True
    assert reaches_locally(builder.folder, "../empty") is False
    assert reaches_locally(builder.folder, "../missing") is False


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


def test_view_is_made_once_for_each_commit(builder: RepositoryBuilder) -> None:
    """Asked again, the same folder answers; another repository has another one."""
    builder.commit("one")
    repository = open_repository(builder.folder)
    first, again = (offer_commit_view(repository, builder.head()) for _ in range(2))
    assert first.git_dir == again.git_dir
    other = RepositoryBuilder.init(builder.folder.parent / "other").commit("one")
    assert offer_commit_view(open_repository(other.folder), builder.head()).git_dir != first.git_dir


def test_view_says_that_it_cannot_be_made(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A temporary folder that is a file, say."""
    builder.commit("one")
    (tmp_path / "file").touch()
    monkeypatch.setattr("handoff_tui.git.history.commit_view._offer_folder", lambda: tmp_path / "file")
    with pytest.raises(StoreWriteError, match="cannot be written"):
        offer_commit_view(open_repository(builder.folder), builder.head())
