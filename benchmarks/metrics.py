"""Metrics over 10,000 entries with a review record each, against verifying those entries."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.log_append import build_log
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.metrics.definitions import DayWindow
from handoff_tui.history.metrics.metrics import read_metrics
from handoff_tui.log.chain import Known
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Subject
from handoff_tui.log.open_log import LogVerifier, open_log
from handoff_tui.log.review_record import ReviewRecord, ShownCheck, ShownFinding
from handoff_tui.log.storage.blobs import LogBlobs
from handoff_tui.log.storage.evidence import encode_review
from handoff_tui.system.clock import read_now

_ENTRIES = 10_000
_CHECKS = 56
"""As many results as a record of the sample has."""
_FAILING = 4
_LIMIT = 2.0
_MOST_ROUNDS = 3
"""Each takes seconds."""
_SUBJECT = Subject(
    commit="2" * 40, tree="3" * 40, baseline="4" * 64, snapshot="5" * 64, checks="6" * 64, handoff="7" * 64
)


def measure_metrics(folder: Path, rounds: int) -> list[Row]:
    """Everything opened again every time, as a command does; in processor time, that of git counted in."""
    root = folder / "figures"
    root.mkdir(parents=True)
    log = build_log(root / "repository", _ENTRIES, partial(_write_record, root / "repository"))
    cases: dict[str, Callable[[], object]] = {
        "verify": partial(_verify, log),
        "figures": partial(_count, log, remembered=False),
        "again": partial(_count, log, remembered=True),
    }
    taken = interleave(cases, min(rounds, _MOST_ROUNDS), _read_processor_time)
    note = f"{taken['figures']:.2f} s"
    return [
        Row(f"figures over {_ENTRIES:,} entries / verifying them", taken["figures"] / taken["verify"], _LIMIT, note),
        Row("the same again with the cache of verified entries", taken["again"] / taken["verify"], _LIMIT),
    ]


def _verify(root: Path) -> None:
    verdict = LogVerifier(LogBlobs(open_repository(root)), lambda: Known(build_time(read_now())))()
    if verdict.problems or len(verdict.entries) <= _ENTRIES:
        raise AssertionError(f"the log that was built is not sound: {verdict.problems[:3]}")


def _count(root: Path, *, remembered: bool) -> None:
    desk = open_session(root)
    report = read_metrics(desk, open_log(desk.repository, remembered=remembered), DayWindow())
    by_rule = report.find("success-by-rule")
    if by_rule is None or by_rule.of != (_ENTRIES - 1) * _CHECKS:
        raise AssertionError("every record is counted")


def _write_record(root: Path, number: int) -> str:
    """A record of the usual size, each another one; plain writing, as ours would sync each to the disk."""
    checks = tuple(
        ShownCheck(
            id=f"check-number-{place}",
            outcome="fail" if place < _FAILING else "pass",
            severity="high",
            blocking=True,
            summary=f"What this check found is said in a sentence of about this length, number {number}.",
            findings=(ShownFinding(fingerprint=f"{number:016x}{place:016x}", message="found", where="src/lamp.py:12"),)
            if place < _FAILING
            else (),
        )
        for place in range(_CHECKS)
    )
    record = ReviewRecord(handoff=f"H-{number}", phase="implement", attempt=1, subject=_SUBJECT, checks=checks)
    content = encode_review(record)
    digest = hashlib.sha256(content).hexdigest()
    place = root / f".handoff-tui/reviews/{digest}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return digest


def _read_processor_time() -> float:
    """Of this process and of those it waited for."""
    return sum(os.times()[:4])
