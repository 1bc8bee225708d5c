"""Comparing two stored snapshots with 50,000 tests each, against parsing the two files as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.interleave import Row, interleave
from handoff_tui.changes.comparison.compare import compare_snapshots
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.snapshots.snapshot import Snapshot, TestOutcome, read_snapshot, write_snapshot

_TESTS = 50_000
_PER_FILE = 40
_GONE = 250
_LIMIT = 3.0


def measure_compare(folder: Path, rounds: int) -> list[Row]:
    """Read, digest verified, parsed, compared, drops explained; `moved`: every test is in another file."""
    root = folder / "compare"
    root.mkdir()
    text = "## Removed\n\n" + "".join(f"- `test_{number}`\n" for number in range(0, _GONE, 2))
    sides = {
        "before": _build_tests("unit", 0, 0),
        "after": _build_tests("unit", _GONE, 1),
        "moved": _build_tests("parts", _GONE, 0),
    }
    digests = {name: write_snapshot(root, Snapshot(tree="0" * 40, tests=tests)) for name, tests in sides.items()}
    files = {name: next(root.rglob(f"*{digest}*")) for name, digest in digests.items()}

    def parse(name: str) -> None:
        for side in ("before", name):
            json.loads(files[side].read_bytes())

    def compare(name: str) -> None:
        explanations = build_explanations((), (("results.md", text),))
        before, after = (read_snapshot(root, digests[side]) for side in ("before", name))
        diff = compare_snapshots(before, after, explanations)
        if len(diff.unexplained) != _GONE // 2:
            raise AssertionError("half of what is gone is explained")

    taken = interleave(
        {
            "parse": lambda: parse("after"),
            "compare": lambda: compare("after"),
            "parse moved": lambda: parse("moved"),
            "compare moved": lambda: compare("moved"),
        },
        rounds,
    )
    return [
        Row("compare, 50,000 tests each / parsing both as JSON", taken["compare"] / taken["parse"], _LIMIT),
        Row("compare, all 50,000 tests moved / parsing both", taken["compare moved"] / taken["parse moved"]),
    ]


def _build_tests(kind: str, start: int, shift: int) -> dict[str, TestOutcome]:
    """Forty tests a file; one in twenty fails, and with another shift it is another one."""
    return {
        f"tests/{kind}/area_{number // 1000}/test_module_{number // _PER_FILE}.py::TestThing::test_{number}": (
            TestOutcome.PASS if (number + shift) % 20 else TestOutcome.FAIL
        )
        for number in range(start, _TESTS + start)
    }
