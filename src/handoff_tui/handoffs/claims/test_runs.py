"""What the test commands that ran here counted, and on which content: claimed numbers stand beside these.

The file is ours and sealed, because an agent may be able to write to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.tasks import TestCounts
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.sealed_files import load_json, write_json

_NAME: Final = "test-runs.json"
_MOST = 20


class CountedRun(NamedTuple):
    """One run: its numbers, the commit, and the hash of each file that differed from it (None if it was deleted)."""

    command: str
    numbers: Mapping[str, int]
    commit: str
    uncommitted: Mapping[str, str | None]


def load_test_runs(root: Path) -> tuple[CountedRun, ...]:
    """The last runs of all commands, newest last."""
    stored = load_json(find_cache_folder(root) / _NAME)
    return tuple(CountedRun(*one) for one in stored) if isinstance(stored, list) else ()


def save_test_runs(
    root: Path, commit: str, uncommitted: Mapping[str, str | None], counted: Mapping[str, TestCounts]
) -> None:
    """Adds what commands have just counted, by their names."""
    runs = [CountedRun(command, _complete(counts), commit, uncommitted) for command, counts in counted.items()]
    write_json(find_cache_folder(root) / _NAME, [*load_test_runs(root), *runs][-_MOST:])


def _complete(counts: TestCounts) -> dict[str, int]:
    """All four numbers: what a runner doesn't mention is 0, or the rest of its total."""
    failed, skipped = counts.failed or 0, counts.skipped or 0
    passed = max((counts.total or 0) - failed - skipped, 0) if counts.passed is None else counts.passed
    return {"total": passed + failed + skipped, "passed": passed, "failed": failed, "skipped": skipped}
