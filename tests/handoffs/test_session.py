from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.core.errors import ConfigError, RepositoryError
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import has_log, open_desk, reopen_desk
from tests.support.repositories import RepositoryBuilder


def test_desk_is_opened_from_anywhere_inside(builder: RepositoryBuilder) -> None:
    """The repository, its settings, and its work tree as of now."""
    builder.write("deep/a.py").write("handoff-tui.toml", "[limits]\ncommits = 7\n").commit().write("b.py")
    desk = open_desk(builder.folder / "deep")
    assert desk.repository.root == builder.folder
    assert desk.loaded.settings.limits.commits == 7
    assert desk.work_tree.facts.untracked == ("b.py",)


def test_desk_outside_a_repository_is_refused(tmp_path: Path) -> None:
    """With a hint where to go."""
    with pytest.raises(RepositoryError) as refused:
        open_desk(tmp_path)
    assert refused.value.hint


def test_desk_with_wrong_settings_is_refused(builder: RepositoryBuilder) -> None:
    """A setting that cannot be understood is not passed over."""
    builder.write("handoff-tui.toml", "[limits]\ncomits = 7\n")
    with pytest.raises(ConfigError, match="comits"):
        open_desk(builder.folder)


def test_desk_takes_over_a_look_that_has_begun(builder: RepositoryBuilder) -> None:
    """It is as the look saw it; what has changed since is seen when the desk is opened again."""
    builder.write("a.py").commit().write("a.py", "other\n").write("new.py")
    plain = open_desk(builder.folder)
    look = OutputCache(builder.folder, ["q"]).look
    assert look.read_digest() is not None
    builder.write("late.py").step("add", "late.py")
    desk = open_desk(builder.folder, look)
    assert desk.work_tree.facts == plain.work_tree.facts
    assert "late.py" in reopen_desk(desk).work_tree.facts.changed


def test_log_is_there_or_remembered(builder: RepositoryBuilder) -> None:
    """Its folder, or this clone's own record of it; a repository without either has none."""
    desk = open_desk(builder.write("a").commit().folder)
    assert not has_log(desk)
    builder.write(".handoff-tui/log/aa/x")
    assert has_log(desk)
    (builder.folder / ".handoff-tui").rename(builder.folder / "away")
    builder.write(".git/handoff-tui/witness.json", "{}")
    assert has_log(desk)


def test_reading_has_the_handoffs_and_their_files(builder: RepositoryBuilder) -> None:
    """What was read stays with the files, and is what others read."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit("x")
    desk = open_desk(builder.folder)
    reading = read_repository(desk)
    assert [handoff.id for handoff in reading.result.handoffs] == ["notes/HANDOFF.md"]
    builder.write("HANDOFF.md", "something else\n")
    assert "Status: COMPLETE" in reading.files.file("HANDOFF.md").text
    builder.step("checkout", "--quiet", "HANDOFF.md")
    assert read_repository(desk).result == reading.result
