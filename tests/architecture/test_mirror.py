"""Tests mirror the tree: who changes a module finds its tests at the same place."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "handoff_tui"
TESTS = ROOT / "tests"
_FUNCTION = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]", re.MULTILINE)

ELSEWHERE = {
    "__main__.py": "golden/test_outputs.py",
    "agents/worker.py": "faults/test_run_kill.py",
    "agents/worker_lease.py": "faults/test_run_postgresql.py",
    "baseline/ecosystem/": "unit/baseline/test_ecosystem.py",
    "checks/builder_documents.py": "unit/checks/rules/test_results_sections_present.py",
    "checks/builder_numbers.py": "unit/checks/rules/test_status_matches_its_numbers.py",
    "checks/builder_packages.py": "unit/checks/rules/test_packages_own_their_files.py",
    "checks/builder_record.py": "unit/checks/rules/test_clean_room_recorded.py",
    "checks/greenlight.py": "unit/checks/rules/test_question_gate_passed.py",
    "checks/world.py": "unit/review/test_world.py",
    "cli/check_run.py": "faults/test_check.py",
    "cli/commands/check.py": "faults/test_check.py",
    "cli/commands/hooks.py": "faults/test_hooks.py",
    "cli/commands/worker.py": "faults/test_run.py",
    "config/checks.py": "unit/config/test_settings.py",
    "config/layer.py": "unit/config/test_load.py",
    "config/pipeline.py": "unit/config/test_settings.py",
    "config/problems.py": "unit/config/test_load.py",
    "config/procedures.py": "unit/config/test_settings.py",
    "config/reliability.py": "unit/config/test_settings.py",
    "presentation/rows.py": "functional/test_shell.py",
    "repo/captured_content.py": "unit/repo/test_work_tree_capture.py",
    "repo/private_index.py": "unit/repo/test_work_tree_capture.py",
    "repo/sparse_index.py": "unit/repo/test_work_tree_capture.py",
    "review/check.py": "faults/test_check.py",
    "review/command_run.py": "faults/test_check.py",
    "review/functions.py": "faults/test_check.py",
    "review/live/agent_follow.py": "unit/review/live/test_agents.py",
    "review/live/asked_checks.py": "unit/review/live/test_live_desk.py",
    "review/live/log_looks.py": "unit/review/live/test_live_desk.py",
    "review/live/output_window.py": "unit/review/live/test_agents.py",
    "review/live/parts_in_view.py": "unit/review/live/test_live_desk.py",
    "review/live/reading_room.py": "unit/review/live/test_live_desk.py",
    "review/live/repository_feed.py": "unit/review/live/test_live_desk.py",
    "review/live/risk_measuring.py": "unit/review/live/test_live_desk.py",
    "review/run_trust.py": "faults/test_run.py",
    "review/run_worker.py": "faults/test_run.py",
    "dialects/gsd/": "unit/dialects/test_gsd.py",
    "dialects/notes/": "unit/dialects/test_notes.py",
    "dialects/procedure/": "unit/dialects/test_procedure.py",
    "dialects/tdd/": "unit/dialects/test_tdd.py",
    "tui/app.py": "functional/test_shell.py",
    "tui/run.py": "faults/test_desk_crash.py",
    "tui/screens/": "functional/test_shell.py",
    "tui/view_makers.py": "functional/test_shell.py",
    "tui/widgets/": "functional/test_shell.py",
}
"""Modules, and folders that are tested as one, with the file that tests them instead."""


def list_modules() -> list[str]:
    """Every module that does something; one with values and types alone has nothing to test."""
    return [path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.rglob("*.py")) if has_behaviour(path)]


def has_behaviour(path: Path) -> bool:
    """Whether it has a function. Asked of every module before the first test runs, so nothing is parsed for it."""
    return _FUNCTION.search(path.read_text(encoding="utf-8")) is not None


def find_exception(module: str) -> str | None:
    return next(
        (name for name in ELSEWHERE if module == name or (name.endswith("/") and module.startswith(name))), None
    )


def find_mirror(module: str) -> Path:
    exception = find_exception(module)
    if exception is not None:
        return TESTS / ELSEWHERE[exception]
    folder, _, name = module.rpartition("/")
    return TESTS / "unit" / folder / f"test_{name}"


@pytest.mark.parametrize("module", list_modules())
def test_module_has_its_tests_at_the_same_place(module: str) -> None:
    """`room/thing.py` is tested by `tests/unit/room/test_thing.py`, or by the file in the table."""
    mirror = find_mirror(module)
    assert mirror.is_file(), f"src/handoff_tui/{module} needs {mirror.relative_to(ROOT)}"
    functions = [
        node for node in ast.walk(ast.parse(mirror.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    ]
    assert any(function.name.startswith("test_") for function in functions), f"{mirror.relative_to(ROOT)} tests nothing"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_exception_is_still_one(name: str) -> None:
    """What is in the table exists, and has no mirror of its own."""
    assert (SOURCE / name).exists()
    if not name.endswith("/"):
        assert has_behaviour(SOURCE / name)
        folder, _, module = name.rpartition("/")
        assert not (TESTS / "unit" / folder / f"test_{module}").exists()


def test_folder_of_unit_tests_is_a_room() -> None:
    """No test is left behind where its room is gone."""
    rooms = {path.parent.relative_to(TESTS / "unit") for path in (TESTS / "unit").rglob("test_*.py")}
    assert [room for room in rooms if not (SOURCE / room).is_dir()] == []
    assert rooms
