"""How many processes each verb starts on the sample, counted by stand-ins for programs on the PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.interleave import Row
from benchmarks.pty_program import PtyProgram, run_in_pty

_LOOKING = {("status",): 12, ("show", "H-3"): 15, ("check", "--fresh"): 20, ("gate", "H-3"): 25}
_DECIDE = ("decide", "override", "H-3", "--reason", "agreed")
_MOST_OF_DECIDE = 45
_STEP = ("step", "DEV", "--handoff", "RUN-41")
_MOST_OF_STEP = 50
_AGENT = '[agents.dev]\ncommand = ["sh", "-c", "echo made > made.txt"]\n'
_REST_SECONDS = 1.0
"""A question takes no answer that was typed before it was read."""


def measure_processes(folder: Path) -> list[Row]:
    """Each verb has a sample and a home of its own, with nothing remembered."""
    folder.mkdir()
    rows = []
    for words, most in _LOOKING.items():
        sample = _Sample(folder / words[0])
        sample.run(*words)
        rows.append(sample.build_row(words[0], most))
    sample = _Sample(folder / "decide")
    with sample.open(*_DECIDE) as terminal:
        terminal.read_until(b"Type H-3 to")
        terminal.drain(_REST_SECONDS)
        terminal.send(b"H-3\n")
        terminal.read_until(b"Write it?")
    rows.append(sample.build_row("decide", _MOST_OF_DECIDE))
    sample = _Sample(folder / "step")
    with sample.open(*_STEP) as terminal:
        terminal.read_to_the_end()
    return [*rows, sample.build_row("step", _MOST_OF_STEP)]


class _Sample:
    """A sample repository whose user runs programs that note each call."""

    def __init__(self, folder: Path) -> None:
        (folder / "bin").mkdir(parents=True)
        self._calls = folder / "calls"
        self._program = [sys.executable, "-m", "handoff_tui"]
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        made = [*self._program, "demo", "--no-open", "--fixed-dates", "--dir", str(folder / "sample")]
        subprocess.run(made, check=True, env=self._environment, stdout=subprocess.DEVNULL)
        self._place = next((folder / "sample").glob("*/.git")).parent
        for name in ("git", "ssh-keygen", "ssh-add", "sh"):
            if program := shutil.which(name):
                stand_in = folder / "bin" / name
                stand_in.write_text(f'#!/bin/sh\necho >> "{self._calls}"\nexec {program} "$@"\n', encoding="utf-8")
                stand_in.chmod(0o755)
        home = folder / "sample" / "home"
        config = home / ".config" / "handoff-tui" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(_AGENT, encoding="utf-8")
        path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self._environment |= {"HOME": str(home), "PATH": path, "TERM": "xterm-256color"}

    def run(self, *words: str) -> None:
        subprocess.run(self._list_words(words), env=self._environment, capture_output=True, check=False)

    @contextmanager
    def open(self, *words: str) -> Iterator[PtyProgram]:
        with run_in_pty(self._list_words(words), self._environment, (160, 40)) as terminal:
            yield terminal

    def build_row(self, name: str, most: int) -> Row:
        return Row(f"processes of {name}, sample", float(len(self._calls.read_text().splitlines())), float(most))

    def _list_words(self, words: tuple[str, ...]) -> list[str]:
        return [*self._program, *words, "--repo", str(self._place)]
