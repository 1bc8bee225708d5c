from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import LogPresentError
from handoff_tui.git.command import Git
from handoff_tui.log.open_log import build_pin_key, read_pin, write_pin
from tests.support.repositories import RepositoryBuilder

FIRST, OTHER = "sha256:" + "a" * 64, "sha256:" + "b" * 64


@pytest.mark.parametrize("name", ["lamp", "Lamp.io", "a b", "ünï"])
def test_pin_is_kept_in_global_scope(isolated_user: Path, builder: RepositoryBuilder, name: str) -> None:
    """Under the name of the folder, whatever letters it has; the repository's own configuration is not touched."""
    before = (builder.folder / ".git/config").read_bytes()
    assert read_pin(Git.open(builder.folder), name) is None
    for _ in range(2):
        write_pin(Git.open(builder.folder), name, FIRST)
    assert read_pin(Git.open(builder.folder), name) == FIRST
    assert build_pin_key(name) == f"handoff-tui.{name}.pin"
    assert FIRST in (isolated_user / "gitconfig").read_text()
    assert (builder.folder / ".git/config").read_bytes() == before


def test_other_pin_is_left_alone(builder: RepositoryBuilder) -> None:
    """It may belong to another repository in a folder of the same name."""
    write_pin(Git.open(builder.folder), "lamp", FIRST)
    with pytest.raises(LogPresentError, match="already"):
        write_pin(Git.open(builder.folder), "lamp", OTHER)
    assert read_pin(Git.open(builder.folder), "lamp") == FIRST


def test_pin_of_the_repository_itself_does_not_count(builder: RepositoryBuilder) -> None:
    """An agent can write there."""
    builder.config("handoff-tui.lamp.pin", OTHER)
    assert read_pin(Git.open(builder.folder), "lamp") is None
