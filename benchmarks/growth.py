"""How `status` and `check` grow with handoffs, files, entries and commits: the exponent, where 1 is linear."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.interleave import Row, interleave_spending, spend
from benchmarks.log_append import build_log
from benchmarks.repositories import add_commits, make_repository

_LINEAR = 1.05
_MOST_ROUNDS = 3
_HANDOFFS = 50


def measure_growth(folder: Path, rounds: int, most_files: int) -> list[Row]:
    """Fresh runs, in processor time: what is remembered would hide the growth."""
    places = folder / "growth"
    environment = {**os.environ, **{f"XDG_{name}_HOME": str(places / name) for name in ("CACHE", "STATE", "CONFIG")}}

    def run(verb: str, repository: Path) -> float:
        shutil.rmtree(environment["XDG_CACHE_HOME"], ignore_errors=True)
        words = [verb, "--repo", str(repository), "--json", *(["--fresh"] if verb == "check" else [])]
        return spend([sys.executable, "-m", "handoff_tui", *words], environment)

    pairs: dict[str, tuple[int, int, Callable[[int], Path]]] = {
        "handoffs": (50, 1_000, lambda number: make_repository(places / f"handoffs-{number}", 1_000, number)),
        "files": (1_000, most_files, lambda number: make_repository(places / f"files-{number}", number, _HANDOFFS)),
        "log entries": (10, 10_000, lambda number: build_log(places / f"log-{number}", number)),
        "commits": (
            100,
            10_000,
            lambda number: add_commits(make_repository(places / f"commits-{number}", 1_000, _HANDOFFS), number, 20),
        ),
    }
    rows: list[Row] = []
    for what, (few, many, make) in pairs.items():
        small, big = make(few), make(many)
        for verb in ("status", "check"):
            cases = {"few": partial(run, verb, small), "many": partial(run, verb, big)}
            spent = interleave_spending(cases, min(rounds, _MOST_ROUNDS))
            exponent = math.log(spent["many"] / spent["few"]) / math.log(many / few)
            note = f"{spent['few']:.2f} s → {spent['many']:.2f} s"
            rows.append(Row(f"{verb}, exponent in {what}, {few:,} → {many:,}", exponent, _LINEAR, note))
    return rows
