"""How many processes each verb starts on the sample repository, counted by stand-ins for programs on the PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.command_line import Said, say
from tests.support.hostile import write_executable
from tests.support.raw_terminal import RawTerminal

MOST_AGAIN = 6
PUSH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}
AGENT = """
[agents.dev]
command = ["sh", "-c", "echo made > made.txt"]
"""


class Counted(NamedTuple):
    """A sample repository whose user runs programs that note each call."""

    repository: Path
    environment: dict[str, str]
    calls: Path

    def count_calls(self) -> int:
        return len(self.calls.read_text().splitlines())


@pytest.fixture(scope="module")
def shared_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("processes") / "demo")


def build_demo(folder: Path) -> Path:
    said = say("demo", "--no-open", "--fixed-dates", "--dir", folder)
    assert said.code == 0, said.stderr
    return Path(said.stdout.strip())


def prepare_count(repository: Path, folder: Path) -> Counted:
    calls = folder / "calls"
    for name in ("git", "ssh-keygen", "ssh-add", "sh"):
        if program := shutil.which(name):
            write_executable(folder / "bin" / name, f'echo >> "{calls}"\nexec {program} "$@"')
    environment = {
        "HOME": str(repository.parent / "home"),
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": str(repository.parent / "home" / ".gitconfig"),
        **{f"XDG_{name}_HOME": str(folder / name) for name in ("CACHE", "STATE", "CONFIG")},
    }
    return Counted(repository, environment, calls)


@pytest.mark.parametrize(
    ("words", "most"),
    [(("status",), 12), (("show", "H-3"), 15), (("check", "--fresh"), 20), (("gate", "H-3"), 25)],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_looking_starts_few_processes(shared_demo: Path, tmp_path: Path, words: tuple[str, ...], most: int) -> None:
    """One session reads configuration, refs and history once, and one process answers for all objects."""
    counted = prepare_count(shared_demo, tmp_path)
    said = say(*words, "--repo", counted.repository, environment=counted.environment, fresh=True)
    assert said.code in {0, 1}, said.stderr
    assert counted.count_calls() <= most


@pytest.mark.parametrize(
    "words",
    [("status",), ("check",), ("check", "--pre"), ("gate", "H-3"), ("coverage",), ("coverage", "README.md")],
    ids=" ".join,
)
def test_answer_is_repeated_while_nothing_moves(shared_demo: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """The second time, git only says what it knows; after a change that no status shows, everything is read again."""
    counted = prepare_count(shared_demo, tmp_path)

    def look() -> tuple[Said, int]:
        before = counted.count_calls() if counted.calls.exists() else 0
        said = say(*words, "--repo", counted.repository, environment=counted.environment, fresh=True)
        return said, counted.count_calls() - before

    (first, _), (second, _), (again, calls) = (look() for _ in range(3))
    assert (again.stdout, again.code) == (second.stdout, second.code)
    assert first.code == second.code
    assert calls <= MOST_AGAIN
    config = Path(counted.environment["XDG_CONFIG_HOME"]) / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[limits]\ncommits = 199\n")
    _, calls = look()
    assert calls > MOST_AGAIN


@pytest.mark.parametrize("event", [{"hook_event_name": "Stop"}, PUSH], ids=["stop", "push"])
def test_hook_is_answered_with_few_processes(shared_demo: Path, tmp_path: Path, event: dict[str, object]) -> None:
    """An agent's every turn waits for it."""
    counted = prepare_count(shared_demo, tmp_path)
    asked = json.dumps({**event, "cwd": str(counted.repository), "session_id": "s"})
    answers = []
    for most in (30, MOST_AGAIN):
        before = counted.count_calls() if counted.calls.exists() else 0
        answers.append(ask_hook(counted, asked))
        assert counted.count_calls() - before <= most
    assert answers[0] == answers[1]


def ask_hook(counted: Counted, asked: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "handoff_tui", "hook", "claude"],
        input=asked, env={**os.environ, **counted.environment}, capture_output=True, text=True, check=True, timeout=200,
    )  # fmt: skip
    return done.stdout


def test_decision_starts_few_processes(tmp_path: Path) -> None:
    """What is signed is examined again after the prompt, so a decision needs three sessions; the changes are read."""
    counted = prepare_count(build_demo(tmp_path / "demo"), tmp_path)
    words = ("decide", "override", "H-3", "--reason", "agreed", "--repo", counted.repository)
    with RawTerminal(*words, environment=counted.environment) as terminal:
        terminal.wait_for("Type H-3 to")
        terminal.answer("H-3")
        terminal.wait_for("Write it?")
        decided = counted.count_calls()
        terminal.settle()
        terminal.press("n\n")
        assert terminal.wait_for_end() == 0, terminal.written[-2000:]
    assert decided <= 45


def test_step_starts_few_processes(tmp_path: Path) -> None:
    """The gate is examined before and after, and the work tree observed on both sides of the run."""
    counted = prepare_count(build_demo(tmp_path / "demo"), tmp_path)
    config = Path(counted.environment["XDG_CONFIG_HOME"]) / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(AGENT)
    words = ("step", "DEV", "--handoff", "RUN-41", "--repo", counted.repository)
    said = say(*words, environment=counted.environment)
    assert "made.txt" in said.stdout, said.stderr
    assert counted.count_calls() <= 50
