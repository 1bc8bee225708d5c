"""A live desk over a repository that plants everything git can be made to execute: nothing runs, nothing is written."""

from __future__ import annotations

import subprocess
import sys

from handoff_tui.live.state.app import AppState, Part
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import HostileRepository
from tests.support.live_desks import build_results, looking

HEAVY = ("cryptography", "git", "handoff_tui.checks.registry", "handoff_tui.git.watch.watcher", "textual", "watchfiles")


def test_hostile_repository_is_followed_and_runs_nothing(hostile_repository: HostileRepository) -> None:
    """Also when its files are saved meanwhile: new ones, tracked ones, and a handoff that is read in every part."""
    root = hostile_repository.folder
    before = read_fingerprint(root / ".git")
    with looking(root) as onlooker:
        onlooker.wait_until_live()
        place = root / "handoffs" / "H-1" / "H-1_RESULTS.md"
        place.parent.mkdir(parents=True)
        place.write_text(build_results(1), encoding="utf-8")
        onlooker.choose("H-1", Part.SHOWN, Part.CHECKS, Part.GATE, Part.FILES, Part.LOG, Part.PIPELINE)
        place.write_text(build_results(1, tests=9), encoding="utf-8")

        def is_there(state: AppState) -> bool:
            tests = state.item.reviewed.handoff.tests if state.item else None
            return tests is not None and tests.total == 9

        onlooker.wait_for(is_there)
        onlooker.wait_until_live()
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(root / ".git")) == []


def test_desk_is_imported_without_what_its_threads_need() -> None:
    """The screen is painted first; git, the rules and the watcher are loaded behind it."""
    script = f"import sys, handoff_tui.live.backend; print([n for n in {HEAVY!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
