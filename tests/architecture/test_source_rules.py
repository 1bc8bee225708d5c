"""Rules of the house that import contracts cannot see."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import _LONG

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "handoff_tui"
FILES = sorted(SOURCE.rglob("*.py"))
BANNED_NAMES = {"base", "utils", "helpers", "common", "misc", "manager"}
DISK_METHODS = {
    "exists", "is_dir", "is_file", "is_symlink", "iterdir", "glob", "rglob", "lstat", "stat", "mkdir", "open",
    "read_bytes", "read_text", "readlink", "rename", "resolve", "rmdir", "symlink_to", "touch", "unlink",
    "write_bytes", "write_text",
}  # fmt: skip
PATH_NAMES = {"root", "folder", "start", "place", "file", "path"}
TOUCH_DISK = (
    *("system/", "git/", "log/storage/", "agents/runs/", "agents/rollback/saved_work.py", "agents/engine/"),
    *("checks/hooks/hook_files.py", "cli/demo/"),
)
LONGEST_FILE = 600
LONGEST_FUNCTION = 60
MOST_ENTRIES = 15
ONE_FILE_A_VERB = "cli/commands"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def find_disk_access(path: Path) -> Iterator[str]:
    """Where a file calls open(), a Path's disk methods, or imports what starts processes."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names} & {"tempfile", "subprocess", "socket"}
            yield from (f"{name_of(path)}:{node.lineno} imports {name}" for name in names)
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == "open":
            yield f"{name_of(path)}:{called.lineno} calls open()"
        if isinstance(called, ast.Attribute) and called.attr in DISK_METHODS:
            owner = called.value.id if isinstance(called.value, ast.Name) else ""
            if owner in PATH_NAMES:
                yield f"{name_of(path)}:{called.lineno} calls {owner}.{called.attr}()"


def test_files_and_functions_can_be_read_in_one_go() -> None:
    """A file is one thought; a function that is longer than a screen has several."""
    long_files = [name_of(path) for path in FILES if len(path.read_text("utf-8").splitlines()) > LONGEST_FILE]
    long_functions = [
        f"{name_of(path)}:{function.lineno} {function.name}"
        for path in FILES
        for function in functions_of(path)
        if (function.end_lineno or function.lineno) - function.lineno >= LONGEST_FUNCTION
    ]
    assert (long_files, long_functions) == ([], [])


def test_folders_can_be_taken_in_at_a_glance() -> None:
    """At most fifteen entries a folder, but for the verbs."""
    crowded = []
    for folder in {path.parent for path in FILES}:
        entries = [entry for entry in folder.iterdir() if entry.name not in {"__init__.py", "__pycache__"}]
        if len(entries) > MOST_ENTRIES and folder != SOURCE / ONE_FILE_A_VERB and folder != SOURCE:
            crowded.append(f"{name_of(folder)} has {len(entries)}")
    assert crowded == []


def test_file_name_says_something() -> None:
    """No file has a name that could hold anything."""
    assert [name_of(path) for path in FILES if path.stem in BANNED_NAMES] == []


def test_class_has_its_name_to_itself() -> None:
    """A name that two modules give to a class of their own would stand for two things."""
    modules: dict[str, list[str]] = {}
    for path in FILES:
        for node in parse(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, []).append(name_of(path))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


def test_disk_is_touched_in_few_places() -> None:
    """Elsewhere nothing reads or writes files or starts processes."""
    others = [path for path in FILES if not path.relative_to(SOURCE).as_posix().startswith(TOUCH_DISK)]
    assert [offence for path in others for offence in find_disk_access(path)] == []


def test_every_test_says_what_holds() -> None:
    """Each test function has a docstring."""
    silent = [
        f"{name_of(path)} {function.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for function in functions_of(path)
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]
    assert silent == []


def test_room_says_what_it_is() -> None:
    """Every package begins with a docstring of one sentence or two."""
    rooms = [path for path in FILES if path.name == "__init__.py"]
    assert rooms
    assert [name_of(path) for path in rooms if not ast.get_docstring(parse(path))] == []


def test_slow_tests_are_named_with_their_short_form() -> None:
    """In CONTRIBUTING; nothing is named there that isn't slow."""
    folder = ROOT / "tests"
    marked = [path for path in folder.rglob("test_*.py") if "mark.slow" in path.read_text(encoding="utf-8")]
    slow = {path.relative_to(folder).as_posix() for path in marked if path != Path(__file__)} | set(_LONG)
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Slow tests")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    assert {name for first, _ in rows for name in re.findall(r"`([\w/]+\.py)`", first)} == slow
    assert all(short.strip() for _, short in rows)
