"""`check --pre` with all built-in rules, against `git status` and against `pre-commit run` with one empty hook."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.interleave import Row, interleave, interleave_spending, spend
from benchmarks.repositories import make_repository
from handoff_tui.checks.context import Answers
from handoff_tui.checks.engine import RuleEngine
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.run.baseline import ChosenBaseline
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.processes.run import Bounds, run_command

_LIMITS = {1_000: 30.0, 10_000: 6.0, 100_000: 1.6}
_FRESH_LIMITS = {1_000: 40.0, 10_000: 10.0, 100_000: 3.0}
_PRE_COMMIT_LIMIT = 0.5
_HOOK = "{id: nothing, name: nothing, entry: 'true', language: system, pass_filenames: false}"
_HOOKS = f"repos:\n- repo: local\n  hooks:\n  - {_HOOK}\n"


def measure_check(folder: Path, rounds: int, sizes: tuple[int, ...]) -> list[Row]:
    """Whole processes in processor time; `again`: nothing has changed since the last run; `--fresh`: from nothing."""
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "XDG_CACHE_HOME": str(folder / "cache")}
    cases: dict[str, Callable[[], float]] = {}
    for size in sizes:
        repository = make_repository(folder / f"check-{size}", size, 12)
        cases[f"git {size}"] = partial(spend, ["git", "-C", str(repository), "status", "--porcelain=v2"], environment)
        argv = [str(Path(sys.executable).parent / "handoff-tui"), "check", "--pre", "--json", "--repo", str(repository)]
        cases[f"check {size}"] = partial(spend, argv, environment)
        cases[f"fresh {size}"] = partial(spend, [*argv, "--fresh"], environment)
    program = shutil.which("pre-commit", path=str(Path(sys.executable).parent)) or shutil.which("pre-commit")
    if program:
        repository = folder / f"check-{sizes[0]}"
        (repository / ".pre-commit-config.yaml").write_text(_HOOKS, encoding="utf-8")
        subprocess.run(["git", "-C", str(repository), "add", ".pre-commit-config.yaml"], check=True)
        inner = {**environment, "PRE_COMMIT_HOME": str(folder / "pre-commit")}
        cases["pre-commit"] = lambda: spend([program, "run", "--all-files"], inner, folder=repository)
    taken = interleave_spending(cases, rounds)
    rows = [
        Row(
            f"check --pre again, {size:,} files / git status",
            taken[f"check {size}"] / taken[f"git {size}"],
            _LIMITS[size],
        )
        for size in sizes
    ]
    rows += [
        Row(
            f"check --pre --fresh, {size:,} files / git status",
            taken[f"fresh {size}"] / taken[f"git {size}"],
            _FRESH_LIMITS[size],
        )
        for size in sizes
    ]
    if program:
        ratio = taken[f"check {sizes[0]}"] / taken["pre-commit"]
        rows.append(Row("check --pre again, 1,000 files / pre-commit, one empty hook", ratio, _PRE_COMMIT_LIMIT))
    return rows


def measure_engine(folder: Path, rounds: int) -> list[Row]:
    """One event when every result is known and nothing has changed: the engine's own cost, against one spawn of git."""
    desk = open_session(make_repository(folder / "engine", 200, 12))
    handoffs_read = read_handoffs(RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings), FORMATS)
    world = RepositoryWorld(desk, handoffs_read, ChosenBaseline(None, "none"))
    answers = Answers(world)
    first = RuleEngine(answers)
    first.run(RULES)

    def event() -> None:
        results = RuleEngine(answers, cached=first.remembered).run(RULES)
        if not all(result.from_cache for result in results):
            raise AssertionError("nothing has changed")

    taken = interleave({"git": _command(["git", "--version"], dict(os.environ)), "event": event}, rounds * 3)
    return [Row("engine, all rules, nothing changed / git --version", taken["event"] / taken["git"], 0.5)]


def measure_cancel(folder: Path, rounds: int) -> list[Row]:
    """From the word to the last descendant gone; the limit is agreed in milliseconds (50, 19 times in 20)."""
    folder.mkdir(exist_ok=True)
    seconds = sorted(_cancel_once(folder) for _ in range(rounds * 5))
    late = seconds[int(len(seconds) * 0.95) - 1]
    return [Row("cancel to all descendants gone, 95 % / 50 ms", late / 0.05, 1.0, f"{late * 1e3:.0f} ms")]


def _cancel_once(folder: Path) -> float:
    cancel = threading.Event()
    said: list[float] = []

    def stop(_: bytes) -> None:
        said.append(time.perf_counter())
        cancel.set()

    script = "sleep 300 & (setsid sleep 300) & echo up; wait"
    bounds = Bounds(seconds=60, grace_seconds=3, keep_bytes=1024)
    run_command(["sh", "-c", script], folder, {"PATH": os.environ["PATH"]}, bounds, cancel, stop)
    return time.perf_counter() - said[0]


def _command(argv: list[str], environment: dict[str, str]) -> Callable[[], object]:
    return lambda: subprocess.run(
        argv, check=False, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
