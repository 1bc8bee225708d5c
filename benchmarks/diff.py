"""The list of changed files against `git diff-tree`, and the first hunk of a large diff against the whole patch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from benchmarks.interleave import Row, interleave
from handoff_tui.changes.files.file_diff import read_file_diff
from handoff_tui.git.command import Git
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.repository import open_repository

_LIST_LIMIT = 1.5
_HUNK_LIMIT = 0.05
_CHANGED = {10_000: 1_000, 100_000: 10_000}
"""How many files there are, and how many of them changed."""
_LINES = 100_000
_IDENTITY = "Bench <bench@example.com> 1767225600 +0000"
_ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
Files = Iterable[tuple[str, str]]


def measure_diff(folder: Path, rounds: int) -> list[Row]:
    """In one process, from two tree ids to values; git alone has its output read and thrown away."""
    return [*_measure_list(folder, rounds), *_measure_hunk(folder, rounds)]


def _measure_list(folder: Path, rounds: int) -> list[Row]:
    cases: dict[str, Callable[[], object]] = {}
    for files, changed in _CHANGED.items():
        step = files // changed
        git, old, new = _make_trees(
            folder / f"diff-{files}",
            ((_name(number), f"value = {number}\n") for number in range(files)),
            ((_name(number), f"value = {number}0\n") for number in range(0, files, step)),
        )
        cases[f"git {files}"] = _command(git, "diff-tree", "-r", "-z", old, new)
        cases[f"list {files}"] = _list(git, old, new, changed)
    taken = interleave(cases, rounds * 2)
    return [
        Row(
            f"list of {changed:,} changed of {files:,} files / git diff-tree",
            taken[f"list {files}"] / taken[f"git {files}"],
            _LIST_LIMIT,
        )
        for files, changed in _CHANGED.items()
    ]


def _measure_hunk(folder: Path, rounds: int) -> list[Row]:
    """100,000 changed lines in 1,000 files, and the same in one file, where git must compare all of it first."""
    cases: dict[str, Callable[[], object]] = {}
    for name, files in (("many", 1_000), ("one", 1)):
        lines = _LINES // files
        git, old, new = _make_trees(
            folder / f"hunk-{name}",
            ((_name(number), _text(number, lines, "old")) for number in range(files)),
            ((_name(number), _text(number, lines, "new")) for number in range(files)),
        )
        change = list_changes(git, old, new)[files // 2]
        cases[f"git {name}"] = _command(git, "diff-tree", "-r", "-p", old, new)
        cases[f"hunk {name}"] = partial(read_file_diff, git, change)
    taken = interleave(cases, rounds * 2)
    return [
        Row(
            "first hunk, 100,000 changed lines in 1,000 files / git diff-tree -p",
            taken["hunk many"] / taken["git many"],
            _HUNK_LIMIT,
        ),
        Row("first hunk, 100,000 changed lines in one file / git diff-tree -p", taken["hunk one"] / taken["git one"]),
    ]


def _list(git: Git, old: str, new: str, expected: int) -> Callable[[], object]:
    def run() -> None:
        if len(list_changes(git, old, new)) != expected:
            raise AssertionError("every change must be listed")

    return run


def _make_trees(folder: Path, before: Files, after: Files) -> tuple[Git, str, str]:
    """Two commits in a repository without a checkout; the second one changes what it names."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True, env=_ENVIRONMENT)
    stream = _build_commit(before) + _build_commit(after)
    argv = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(argv, input=stream, check=True, env=_ENVIRONMENT)
    git = open_repository(folder).git
    old, new = (git.read("rev-parse", "--verify", f"{name}^{{tree}}").decode().strip() for name in ("main~1", "main"))
    return git, old, new


def _build_commit(files: Files) -> bytes:
    parts = [f"commit refs/heads/main\nauthor {_IDENTITY}\ncommitter {_IDENTITY}\ndata 5\nbench\n".encode()]
    for path, text in files:
        content = text.encode()
        parts.append(f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
    return b"".join(parts)


def _name(number: int) -> str:
    return f"src/part{number // 100:03}/file{number:06}.py"


def _text(number: int, lines: int, word: str) -> str:
    return "".join(f"value_{line} = compute({number}, {line}, '{word}')\n" for line in range(lines))


def _command(git: Git, *arguments: str) -> Callable[[], object]:
    argv = ["git", "-C", str(git.folder), *arguments]
    return lambda: subprocess.run(argv, check=True, env=_ENVIRONMENT, capture_output=True)
