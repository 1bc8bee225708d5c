from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from handoff_tui.cli.demo.demo import build_demo
from handoff_tui.core.errors import DemoError
from tests.support.repositories import RepositoryBuilder


def test_demo_is_built_where_it_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative folder is one of the current folder; the result is a repository below it, by its full path."""
    monkeypatch.chdir(tmp_path)
    repository = build_demo(Path("sample"))
    assert repository.is_absolute()
    assert repository.is_relative_to(tmp_path / "sample")
    assert RepositoryBuilder(repository).git("rev-parse", "--is-inside-work-tree") == "true"


def test_demo_has_a_temporary_folder_of_its_own(
    tmp_path: Path, sample_repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no folder was named, it is a new one, beside what is there; the commits are the same everywhere."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "handoff-tui-demo-").mkdir()
    repository = build_demo(None)
    assert repository.is_relative_to(tmp_path.resolve())
    assert list((tmp_path / "handoff-tui-demo-").iterdir()) == []
    assert RepositoryBuilder(repository).head() == RepositoryBuilder(sample_repository).head()


def test_demo_leaves_a_used_folder_alone(tmp_path: Path) -> None:
    """Nothing of the user's is overwritten."""
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DemoError):
        build_demo(tmp_path)
    assert [place.name for place in tmp_path.iterdir()] == ["mine.txt"]
