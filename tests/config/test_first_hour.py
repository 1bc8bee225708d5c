"""What a repository can begin with: its tests are found by reading, and the note for agents is added once."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from handoff_tui.config.first_hour import (
    FoundTests,
    build_first_file,
    find_tests,
    is_as_first_written,
    plan_agent_note,
    write_agent_note,
)
from handoff_tui.config.load import build_settings

PYTEST = ("python3", "-m", "pytest", "-q")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, [PYTEST]),
        ({"setup.cfg": "[tool:pytest]\n"}, [PYTEST]),
        ({"pyproject.toml": "[project]\n", "tests/__init__.py": ""}, [("python3", "-m", "unittest")]),
        ({"tests/test_a.py": "def test_a():\n    assert 1\n"}, [PYTEST]),
        ({"tests/test_a.py": "class A(TestCase):\n    def test_a(self): ...\n"}, []),
        ({"package.json": '{"scripts": {"test": "vitest"}}', "pnpm-lock.yaml": ""}, [("pnpm", "test")]),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, []),
        ({"package.json": "[" * 100_000}, []),
        ({"Cargo.toml": "", "Makefile": "all:\n\ntest: all\n\tcargo test\n"}, [("cargo", "test"), ("make", "test")]),
        ({"pytest.ini": "[pytest]\n", ".venv/pyvenv.cfg": ""}, [(".venv/bin/python", "-m", "pytest", "-q"), PYTEST]),
        ({"go.mod": "module x\n", "Makefile": "test := 1\n"}, [("go", "test", "./...")]),
        ({"README.md": "run pytest\n"}, []),
    ],
)
def test_tests_are_found_by_what_the_repository_declares(
    tmp_path: Path, files: dict[str, str], found: list[tuple[str, ...]]
) -> None:
    """Nothing is run, and nothing is guessed from prose."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [tests.argv for tests in find_tests(tmp_path)] == found


def test_links_out_of_the_repository_are_not_read(tmp_path: Path) -> None:
    """A planted link counts as no file."""
    outside = tmp_path / "pytest.ini"
    outside.write_text("[pytest]\n", encoding="utf-8")
    inside = tmp_path / "repository"
    inside.mkdir()
    (inside / "pytest.ini").symlink_to(outside)
    (inside / "AGENTS.md").symlink_to(outside)
    assert find_tests(inside) == ()
    assert plan_agent_note(inside) is not None


def test_first_file_has_the_tests_as_a_check() -> None:
    """The rest of the file stays comments."""
    text = build_first_file(FoundTests(PYTEST, "pyproject.toml"))
    settings = build_settings(None, text.encode()).settings
    assert settings.checks["tests"].run == PYTEST
    assert json.dumps(list(PYTEST)) in text
    assert list(settings.checks) == ["tests"]


def test_packages_that_git_ignores_are_asked_for(tmp_path: Path) -> None:
    """Without them no test of a real project runs in a clean checkout."""
    (tmp_path / "package.json").write_text('{"scripts": {"test": "jest"}}', encoding="utf-8")
    assert [tests.access for tests in find_tests(tmp_path)] == [()]
    (tmp_path / "node_modules").mkdir()
    (tests,) = find_tests(tmp_path)
    settings = tomllib.loads(build_first_file(tests))
    assert settings["checks"]["tests"]["access"] == ["node_modules/"]
    assert is_as_first_written(settings)
    settings["checks"]["tests"]["access"] = ["home"]
    assert not is_as_first_written(settings)


@pytest.mark.parametrize("before", ["", "# Rules", "# Rules\n"])
def test_note_for_agents_is_added_once(tmp_path: Path, before: str) -> None:
    """Behind what is there; a repository that has it is left alone."""
    if before:
        (tmp_path / "CLAUDE.md").write_text(before, encoding="utf-8")
    note = plan_agent_note(tmp_path)
    assert note is not None
    assert note.path == ("CLAUDE.md" if before else "AGENTS.md")
    write_agent_note(tmp_path, note)
    text = (tmp_path / note.path).read_text(encoding="utf-8")
    assert text == before + note.added
    assert "handoff-tui submit" in text
    assert plan_agent_note(tmp_path) is None
