"""Captures with nothing changed, in one process, against `git status`; and whether the repository gained objects."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.interleave import Row, interleave
from benchmarks.repositories import make_repository
from handoff_tui.changes.snapshots.capture import capture_snapshot
from handoff_tui.git.work_tree.capture import write_work_tree
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.files.cache_files import find_cache_folder

_TREE_LIMITS = {100_000: 1.2}
_SNAPSHOT_LIMITS = {100_000: 1.4}
_HANDOFFS = 12


def measure_capture(folder: Path, rounds: int, sizes: tuple[int, ...]) -> list[Row]:
    """The work tree's tree alone, and the whole snapshot; the repository and its handoffs are read before."""
    rows: list[Row] = []
    with _own_cache(folder / "capture-cache"):
        for size in sizes:
            root = make_repository(folder / f"capture-{size}", size, _HANDOFFS)
            (root / "junit.xml").write_text(_build_report(), encoding="ascii")
            before = _list_objects(root)
            taken = interleave(_build_cases(root), rounds)
            tree, snapshot = taken["tree"] / taken["git"], taken["snapshot"] / taken["git"]
            added = len(_list_objects(root) - before)
            rows += [
                Row(f"work tree as a tree, {size:,} files / git status", tree, _TREE_LIMITS.get(size)),
                Row(f"snapshot again, {size:,} files / git status", snapshot, _SNAPSHOT_LIMITS.get(size)),
                Row(f"objects added to the repository, {size:,} files", float(added), 0.0),
            ]
    return rows


def _build_cases(root: Path) -> dict[str, Callable[[], object]]:
    desk = open_session(root)
    handoffs_read = read_handoffs(RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings), FORMATS)
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    argv = ["git", "-C", str(root), "status", "--porcelain=v2", "--untracked-files=all"]
    return {
        "git": lambda: subprocess.run(argv, check=True, env=environment, stdout=subprocess.DEVNULL),
        "tree": lambda: write_work_tree(desk.repository, find_cache_folder(root)),
        "snapshot": lambda: capture_snapshot(desk, handoffs_read, None),
    }


@contextmanager
def _own_cache(folder: Path) -> Iterator[None]:
    earlier = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    try:
        yield
    finally:
        if earlier is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = earlier


def _build_report() -> str:
    cases = "".join(f'<testcase classname="tests.part" name="test_{number}"/>' for number in range(1_000))
    return f"<testsuite>{cases}</testsuite>"


def _list_objects(root: Path) -> set[Path]:
    return {place for place in (root / ".git" / "objects").rglob("*") if place.is_file()}
