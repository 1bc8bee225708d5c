"""What all clones have in common."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.git.history.commit_graph import read_first_commit
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


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
