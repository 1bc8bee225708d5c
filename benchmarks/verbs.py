"""What is called at every turn, in processor time against `python -c pass`: on the sample and in an empty one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.interleave import Row, interleave_spending, spend

_HANDOFF = "H-3"
_FRESH = {
    "status": (("status",), 20.0),
    "show": (("show", _HANDOFF), 22.0),
    "check --fresh": (("check", "--fresh"), 30.0),
    "gate": (("gate", _HANDOFF), 30.0),
    "gate --json": (("gate", _HANDOFF, "--json"), 30.0),
}
"""Verbs with nothing remembered, and their limits."""
_AGAIN = {"status": (("status",), 8.0), "gate": (("gate", _HANDOFF), 8.0), "check --pre": (("check", "--pre"), 6.0)}
"""Verbs when nothing has moved since."""
_MOST_HOOK = 6.0
_PUSH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}


def measure_verbs(folder: Path, rounds: int) -> list[Row]:
    """Whole processes with their children, output thrown away, interleaved."""
    program = str(Path(sys.executable).parent / "handoff-tui")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    environment |= {f"XDG_{name}_HOME": str(folder / "verbs" / name) for name in ("CACHE", "STATE", "CONFIG")}
    sample, empty = folder / "sample", folder / "empty"
    made = [program, "demo", "--no-open", "--fixed-dates", "--dir", str(sample)]
    subprocess.run(made, check=True, env=environment, stdout=subprocess.DEVNULL)
    subprocess.run(["git", "init", "-q", str(empty)], check=True)
    environment["HOME"] = str(sample / "home")
    repository = next(sample.glob("*/.git")).parent
    numbers = count()

    def run(words: tuple[str, ...], where: Path = repository, given: str = "") -> float:
        return spend([program, words[0], "--repo", str(where), *words[1:]], environment, given)

    def run_fresh(words: tuple[str, ...], where: Path = repository) -> float:
        # a folder of its own: a disk finds it hard to make files in the place of others that are just gone
        environment["XDG_CACHE_HOME"] = str(folder / "verbs" / "CACHE" / f"{next(numbers)}")
        return run(words, where)

    def run_again(words: tuple[str, ...]) -> float:
        run(words)
        return run(words)

    def call_hook(event: Mapping[str, object]) -> float:
        asked = json.dumps({**event, "cwd": str(repository), "session_id": "bench"})
        spend([program, "hook", "claude"], environment, asked)
        return spend([program, "hook", "claude"], environment, asked)

    cases: dict[str, Callable[[], float]] = {
        "python": lambda: spend([sys.executable, "-c", "pass"], environment),
        "--version": lambda: spend([program, "--version"], environment),
        "status, empty repository": lambda: run_fresh(("status",), empty),
        **{f"{name}, sample": partial(run_fresh, words) for name, (words, _) in _FRESH.items()},
        **{f"{name}, sample, again": partial(run_again, words) for name, (words, _) in _AGAIN.items()},
        "hook at a push, again": lambda: call_hook(_PUSH),
        "hook at the end of a turn, again": lambda: call_hook({"hook_event_name": "Stop"}),
    }
    limits = {
        "--version": 3.0,
        "status, empty repository": 10.0,
        **{f"{name}, sample": limit for name, (_, limit) in _FRESH.items()},
        **{f"{name}, sample, again": limit for name, (_, limit) in _AGAIN.items()},
        "hook at a push, again": _MOST_HOOK,
        "hook at the end of a turn, again": _MOST_HOOK,
    }
    spent = interleave_spending(cases, rounds)
    return [Row(f"{name} / python -c pass", spent[name] / spent["python"], limit) for name, limit in limits.items()]
