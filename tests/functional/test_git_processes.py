"""How many git processes a verb starts on the sample repository: real ones, counted by a stand-in on the search path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from handoff_tui.cli.demo.demo import build_story
from handoff_tui.system.resources import find_resource
from tests.support.command_line import say
from tests.support.hostile import write_executable
from tests.support.raw_terminal import RawTerminal

AGENT = """
[agents.dev]
command = ["sh", "-c", "echo made > made.txt"]
"""


class Counted(NamedTuple):
    """A sample repository whose user runs a git that notes each call."""

    repository: Path
    environment: dict[str, str]
    calls: Path

    def count(self) -> int:
        return len(self.calls.read_text().splitlines())


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    story = build_story(find_resource("sample_repo"), tmp_path / "demo")
    calls = tmp_path / "calls"
    write_executable(tmp_path / "bin" / "git", f'echo >> "{calls}"\nexec {shutil.which("git")} "$@"')
    environment = {
        "HOME": str(tmp_path / "demo" / "home"),
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        **{f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "CONFIG")},
    }
    return Counted(story.repository, environment, calls)


@pytest.mark.parametrize(
    ("words", "most"),
    [(("status",), 10), (("show", "H-3"), 11), (("check", "--fresh"), 15), (("gate", "H-3"), 30)],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_looking_starts_few_processes(counted: Counted, words: tuple[str, ...], most: int) -> None:
    """One session reads configuration, refs and history once, and one process answers for all objects."""
    said = say(*words, "--repo", counted.repository, environment=counted.environment)
    assert said.code in {0, 1}, said.stderr
    assert counted.count() <= most


def test_decision_starts_few_processes(counted: Counted) -> None:
    """What is signed is examined anew after the prompt, so a decision needs three sessions."""
    words = ("decide", "override", "H-3", "--reason", "agreed", "--repo", counted.repository)
    with RawTerminal(*words, environment=counted.environment) as terminal:
        terminal.wait_for("Type override to")
        terminal.settle()
        terminal.press("override\n")
        assert terminal.wait_for_end() == 0, terminal.written[-2000:]
    assert counted.count() <= 55


def test_step_starts_few_processes(counted: Counted) -> None:
    """The gate is examined before and after, and the work tree observed on both sides of the run."""
    config = Path(counted.environment["XDG_CONFIG_HOME"]) / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(AGENT)
    with RawTerminal(
        "step", "DEV", "--handoff", "RUN-41", "--repo", counted.repository, environment=counted.environment
    ) as terminal:
        terminal.wait_for("Type the name of the phase")
        terminal.settle()
        terminal.press("DEV\n")
        assert terminal.wait_for_end() in {0, 1}, terminal.written[-2000:]
    assert counted.count() <= 85
