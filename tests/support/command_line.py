"""Runs the command line: in its own process, as a person would, or in the process of the test, which is quicker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handoff_tui.cli.main import main


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON is whatever it is
        return json.loads(self.stdout)


def say(*arguments: str | Path, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Said:
    """Runs `handoff-tui` with these arguments, no standard input, and no terminal to ask at."""
    done = subprocess.run(
        [sys.executable, "-m", "handoff_tui", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=200,
        start_new_session=True,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


class InProcess:
    """Calls `main` and collects what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> Said:
        self._capsys.readouterr()
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
