"""Runs every benchmark, prints a table, stores it."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.agents import measure_agents
from benchmarks.baseline import measure_capture
from benchmarks.check import measure_cancel, measure_check, measure_engine
from benchmarks.compare import measure_compare
from benchmarks.debugging import measure_debugging
from benchmarks.desk import measure_desk
from benchmarks.diff import measure_diff
from benchmarks.diff_view import measure_diff_view
from benchmarks.growth import measure_growth
from benchmarks.interleave import Row
from benchmarks.live import measure_live
from benchmarks.log_append import measure_log_append
from benchmarks.log_entry import measure_log_entry
from benchmarks.log_verify import measure_log_verify
from benchmarks.metrics import measure_metrics
from benchmarks.procedures import measure_procedures
from benchmarks.reading import measure_reading
from benchmarks.scopes import measure_scopes
from benchmarks.verbs import measure_verbs
from benchmarks.watching import measure_watching

_MOST_SECONDS = 600
_MOST_FILES = 100_000
_RESULTS = Path(__file__).parent / "results" / "latest.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each case runs")
    parser.add_argument("--large", action="store_true", help="everything with 100,000 files too; takes more minutes")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only these; the other rows stay")
    arguments = parser.parse_args()
    for name in [name for name in os.environ if name.startswith(("GIT_", "PYTHON"))]:
        del os.environ[name]  # such as one that keeps Python from storing bytecode, which nobody has who uses this
    sizes = (1_000, 10_000, 100_000) if arguments.large else (1_000, 10_000)
    rows: list[Row] = []
    print(f"{'what':<58}{'ratio':>8}{'limit':>8}")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="handoff-tui-bench-") as name:
        measures = _list_measures(Path(name), arguments.rounds, sizes)
        if unknown := set(arguments.only) - set(measures):
            parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(measures)}")
        for measure in arguments.only or measures:
            began = time.monotonic()
            measured = measures[measure]()
            rows += measured
            print(f"{measure}: {time.monotonic() - began:.0f} s", file=sys.stderr)
            _print_rows(measured)
    if not arguments.only:
        taken = time.monotonic() - begun
        rows.append(Row("this table / ten minutes", taken / _MOST_SECONDS, 1.0, f"{taken:.0f} s"))
        _print_rows(rows[-1:])
    _store(rows, keep=bool(arguments.only))
    return 0 if all(row.kept for row in rows) else 1


def _print_rows(rows: list[Row]) -> None:
    """Prints rows as soon as they are there; a run takes minutes."""
    for row in rows:
        limit = "" if row.limit is None else f"{row.limit:.2f}"
        print(f"{row.name:<58}{row.ratio:>8.2f}{limit:>8}  {'' if row.kept else 'OVER '}{row.note}", flush=True)


def _list_measures(folder: Path, rounds: int, sizes: tuple[int, ...]) -> dict[str, Callable[[], list[Row]]]:
    return {
        "verbs": lambda: measure_verbs(folder, rounds),
        "growth": lambda: measure_growth(folder, rounds, _MOST_FILES),
        "reading": lambda: measure_reading(folder, rounds),
        "check": lambda: measure_check(folder, rounds, (1_000, 10_000, _MOST_FILES)),
        "engine": lambda: measure_engine(folder, rounds),
        "capture": lambda: measure_capture(folder, rounds, sizes),
        "cancel": lambda: measure_cancel(folder / "cancel", rounds),
        "diff": lambda: measure_diff(folder, rounds),
        "diff-view": lambda: measure_diff_view(rounds),
        "compare": lambda: measure_compare(folder, rounds),
        "log-entry": lambda: measure_log_entry(rounds),
        "log-append": lambda: measure_log_append(folder, rounds),
        "log-verify": lambda: measure_log_verify(folder, rounds),
        "metrics": lambda: measure_metrics(folder, rounds),
        "scopes": lambda: measure_scopes(folder, rounds),
        "watching": lambda: measure_watching(folder, rounds, sizes),
        "live": lambda: measure_live(folder, sizes),
        "desk": lambda: measure_desk(folder, rounds, (1_000, _MOST_FILES)),
        "agents": lambda: measure_agents(folder, rounds),
        "procedures": lambda: measure_procedures(folder, rounds),
        "debugging": lambda: measure_debugging(folder, rounds),
    }


def _store(rows: list[Row], *, keep: bool) -> None:
    """The whole table, or the new rows in the places of the old ones."""
    stored = {row.name: {"name": row.name, "ratio": round(row.ratio, 3), "limit": row.limit} for row in rows}
    if keep and _RESULTS.is_file():
        earlier = json.loads(_RESULTS.read_text(encoding="utf-8"))["rows"]
        stored = {row["name"]: row for row in earlier} | stored
    value = {"python": platform.python_version(), "rows": list(stored.values())}
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
