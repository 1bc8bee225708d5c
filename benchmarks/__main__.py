"""Runs every benchmark, prints a table, stores it."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.agents import measure_agents
from benchmarks.baseline import measure_capture
from benchmarks.check import measure_cancel, measure_check, measure_engine
from benchmarks.compare import measure_compare
from benchmarks.diff import measure_diff
from benchmarks.diff_view import measure_diff_view
from benchmarks.interleave import Row
from benchmarks.log_append import measure_log_append
from benchmarks.log_entry import measure_log_entry
from benchmarks.log_verify import measure_log_verify
from benchmarks.procedures import measure_procedures
from benchmarks.reading import measure_reading
from benchmarks.status import measure_status
from benchmarks.watching import measure_watching

_RESULTS = Path(__file__).parent / "results" / "latest.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="how often each case runs")
    parser.add_argument("--large", action="store_true", help="also with 100,000 files; takes minutes")
    arguments = parser.parse_args()
    sizes = (1_000, 10_000, 100_000) if arguments.large else (1_000, 10_000)
    with tempfile.TemporaryDirectory(prefix="handoff-tui-bench-") as name:
        folder = Path(name)
        rows = [
            *measure_status(folder, arguments.rounds),
            *measure_reading(folder, arguments.rounds),
            *measure_check(folder, arguments.rounds, sizes),
            *measure_engine(folder, arguments.rounds),
            *measure_capture(folder, arguments.rounds, sizes),
            *measure_cancel(folder / "cancel", arguments.rounds),
            *measure_diff(folder, arguments.rounds),
            *measure_diff_view(arguments.rounds),
            *measure_compare(folder, arguments.rounds),
            *measure_log_entry(arguments.rounds),
            *measure_log_append(folder, arguments.rounds),
            *measure_log_verify(folder, arguments.rounds),
            *measure_watching(folder, arguments.rounds, sizes),
            *measure_agents(folder, arguments.rounds),
            *measure_procedures(folder, arguments.rounds),
        ]
    print(f"{'what':<58}{'ratio':>8}{'limit':>8}")
    for row in rows:
        limit = "" if row.limit is None else f"{row.limit:.2f}"
        print(f"{row.name:<58}{row.ratio:>8.2f}{limit:>8}  {'' if row.kept else 'OVER'}{row.note}")
    _store(rows)
    return 0 if all(row.kept for row in rows) else 1


def _store(rows: list[Row]) -> None:
    value = {
        "python": platform.python_version(),
        "rows": [{"name": row.name, "ratio": round(row.ratio, 3), "limit": row.limit} for row in rows],
    }
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
