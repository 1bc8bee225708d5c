from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of the user, empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_demo_prints_only_the_path_when_it_is_not_opened(say: InProcess, temporary_folder: Path) -> None:
    """So that a shell can go there."""
    said = say("demo", "--no-open")
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    repository = Path(said.stdout.removesuffix("\n"))
    assert repository.is_relative_to(temporary_folder.resolve())
    assert (repository / ".git").is_dir()


def test_demo_reviews_what_it_built(say: InProcess, tmp_path: Path) -> None:
    """The page is data; how to go on is talk, in words that can be pasted and lead to handoffs that exist."""
    said = say("demo", "--dir", tmp_path / "my sample")
    assert said.code == ExitCode.OK
    repository, *_ = said.stdout.splitlines()
    assert repository.startswith(str(tmp_path / "my sample"))
    lines = [shlex.split(line) for line in said.stderr.splitlines() if line.startswith("  ")]
    assert ["cd", repository] in lines
    proposed = [words[2] for words in lines if words[:2] == ["handoff-tui", "show"]]
    assert proposed
    assert all(name in said.stdout for name in proposed)


def test_demo_refuses_a_folder_that_is_used(say: InProcess, tmp_path: Path) -> None:
    """Code 2, and nothing is touched."""
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "mine.txt").touch()
    said = say("demo", "--no-open", "--dir", tmp_path / "used")
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")
    assert [place.name for place in (tmp_path / "used").iterdir()] == ["mine.txt"]
