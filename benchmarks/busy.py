"""A key while the app is busy: until it is seen, while an agent prints, checks run or files are saved."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

from benchmarks.desk import FRAME_SECONDS, build_environment
from benchmarks.interleave import Row
from benchmarks.pty_program import PtyProgram, run_in_pty

_LIMIT = 2.0
_SIZE = (160, 40)
_READY = b"READY TO APPROVE"
_LETTERS = "ΓΔΘΛΞΠΣΦΨΩ"
"""Nothing else on the screen has them."""
_SETTLE_SECONDS = 1.5
_OPENED_SECONDS = 0.1
"""A find line is there by then, and the checks that were started before it are not done."""
_QUIET_SECONDS = 0.5
"""An escape that a key follows at once is another key."""
_ESCAPE, _BACKSPACE = b"\x1b", b"\x7f"
_EVIDENCE, _RUN = b"3", b"R"
_AGENT = """
[agents.dev]
command = ["sh", "-c", "while :; do echo what an agent prints, many times over; sleep 0.003; done"]
"""
_SAVING = """
import itertools, pathlib, sys, time
for number in itertools.count():
    folder = pathlib.Path(sys.argv[1])
    (folder / "scratch" / f"saved{number % 20}.py").write_text(f"value = {number}\\n")
    (folder / "handoffs" / "storm.md").write_text(f"# Session handoff {number}\\n\\n**Status**: in progress\\n")
    time.sleep(0.005)
"""


def measure_busy(folder: Path, rounds: int) -> list[Row]:
    """On the sample; an agent in a work tree of its own would be followed in the same way."""
    environment = build_environment(folder / "busy-home")
    program = [sys.executable, "-m", "handoff_tui"]
    made = [*program, "demo", "--no-open", "--fixed-dates", "--dir", str(folder / "busy")]
    subprocess.run(made, check=True, env=environment, stdout=subprocess.DEVNULL)
    place = next((folder / "busy").glob("*/.git")).parent
    environment["HOME"] = str(folder / "busy" / "home")
    words = [*program, "--repo", str(place)]
    with run_in_pty(words, environment, _SIZE) as app:
        app.read_until(_READY)
        app.drain(_SETTLE_SECONDS)
        rows = [_measure(app, "nothing runs", rounds)]
        with _save(place):
            app.read_for(_SETTLE_SECONDS)
            rows.append(_measure(app, "files are saved", rounds))
        app.send(_EVIDENCE)
        app.drain(_SETTLE_SECONDS)
        rows.append(_measure(app, "all checks run", rounds, _RUN))
    with _run_agent(environment, words):
        here = [*words[:-2], "RUN-41", "--view", "agent", *words[-2:]]
        with run_in_pty(here, environment, _SIZE) as app:
            app.read_until(b"what an agent prints")
            app.read_for(_SETTLE_SECONDS)
            rows.append(_measure(app, "an agent prints", rounds))
    return rows


def _measure(app: PtyProgram, what: str, rounds: int, run: bytes = b"") -> Row:
    """Types into the find line; with `run`, that key starts something before the line is opened, for each letter."""
    taken: list[float] = []
    for _, letter in zip(range(rounds * 5), cycle(_LETTERS), strict=False):
        if run or not taken:
            app.send(run)
            app.send(b"/")
            app.read_for(_OPENED_SECONDS)
        start = app.send(letter.encode())
        taken.append(app.read_until(letter.encode()) - start)
        app.send(_ESCAPE if run else _BACKSPACE)
        app.read_for(_QUIET_SECONDS)
    app.send(_ESCAPE)
    app.read_for(_SETTLE_SECONDS)
    frames = statistics.median(taken) / FRAME_SECONDS
    return Row(f"a key until it is seen while {what}, frames", frames, _LIMIT, f"slowest {max(taken) * 1e3:.0f} ms")


@contextmanager
def _save(place: Path) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", _SAVING, str(place)]) as saving:
        try:
            yield
        finally:
            saving.kill()


@contextmanager
def _run_agent(environment: Mapping[str, str], words: list[str]) -> Iterator[None]:
    config = Path(environment["HOME"]) / ".config" / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(_AGENT, encoding="utf-8")
    step = [*words[:-2], "step", "DEV", "--handoff", "RUN-41", *words[-2:]]
    with run_in_pty(step, environment, _SIZE) as running:
        running.read_until(b"what an agent prints")
        try:
            yield
        finally:  # its supervisor would outlive the terminal
            subprocess.run([*step, "--stop"], env=environment, check=False, capture_output=True)
