"""Reading 1,500 handoff files of mixed kinds, against reading and parsing the same bytes with the plain libraries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks.interleave import Row, interleave
from benchmarks.repositories import build_handoff_files, make_repository
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.config.settings.root import Settings
from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.status.refresh import refresh

_NUMBER = 1_500
_LIMIT = 3.0
_STATUS_LIMIT = 2.0


def measure_reading(folder: Path, rounds: int) -> list[Row]:
    """In one process: the whole way from paths to handoffs, and the floor under it."""
    root = make_repository(folder / "reading", 0, _NUMBER)
    paths = [root / path for path in build_handoff_files(_NUMBER)]
    repository = open_repository(root)
    work_tree = read_work_tree(repository)
    settings = Settings()

    def read_all() -> None:
        handoffs_read = read_handoffs(RepositoryFiles(repository, work_tree, settings), FORMATS)
        if not handoffs_read.handoffs or handoffs_read.unknown:
            raise AssertionError("the benchmark's files must be understood")

    desk = open_session(root)
    ways: dict[str, Callable[[], object]] = {
        "plain": lambda: _parse_plainly(paths),
        "read": read_all,
        "status": lambda: _refresh(desk),
    }
    taken = interleave(ways, rounds)
    return [
        Row("1,500 handoff files / plain parsing", taken["read"] / taken["plain"], _LIMIT),
        Row("status of 1,500 handoff files / plain parsing", taken["status"] / taken["plain"], _STATUS_LIMIT),
    ]


def _refresh(desk: Session) -> None:
    """Reads, measures every claim, finds scopes and lives, and judges every gate."""
    if not refresh(desk, CheckAgain()).handoffs:
        raise AssertionError("the benchmark's files must be understood")


def _parse_plainly(paths: list[Path]) -> None:
    parser = MarkdownIt("commonmark").enable("table")
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            json.loads(text)
        else:
            parser.parse(text)
