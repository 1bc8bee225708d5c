from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.config.load import read_settings
from handoff_tui.core.errors import ConfigError, RepositoryError
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def user_file(isolated_user: Path) -> Path:
    """The user's own file, which sets one thing."""
    place = isolated_user / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text("[limits]\ncommits = 5\n", encoding="utf-8")
    return place


def test_settings_of_a_repository_are_read_from_anywhere_inside(builder: RepositoryBuilder, user_file: Path) -> None:
    """Its own file wins over the user's."""
    builder.write("handoff-tui.toml", "[limits]\ncommits = 7\n").write("deep/a.py")
    assert read_settings(builder.folder / "deep", required=True).settings.limits.commits == 7


def test_settings_outside_a_repository_are_the_users(tmp_path: Path, user_file: Path) -> None:
    """A file of that name that is in no repository does not count."""
    (tmp_path / "handoff-tui.toml").write_text("[limits]\ncommits = 7\n", encoding="utf-8")
    assert read_settings(tmp_path, required=False).settings.limits.commits == 5


def test_repository_that_was_asked_for_must_be_one(tmp_path: Path) -> None:
    """By name it is required."""
    with pytest.raises(RepositoryError):
        read_settings(tmp_path, required=True)


def test_wrong_settings_are_refused_in_and_out_of_a_repository(builder: RepositoryBuilder, user_file: Path) -> None:
    """They are never passed over."""
    user_file.write_text("[limit]\ncommits = 5\n", encoding="utf-8")
    for start in (builder.folder, builder.folder.parent):
        with pytest.raises(ConfigError, match="limits"):
            read_settings(start, required=False)
