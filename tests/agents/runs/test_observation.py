from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.runs.observation import Observation, read_new_commits, read_observation
from handoff_tui.git.command import Git
from tests.support.repositories import RepositoryBuilder

RULES = ("handoff-tui.toml", "tools/gate.sh")


def look(builder: RepositoryBuilder, *guarded: str) -> Observation:
    return read_observation(builder.folder, builder.folder, RULES, guarded)


def test_nothing_changes_where_nothing_was_touched(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Looking twice sees the same, and asks about the same."""
    builder.write("a").commit()
    place = tmp_path / "guarded"
    place.mkdir()
    before = look(builder, str(place))
    assert look(builder, str(place)) == before
    assert (before.head, before.branch) == (builder.head(), "refs/heads/main")
    assert (before.rule_names, before.guarded_names) == (RULES, (str(place),))


def test_every_kind_of_change_is_seen(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Files, commits, refs, rules, our own folder, git's files, guarded places, neighbours."""
    builder.write("a").write(".handoff-tui/x").commit()
    guarded = tmp_path / "keys"
    guarded.mkdir()
    before = look(builder, str(guarded))
    builder.write("a", "other").write(".handoff-tui/x", "other").write("handoff-tui.toml", "").commit()
    builder.step("branch", "more").config("core.pager", "x")
    (guarded / "id").touch()
    (tmp_path / "beside").touch()
    after = look(builder, str(guarded))
    for name in ("head", "refs", "tree", "own", "rules", "git_files", "guarded", "neighbours"):
        assert getattr(before, name) != getattr(after, name), name
    assert set(after.refs) - set(before.refs) == {"refs/heads/more"}
    assert str(tmp_path / "beside") in after.neighbours


def test_own_refs_and_own_files_outside_the_tree_are_no_change(builder: RepositoryBuilder) -> None:
    """What handoff-tui itself writes beside git's objects says nothing of the agent."""
    builder.write("a").commit()
    before = look(builder)
    builder.ref("refs/handoff-tui/saved/1").write(".git/handoff-tui/runs/x", "y")
    assert look(builder) == before


def test_uncommitted_work_is_part_of_the_tree(builder: RepositoryBuilder) -> None:
    """An agent need not commit to have done something."""
    builder.write("a").commit()
    before = look(builder)
    builder.write("new")
    after = look(builder)
    assert (before.head == after.head, before.tree == after.tree) == (True, False)


def test_repository_that_cannot_be_read_is_told(builder: RepositoryBuilder) -> None:
    """The rest is looked at all the same."""
    builder.write("a").write(".handoff-tui/x").commit()
    builder.place(".git/HEAD").unlink()
    seen = look(builder)
    assert seen.problem is not None
    assert list(seen.own) == [".handoff-tui/x"]


def test_links_are_seen_by_where_they_lead(builder: RepositoryBuilder) -> None:
    """Not by what they lead to."""
    builder.write("a").link(".handoff-tui/x", "/etc/passwd").commit()
    before = look(builder)
    builder.place(".handoff-tui/x").unlink()
    builder.link(".handoff-tui/x", "/etc/group")
    assert look(builder).own != before.own


def test_new_commits_are_listed_newest_first(builder: RepositoryBuilder) -> None:
    """Those behind one and not the other; none where nothing moved."""
    first = builder.write("a").commit("one").head()
    last = builder.commit("two").commit("three: x\0y".replace("\0", " ")).head()
    git = Git.open(builder.folder)
    assert [commit.subject for commit in read_new_commits(git, first, last)] == ["three: x y", "two"]
    assert len(read_new_commits(git, None, last)) == 3
    assert read_new_commits(git, last, last) == ()
    assert read_new_commits(git, last, None) == ()
