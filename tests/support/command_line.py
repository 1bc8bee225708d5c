"""Running the command line as a person would: a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
