"""Runs every benchmark, prints a table, stores it."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.groups import list_groups, measure_group
from benchmarks.interleave import Row

_MOST_SECONDS = 600
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
        measures = list_groups(Path(name), arguments.rounds, sizes)
        if unknown := set(arguments.only) - set(measures):
            parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(measures)}")
        broken = False
        for measure in arguments.only or measures:
            began = time.monotonic()
            with ProcessPoolExecutor(1, get_context("spawn")) as process:  # nobody pays for what others left in memory
                job = process.submit(measure_group, measure, Path(name), arguments.rounds, sizes)
                error = job.exception()
            print(f"{measure}: {time.monotonic() - began:.0f} s", file=sys.stderr)
            if error is not None:  # the other groups still count
                print(f"{measure} broke off: {error!r}", flush=True)
                broken = True
                continue
            rows += job.result()
            _print_rows(job.result())
    if not arguments.only:
        taken = time.monotonic() - begun
        rows.append(Row("this table / ten minutes", taken / _MOST_SECONDS, 1.0, f"{taken:.0f} s"))
        _print_rows(rows[-1:])
    if not broken:
        _store(rows, keep=bool(arguments.only))
    return 0 if all(row.kept for row in rows) and not broken else 1


def _print_rows(rows: list[Row]) -> None:
    """Prints rows as soon as they are there; a run takes minutes."""
    for row in rows:
        limit = "" if row.limit is None else f"{row.limit:.2f}"
        print(f"{row.name:<58}{row.ratio:>8.2f}{limit:>8}  {'' if row.kept else 'OVER '}{row.note}", flush=True)


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
