"""Verifying the whole signed log: 10,000 chained entries against 1,000; with the cache, against the first time."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.log_append import build_log
from handoff_tui.git.repository import open_repository
from handoff_tui.log.chain import Known
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.open_log import LogVerifier
from handoff_tui.log.storage.blobs import LogBlobs
from handoff_tui.log.storage.memory import VerifiedCache
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.git_private_files import GitPrivateFolder

_FEW, _MANY = 1_000, 10_000
_LINEAR_LIMIT = 11.0
_CACHED_LIMIT = 0.25
_MOST_ROUNDS = 3
"""Each takes seconds."""


def measure_log_verify(folder: Path, rounds: int) -> list[Row]:
    """Everything opened again every time, as a command does; in processor time, that of git counted in."""
    few, many = (build_log(folder / f"verified-{count}", count) for count in (_FEW, _MANY))
    cases: dict[str, Callable[[], object]] = {
        "few": partial(_verify, few, _FEW, cached=False),
        "many": partial(_verify, many, _MANY, cached=False),
        "again": partial(_verify, many, _MANY, cached=True),
    }
    taken = interleave(cases, min(rounds, _MOST_ROUNDS), _read_processor_time)
    each = f"{taken['many'] / _MANY * 1e6:.0f} µs an entry"
    again = f"{taken['again']:.2f} s"
    return [
        Row(f"verify, {_MANY:,} entries / {_FEW:,}", taken["many"] / taken["few"], _LINEAR_LIMIT, each),
        Row(f"verify {_MANY:,} again with the cache / first", taken["again"] / taken["many"], _CACHED_LIMIT, again),
    ]


def _verify(root: Path, count: int, *, cached: bool) -> None:
    repository = open_repository(root)
    facts = VerifiedCache(GitPrivateFolder(repository.common_dir), b"s" * 32) if cached else None
    verdict = LogVerifier(LogBlobs(repository), lambda: Known(build_time(read_now())), facts)()
    if verdict.problems or len(verdict.entries) <= count:
        raise AssertionError(f"the log that was built is not sound: {verdict.problems[:3]}")


def _read_processor_time() -> float:
    """Of this process and of those it waited for."""
    return sum(os.times()[:4])
