"""`status` on 1,000 and 10,000 files with 200 handoffs: against `git status`, and how it grows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.repositories import make_repository

_FILES = (1_000, 10_000)
_HANDOFFS = 200
_ENVIRONMENT = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}


def measure_status(folder: Path, rounds: int) -> list[Row]:
    """Whole processes, output thrown away."""
    plain = make_repository(folder / "r1k-plain", _FILES[0], 0)
    small = make_repository(folder / "r1k", _FILES[0], _HANDOFFS)
    large = make_repository(folder / "r10k", _FILES[1], _HANDOFFS)
    taken = interleave(
        {
            "python": _command([sys.executable, "-I", "-c", "pass"]),
            "version": _command([sys.executable, "-m", "handoff_tui", "--version"]),
            "git small": _command(["git", "-C", str(small), "status", "--porcelain=v2", "--branch"]),
            "git large": _command(["git", "-C", str(large), "status", "--porcelain=v2", "--branch"]),
            "plain": _status(plain),
            "small": _status(small),
            "large": _status(large),
        },
        rounds,
    )
    per_file = (taken["large"] - taken["small"]) / (_FILES[1] - _FILES[0])
    per_handoff = (taken["small"] - taken["plain"]) / _HANDOFFS
    git_per_file = (taken["git large"] - taken["git small"]) / (_FILES[1] - _FILES[0])
    return [
        Row("--version / python -c pass", taken["version"] / taken["python"]),
        Row("status, 1k files, no handoffs / git status", taken["plain"] / taken["git small"]),
        Row("status, 1k files, 200 handoff files / git status", taken["small"] / taken["git small"]),
        Row("status, 10k files, 200 handoff files / git status", taken["large"] / taken["git large"]),
        Row("status, 10k / 1k files, 200 handoff files", taken["large"] / taken["small"]),
        Row("growth per file / git status's own growth per file", per_file / git_per_file),
        Row(
            "growth per handoff file / python -c pass",
            per_handoff / taken["python"],
            note=f"{per_handoff * 1e3:.2f} ms",
        ),
    ]


def _status(repository: Path) -> Callable[[], object]:
    return _command([sys.executable, "-m", "handoff_tui", "status", "--json", "--repo", str(repository)])


def _command(argv: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(argv, check=True, env=_ENVIRONMENT, stdout=subprocess.DEVNULL)
