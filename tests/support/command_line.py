"""Runs the command line: in its own process, as a person would, or in the process of the test, which is quicker."""

from __future__ import annotations

import atexit
import fcntl
import json
import multiprocessing
import os
import pty
import subprocess
import sys
import tempfile
import termios
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handoff_tui.__main__ import main as run_program
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
    fresh: bool = False,
) -> Said:
    """Runs `handoff-tui` with these arguments and no standard input, in a process and session of its own.

    What only a person may do runs at a terminal where nobody types, all else without one, unless it is said. The
    process is a fork of this one and has nothing to import; a fresh one starts as a person's does, and so does one that
    a thread asks for.
    """
    at_terminal = is_for_people(arguments) if terminal is None else terminal
    words, variables = [*map(str, arguments)], {**os.environ, **(environment or {})}
    with open_pty() as place, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:

        def begin() -> None:
            if at_terminal:
                take_terminal(place)

        is_main = threading.current_thread() is threading.main_thread()
        if fresh or not is_main or any(name.startswith(_READ_AT_START) for name in environment or ()):
            code = subprocess.run(
                [sys.executable, "-m", "handoff_tui", *words],
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                check=False,
                timeout=_LONGEST_SECONDS,
                start_new_session=True,
                preexec_fn=begin,
            ).returncode
        else:

            def live() -> None:
                os.setsid()
                begin()
                os.chdir(folder or ".")
                os.environ.clear()
                os.environ.update(variables)
                _run_as_program(words, out.fileno(), err.fileno())

            process = multiprocessing.get_context("fork").Process(target=live)
            process.start()
            process.join(_LONGEST_SECONDS)
            if process.exitcode is None:
                process.kill()
                raise AssertionError(f"{words} did not end")
            code = process.exitcode
        out.seek(0)
        err.seek(0)
        return Said(code, out.read().decode(), err.read().decode())


_LONGEST_SECONDS = 200
_READ_AT_START = ("PYTHON", "LC_", "LANG")


def _run_as_program(words: list[str], out: int, err: int) -> None:
    """Makes a fork of the test's process the program's own, as if it had just been started, and runs it."""
    for number, place in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
        os.dup2(place, number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", errors="backslashreplace")  # noqa: SIM115
    atexit._clear()
    warnings.simplefilter("ignore")
    sys.argv = ["handoff-tui", *words]
    try:
        run_program()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()


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
