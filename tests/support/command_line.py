"""Runs the command line: in its own process, as a person would, or in the process of the test, which is quicker."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handoff_tui.cli.main import main

TERMINAL = "handoff_tui.system.processes.terminal._PLACE"
"""Where the program looks for its terminal."""
_FOR_PEOPLE = frozenset({"init", "enroll", "sign", "seal", "pin", "--trust", "--note"})


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON is whatever it is
        return json.loads(self.stdout)


def say(
    *arguments: str | Path,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    terminal: bool | None = None,
) -> Said:
    """Runs `handoff-tui` with these arguments and no standard input.

    What only a person may do runs at a terminal where nobody types, all else without one, unless it is said.
    """
    at_terminal = is_for_people(arguments) if terminal is None else terminal
    with open_pty() as place:
        done = subprocess.run(
            [sys.executable, "-m", "handoff_tui", *map(str, arguments)],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=200,
            start_new_session=True,
            preexec_fn=(lambda: take_terminal(place)) if at_terminal else None,
        )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def is_for_people(arguments: tuple[str | Path, ...]) -> bool:
    """Whether it is something that only a person may do, by the words of the call."""
    return not _FOR_PEOPLE.isdisjoint(map(str, arguments))


@contextmanager
def open_pty() -> Iterator[str]:
    """A terminal where nobody sits; its path."""
    near, far = pty.openpty()
    try:
        yield os.ttyname(far)
    finally:
        os.close(near)
        os.close(far)


def take_terminal(place: str) -> None:
    """Makes a terminal the one of this process, which leads its session."""
    fcntl.ioctl(os.open(place, os.O_RDWR), termios.TIOCSCTTY, 0)


class InProcess:
    """Calls `main` and collects what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path, terminal: bool | None = None) -> Said:
        """Runs it at a terminal or without one, as `say` does."""
        self._capsys.readouterr()
        at_terminal = is_for_people(arguments) if terminal is None else terminal
        with open_pty() as place, pytest.MonkeyPatch.context() as patch:
            patch.setattr(TERMINAL, place if at_terminal else "/nonexistent/tty")
            code = main([str(argument) for argument in arguments])
        printed = self._capsys.readouterr()
        return Said(int(code), printed.out, printed.err)


def list_children() -> set[int]:
    """The processes that this one has started and that are still there."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(place.parent.name))
    return found
