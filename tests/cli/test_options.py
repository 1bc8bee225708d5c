from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.core.errors import RepositoryError


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.set_defaults(repo=None)
    add_reading_options(parser)
    return parser.parse_args(words)


def test_reading_options_are_off_until_asked_for() -> None:
    """A page, shortened, of the repository around here."""
    assert vars(parse()) == {"repo": None, "json": False, "all": False}
    assert vars(parse("--json", "--all", "--repo", "x")) == {"repo": Path("x"), "json": True, "all": True}


def test_repository_before_the_verb_is_not_forgotten() -> None:
    """An option after the verb that was not given does not overwrite the one before it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repo", type=Path)
    add_reading_options(parser.add_subparsers().add_parser("status"))
    assert parser.parse_args(["--repo", "x", "status"]).repo == Path("x")
    assert parser.parse_args(["--repo", "x", "status", "--repo", "y"]).repo == Path("y")


def test_start_is_the_named_or_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was named is taken as it is."""
    monkeypatch.chdir(tmp_path)
    assert find_start(parse("--repo", "x")) == Path("x")
    assert find_start(parse()) == tmp_path


def test_current_folder_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone deleted it: that is no fault of ours, and a named repository can still be read."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(RepositoryError) as refused:
        find_start(parse())
    assert refused.value.hint
    assert find_start(parse("--repo", "/x")) == Path("/x")
