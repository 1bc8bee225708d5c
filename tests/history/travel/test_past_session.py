from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, UsageError
from handoff_tui.handoffs.read_handoffs import read_shelf
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.travel.past_session import TravelMemory, open_desk_at
from tests.support.fingerprint import read_fingerprint
from tests.support.repositories import RepositoryBuilder


def test_past_desk_reads_as_if_it_were_checked_out(sample_repository: Path, tmp_path: Path) -> None:
    """The same handoffs, claims and problems as in a clone that stands at that commit."""
    commit = "HEAD~8"
    clone = RepositoryBuilder(tmp_path / "clone")
    RepositoryBuilder(sample_repository).git(
        "clone", "--quiet", "--no-local", str(sample_repository), str(clone.folder)
    )
    clone.git("fetch", "--quiet", str(sample_repository), "refs/notes/*:refs/notes/*", "refs/tags/*:refs/tags/*")
    clone.git("checkout", "--quiet", "--detach", RepositoryBuilder(sample_repository).head(commit))
    there = read_shelf(open_desk(clone.folder)).harvest
    here = open_desk_at(open_desk(sample_repository), commit).reading.harvest
    assert [one.id for one in here.handoffs if one.dialect != "tdd"] == [
        one.id for one in there.handoffs if one.dialect != "tdd"
    ]
    assert {one.id: one for one in here.handoffs} == {
        one.id: one for one in there.handoffs if one.id in {known.id for known in here.handoffs}
    }
    assert (here.unknown, here.problems) == (there.unknown, there.problems)


def test_past_desk_leaves_the_repository_alone(builder: RepositoryBuilder) -> None:
    """Nothing is written, and what is uncommitted now is not seen."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit().write("HANDOFF.md", "now\n")
    before = read_fingerprint(builder.folder)
    past = open_desk_at(open_desk(builder.folder), "HEAD")
    assert past.read_document("HANDOFF.md").startswith(b"# Handoff")
    assert [one.status for one in past.reading.harvest.handoffs] == ["COMPLETE"]
    assert (past.desk.work_tree.facts.changed, past.desk.work_tree.facts.head) == ((), builder.head())
    assert past.desk.work_tree.tracked["HANDOFF.md"] == builder.head("HEAD:HANDOFF.md")
    assert read_fingerprint(builder.folder) == before
    with pytest.raises(FileUnreadableError, match="does not exist"):
        past.read_document("later.md")
    with pytest.raises(KeyError):
        past.desk.work_tree.tracked["later.md"]


def test_past_desk_has_the_settings_of_then(builder: RepositoryBuilder) -> None:
    """Wrong ones are not used, and say why; whoever brings settings has these."""
    builder.write("handoff-tui.toml", "[limits]\ncommits = 7\n").commit()
    builder.write("handoff-tui.toml", "[limits]\ncomits = 7\n").commit()
    builder.write("handoff-tui.toml", "[limits]\ncommits = 9\n").commit()
    desk = open_desk(builder.folder)
    assert open_desk_at(desk, "HEAD~2").desk.loaded.settings.limits.commits == 7
    wrong = open_desk_at(desk, "HEAD~1").desk.loaded
    assert "comits" in wrong.refused_shortly
    assert open_desk_at(desk, "HEAD~2", loaded=desk.loaded).desk.loaded.settings.limits.commits == 9


def test_past_desk_does_not_know_later_tags(builder: RepositoryBuilder) -> None:
    """Refs are in no commit; one that leads to a later commit was not there."""
    builder.commit("one").tag("early").commit("two").tag("late")
    past = open_desk_at(open_desk(builder.folder), "HEAD~1")
    assert "refs/tags/early" in {ref.name for ref in past.reading.shelf.refs()}
    assert "refs/tags/late" not in {ref.name for ref in past.reading.shelf.refs()}


def test_name_that_is_no_commit_is_refused(builder: RepositoryBuilder) -> None:
    """With what may help in a shallow clone."""
    builder.commit("one").commit("two")
    with pytest.raises(UsageError, match="'nothing' is no commit here"):
        open_desk_at(open_desk(builder.folder), "nothing")
    shallow = builder.clone_shallow(builder.folder.parent / "shallow")
    with pytest.raises(UsageError) as refused:
        open_desk_at(open_desk(shallow.folder), "HEAD~1")
    assert "shallow" in (refused.value.hint or "")


def test_size_of_a_file_of_then_is_known(builder: RepositoryBuilder) -> None:
    """Nothing for what is not there."""
    builder.write("a.md", "12345").commit().write("a.md", "1").commit()
    shelf = open_desk_at(open_desk(builder.folder), "HEAD~1").reading.shelf
    assert (shelf.size("a.md"), shelf.size("b.md")) == (5, None)


def test_memory_of_other_commits_changes_nothing(sample_repository: Path) -> None:
    """Documents that were parsed for another commit are read the same again, problems included."""
    desk = open_desk(sample_repository)
    memory = TravelMemory(desk.repository)
    for commit in ("HEAD~7", "HEAD~4", "HEAD~7"):
        here = open_desk_at(desk, commit, memory)
        assert here.reading.harvest == open_desk_at(desk, commit).reading.harvest
    memory.close()
