"""`make coverage`: how many branches of each room the tests take, and the least that they have to."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import coverage

FLOORS = {
    "agents": 79,
    "changes": 97,
    "checks": 95,
    "cli": 85,
    "config": 97,
    "core": 97,
    "decisions": 94,
    "git": 93,
    "handoffs": 94,
    "history": 94,
    "live": 73,
    "log": 95,
    "status": 95,
    "system": 87,
    "tui": 87,
}
"""Percent, by `make test`: child processes and slow tests are not counted. Raise one when its room is well above it."""


def measure_rooms() -> dict[str, float]:
    """The percentage of branches taken in each room, from the last run with coverage."""
    measured = coverage.Coverage()
    measured.load()
    with tempfile.NamedTemporaryFile() as report:
        measured.json_report(outfile=report.name)
        files = json.load(report)["files"]
    there, taken = Counter[str](), Counter[str]()
    for name, file in files.items():
        room = Path(name).parts[2]
        there[room] += file["summary"]["num_branches"]
        taken[room] += file["summary"]["covered_branches"]
    return {room: 100 * taken[room] / there[room] for room in FLOORS}


def main() -> int:
    rooms = measure_rooms()
    for room, percent in rooms.items():
        mark = "" if percent >= FLOORS[room] else "  below its floor"
        sys.stdout.write(f"{room:<10} {percent:5.1f} %  of at least {FLOORS[room]}{mark}\n")
    return int(any(percent < FLOORS[room] for room, percent in rooms.items()))


if __name__ == "__main__":
    sys.exit(main())
