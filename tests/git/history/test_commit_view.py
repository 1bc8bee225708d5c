from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.git.history.commit_view import offer_commit_view
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.repository import open_repository
from handoff_tui.git.session import session_of
from tests.support.fingerprint import read_fingerprint
from tests.support.repositories import RepositoryBuilder


def test_view_has_the_head_of_then(builder: RepositoryBuilder) -> None:
    """History ends at the commit, refs are there, and nothing of the repository is touched."""
    builder.commit("one").commit("two").tag("mark").commit("three")
    repository = open_repository(builder.folder)
    before = read_fingerprint(builder.folder)
    view = offer_commit_view(repository, builder.head("HEAD~1"))
    assert [commit.subject for commit in read_commits(view.git, 9)] == ["two", "one"]
    assert next(iter(session_of(view.git).read_history().parents)) == builder.head("mark")
    assert [commit.subject for commit in read_commits(repository.git, 1)] == ["three"]
    assert view.root == repository.root
    assert read_fingerprint(builder.folder) == before


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
