"""Rules of the house that import contracts cannot see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "handoff_tui"
FILES = sorted(SOURCE.rglob("*.py"))
BANNED_NAMES = {"utils", "helpers", "common", "misc", "manager"}
DISK_METHODS = {
    "exists", "is_dir", "is_file", "is_symlink", "iterdir", "glob", "rglob", "lstat", "stat", "mkdir", "open",
    "read_bytes", "read_text", "readlink", "rename", "resolve", "rmdir", "symlink_to", "touch", "unlink",
    "write_bytes", "write_text",
}  # fmt: skip
LONGEST_FILE = 600
LONGEST_FUNCTION = 50


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_file_keeps_its_size(path: Path) -> None:
    """No file is longer than the hard limit, no function longer than its own."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE
    for function in functions_of(path):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        assert length <= LONGEST_FUNCTION, f"{name_of(path)}:{function.lineno} {function.name} has {length} lines"


def test_file_name_says_something() -> None:
    """No file has a name that could hold anything."""
    assert [name_of(path) for path in FILES if path.stem in {"base", *BANNED_NAMES}] == []


TOUCH_DISK = (
    *("system/", "git/", "log/storage/", "agents/runs/", "agents/rollback/saved_work.py", "agents/engine/"),
    *("checks/hooks/hook_files.py", "cli/demo/"),
)
OTHERS = [path for path in FILES if not path.relative_to(SOURCE).as_posix().startswith(TOUCH_DISK)]


@pytest.mark.parametrize("path", OTHERS, ids=name_of)
def test_disk_is_touched_in_few_places(path: Path) -> None:
    """Elsewhere nothing calls open(), a Path's disk methods, or imports what starts processes."""
    tree = parse(path)
    paths = {"root", "folder", "start", "place", "file", "path"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "open", f"{name_of(path)}:{node.lineno} calls open()"
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            assert not names & {"tempfile", "subprocess", "socket"}, f"{name_of(path)}:{node.lineno} imports {names}"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in DISK_METHODS
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in paths
        ):
            pytest.fail(f"{name_of(path)}:{node.lineno} calls {node.func.value.id}.{node.func.attr}()")


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=name_of)
def test_every_test_says_what_holds(path: Path) -> None:
    """Each test function has a docstring."""
    silent = [
        function.name
        for function in functions_of(path)
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]
    assert silent == []


def test_rules_know_nothing_of_each_other() -> None:
    """What several rules need lies beside them, in a module that is no rule."""
    rules = {path for path in (SOURCE / "checks" / "rules").rglob("*.py") if " = Rule(\n" in path.read_text()}
    modules = {".".join(path.relative_to(SOURCE.parent).with_suffix("").parts) for path in rules}
    imported = {
        node.module
        for path in rules
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom) and node.module is not None
    }
    assert len(rules) > 60
    assert imported & modules == set()


def test_room_says_what_it_is() -> None:
    """Every package begins with a docstring."""
    rooms = [path for path in FILES if path.name == "__init__.py"]
    assert [name_of(path) for path in rooms if not ast.get_docstring(parse(path))] == []
    assert rooms
