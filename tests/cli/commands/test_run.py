"""The words of `run` that need no engine, and those that are refused; whole runs are in tests/faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def root(builder: RepositoryBuilder) -> Path:
    return builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit().folder


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> InProcess:
    return InProcess(capsys)


def test_repository_without_runs_lists_none_and_writes_nothing(call: InProcess, root: Path) -> None:
    """Looking changes nothing: not even the engine's file is made."""
    said = call("run", "--list", "--repo", root)
    assert (said.code, said.stdout) == (0, "No procedure was run here.\n")
    assert call("run", "--list", "--json", "--repo", root).json["runs"] == []
    assert not (root / ".git" / "handoff-tui").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "name a procedure"),
        (("NOPE",), "there is no procedure 'NOPE'"),
        (("PHASE_TRANSITION_STANDARD", "--handoff", "H-9"), "no handoff has the id 'H-9'"),
        (("--show", "H-9:x:1:P:1"), "there is no run"),
        (("--withdraw", "H-9:x:1:P:1"), "there is no run"),
        (("--profile", "NOPE"), "there is no profile 'NOPE'"),
        (("--trust", "sha256:0"), "there is nothing to trust"),
        (("--list", "--show", "x"), "not allowed with"),
    ],
)
def test_wrong_call_is_refused_with_a_hint(words: tuple[str, ...], complaint: str, call: InProcess, root: Path) -> None:
    """Code 2 and nothing on stdout."""
    said = call("run", *words, "--repo", root)
    assert (said.code, said.stdout) == (2, "")
    assert complaint in said.stderr


def test_engine_that_is_not_installed_is_named(call: InProcess, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the words that install it."""
    monkeypatch.setitem(__import__("sys").modules, "dbos", None)
    said = call("run", "PHASE_TRANSITION_STANDARD", "--repo", root)
    assert said.code == 2
    assert "pip install 'handoff-tui[engine]'" in said.stderr
