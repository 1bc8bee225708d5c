"""Agents: what supervising one costs over its bare command, how fast its output is taken, and in what memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.interleave import Row, interleave
from handoff_tui.agents.runs.folders import RunHandle, read_run, start_run, wait_run, write_run
from handoff_tui.agents.runs.run import RunKey, RunPlan, RunState
from handoff_tui.system.processes.output_reader import OutputReader

_OVERHEAD_SECONDS = 0.150
_LONG_SECONDS = 10
_LONG_LIMIT = 1.05
_INGEST_LIMIT = 1 / 0.3
_OUTPUT_BYTES = 100_000_000
_MEMORY_LIMIT = 2.0
_LOOK_SECONDS = 0.01
"""Between two looks at the memory: whoever looks all the time takes a processor from the supervisor."""
_LINE = b"an agent prints lines of about this length, and very many of them, without an end\n"


def measure_agents(folder: Path, rounds: int) -> list[Row]:
    runs = _Runs(folder / "agents")
    return [
        *_measure_overhead(runs, rounds),
        _measure_long(runs),
        *_measure_output(runs, rounds),
        _measure_reading(runs, rounds),
    ]


class _Runs:
    """Supervised runs of one command after the other."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.number = 0
        self.large = folder / "large.txt"
        with self.large.open("wb") as file:
            file.write(_LINE * (_OUTPUT_BYTES // len(_LINE)))

    def start(self, *argv: str) -> RunHandle:
        self.number += 1
        key = RunKey(handoff="bench", phase="run", number=self.number)
        plan = RunPlan(key=key, argv=argv, folder=str(self.folder), timeout_seconds=120.0)
        handle = write_run(self.folder, plan)
        start_run(handle, {"PATH": os.environ["PATH"]})
        return handle

    def run(self, *argv: str) -> RunState:
        return wait_run(self.start(*argv))


def _measure_overhead(runs: _Runs, rounds: int) -> list[Row]:
    cases: dict[str, Callable[[], object]] = {
        "bare": lambda: subprocess.run(["sleep", "0.3"], check=True),
        "supervised": lambda: runs.run("sleep", "0.3"),
    }
    taken = interleave(cases, rounds)
    overhead = taken["supervised"] - taken["bare"]
    return [Row("supervising a command, overhead / 150 ms", overhead / _OVERHEAD_SECONDS, 1.0)]


def _measure_long(runs: _Runs) -> Row:
    words = ("sleep", str(_LONG_SECONDS))
    start = time.perf_counter()
    subprocess.run(words, check=True)
    bare = time.perf_counter() - start
    start = time.perf_counter()
    runs.run(*words)
    return Row("a command of 10 s, supervised / bare", (time.perf_counter() - start) / bare, _LONG_LIMIT)


def _measure_output(runs: _Runs, rounds: int) -> list[Row]:
    """From the first byte to the digest of the last; the start alone is the overhead above."""
    copy = runs.folder / "copy.txt"
    bare: list[float] = []
    taken: list[float] = []
    memory: list[int] = []
    for _ in range(rounds):
        copy.unlink(missing_ok=True)
        start = time.perf_counter()
        with copy.open("wb") as file:
            subprocess.run(["cat", str(runs.large)], stdout=file, check=True)
        bare.append(time.perf_counter() - start)
        handle = runs.start("cat", str(runs.large))
        peak = _follow_memory(handle)
        memory += [peak] if peak else []
        end = wait_run(handle).end
        if end is None or end.output_bytes < _OUTPUT_BYTES * 0.99:
            raise RuntimeError(f"the output is not whole: {end}")
        taken.append(end.seconds)
        (handle.folder / "output.log").unlink()
    small = _follow_memory(runs.start("sleep", "0.3"))
    rows = [
        Row("100 MB of output, supervised / cat", statistics.median(taken) / statistics.median(bare), _INGEST_LIMIT)
    ]
    if memory and small:
        rows.append(Row("memory of a supervisor, 100 MB / no output", max(memory) / small, _MEMORY_LIMIT))
    return rows


def _follow_memory(handle: RunHandle) -> int:
    """The most memory that the supervisor had at once, in kB, as far as it could be seen."""
    peak = 0
    while True:
        state = read_run(handle)
        if state.process is not None:
            try:
                status = Path(f"/proc/{state.process.pid}/status").read_text(encoding="ascii")
            except OSError:
                status = ""
            lines = [line for line in status.splitlines() if line.startswith("VmHWM")]
            peak = max([peak, *(int(line.split()[1]) for line in lines)])
        if state.is_over:
            return peak
        time.sleep(_LOOK_SECONDS)


def _measure_reading(runs: _Runs, rounds: int) -> Row:
    """Counting the lines of 100 MB, which a screen does once in the background, beside `wc -l`."""

    def read() -> None:
        reader = OutputReader(runs.large)
        reader.advance()
        reader.read_lines(reader.line_count - 50, 50)

    cases: dict[str, Callable[[], object]] = {
        "wc": lambda: subprocess.run(["wc", "-l", str(runs.large)], check=True, capture_output=True),
        "read": read,
    }
    taken = interleave(cases, rounds)
    return Row("lines of 100 MB known, last page read / wc -l", taken["read"] / taken["wc"])
