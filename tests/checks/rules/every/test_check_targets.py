from __future__ import annotations

import re

from handoff_tui.checks.rules.every.ci_unchanged import find_parts
from handoff_tui.config.settings.root import Settings

TARGET = re.compile(Settings().tamper.check_target)
TABLES = Settings().tamper.check_tables


def parts(path: str, text: str) -> list[str] | None:
    found = find_parts(path, text, TARGET, TABLES)
    return None if found is None else sorted(found)


def test_targets_that_check_are_found() -> None:
    """By whole words of their names; several may share a recipe, and an assignment is no target."""
    text = "latest: a\n\techo\n\ntest unit-test: a\n\tpytest\n\nTEST := x\nci:\n\tmake test\n"
    assert parts("Makefile", text) == ["target ci", "target test", "target unit-test"]


def test_target_holds_its_recipe_and_its_variables() -> None:
    """So that a change of either shows."""
    found = find_parts("Makefile", "RUN = a\nOTHER = b\ntest:\n\t$(RUN)\n", TARGET, TABLES)
    assert found == {"target test": "test:\n$(RUN)\nRUN = a\n"}


def test_files_that_cannot_be_read_give_nothing() -> None:
    """Rather than no parts."""
    assert parts("package.json", "{") is None
    assert parts("pyproject.toml", "[a") is None
    assert parts("setup.cfg", "no section") is None


def test_scripts_and_tables_are_found() -> None:
    """Those that check."""
    assert parts("web/package.json", '{"scripts": {"test:unit": "a", "contest": "b"}}') == ["script test:unit"]
    assert parts("pyproject.toml", "[tool.pytest.ini_options]\na = 1\n[tool.black]\nb = 2\n") == ["table tool.pytest"]
