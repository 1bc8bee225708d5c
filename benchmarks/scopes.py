"""What scopes cost: `status` with and without them, how that grows, and `coverage` against git's own log."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.log_append import append_decisions
from benchmarks.repositories import add_commits, make_repository

_FILES, _HANDOFF_FILES, _COMMITS, _DECISIONS = 10_000, 200, 1_000, 500
_HANDOFFS = _HANDOFF_FILES // 6
_COLUMNS = count(200)
_ENVIRONMENT = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
_RUN = "import sys; from handoff_tui.cli.main import main; sys.exit(main(sys.argv[1:]))"
_WITHOUT = f"""
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.status import refresh
refresh.find_all_scopes = lambda *_: Scopes({{}})
{_RUN}
"""


def measure_scopes(folder: Path, rounds: int) -> list[Row]:
    """Whole processes, output thrown away."""
    roots = {
        factor: add_commits(
            make_repository(folder / f"scopes-{factor}", _FILES, _HANDOFF_FILES), factor * _COMMITS, _HANDOFFS
        )
        for factor in (1, 2, 4)
    }
    decided = {
        factor: add_commits(
            make_repository(folder / f"coverage-{factor}", _FILES, _HANDOFF_FILES), factor * _COMMITS, _HANDOFFS
        )
        for factor in (1, 4)
    }
    for root in decided.values():
        append_decisions(root, _DECISIONS)
    cases: dict[str, Callable[[], object]] = {}
    for factor, root in roots.items():
        status = ("status", "--json", "--repo", str(root))
        cases[f"without {factor}"] = _run_afresh(sys.executable, "-c", _WITHOUT, *status)
        cases[f"with {factor}"] = _run_afresh(sys.executable, "-c", _RUN, *status)
    for factor, root in decided.items():
        command = (sys.executable, "-m", "handoff_tui", "coverage", "--repo", str(root))
        cases[f"coverage {factor}"] = _run_afresh(*command)
        cases[f"git log {factor}"] = _run("git", "-C", str(root), "log", "--name-status")
    cases["coverage again"] = _run(sys.executable, "-m", "handoff_tui", "coverage", "--repo", str(decided[1]))
    cases["python"] = _run(sys.executable, "-c", "pass")
    cases["help"] = _run(sys.executable, "-m", "handoff_tui", "coverage", "--help")
    taken = interleave(cases, rounds)
    first, last = (taken[f"with {factor}"] - taken[f"without {factor}"] for factor in (2, 4))
    covered, listed = taken["coverage 1"], taken["git log 1"]
    grown = (taken["coverage 4"] - covered) / (taken["git log 4"] - listed)
    shape = "commits of 10 files each, in a tree of 10k"
    alone = f"Python alone {taken['python']:.3f} s"
    fixed = f"{shape}; {covered:.2f} s, {taken['help']:.2f} s of them to start; git {listed:.3f} s, {alone}"
    return [
        Row("status with scopes / without, 10k files, 1k commits", taken["with 1"] / taken["without 1"], 1.2),
        Row("status with scopes / without, 10k files, 4k commits", taken["with 4"] / taken["without 4"]),
        Row("what scopes add with 4k commits / with 2k", last / first),
        Row("coverage, 1k commits, 500 decisions / git log", covered / listed, 3.0, fixed),
        Row("coverage, asked again while nothing moved / git log", taken["coverage again"] / listed, 3.0),
        Row("what 3k more commits add to coverage / to git log", grown),
    ]


def _run_afresh(*argv: str) -> Callable[[], object]:
    """Asks in another way each time, so that no earlier answer is repeated: for other columns."""
    return lambda: subprocess.run(
        argv, check=False, env={**_ENVIRONMENT, "COLUMNS": str(next(_COLUMNS))}, stdout=subprocess.DEVNULL
    )


def _run(*argv: str) -> Callable[[], object]:
    return lambda: subprocess.run(argv, check=False, env=_ENVIRONMENT, stdout=subprocess.DEVNULL)
