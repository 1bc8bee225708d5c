from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.config.theme import ROLES
from handoff_tui.core.errors import ConfigError, RepositoryError
from handoff_tui.handoffs.session import has_log, load_terminal_theme, open_desk, reopen_desk
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


def test_desk_that_is_opened_again_sees_the_work_tree_as_it_is_now(builder: RepositoryBuilder) -> None:
    """The settings stay those that the desk began with."""
    builder.write("a.py").commit()
    desk = open_desk(builder.folder)
    builder.write("b.py").write("handoff-tui.toml", "[limits]\ncommits = 7\n")
    again = reopen_desk(desk)
    assert again.work_tree.facts.untracked == ("b.py", "handoff-tui.toml")
    assert again.loaded is desk.loaded


def test_terminal_theme_has_every_role(isolated_user: Path) -> None:
    """In the terminal's own colours; the user's file of that name replaces it."""
    theme = load_terminal_theme()
    assert set(theme.roles) == set(ROLES)
    assert not any("#" in value for value in theme.roles.values())
    folder = isolated_user / "config" / "handoff-tui" / "themes"
    folder.mkdir(parents=True)
    roles = "\n".join(f'{role} = "bright-red"' for role in ROLES)
    (folder / "terminal.toml").write_text(f"dark = true\n\n[roles]\n{roles}\n", encoding="utf-8")
    assert load_terminal_theme().style("pass").colour == "bright-red"


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
