from __future__ import annotations

import json
import re

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.every.ci_unchanged import CI_UNCHANGED, find_parts
from handoff_tui.config.settings.root import Settings
from tests.support.changed_world import build_changed_world
from tests.support.world import MemoryWorld, find_subjects, judge

MAKEFILE = "RUNNER = pytest -q\n\nbuild:\n\tcc row.c\n\ntest: build\n\t$(RUNNER) tests\n\nunit-tests:\n\tpytest unit\n"


def subjects(before: dict[str, str], now: dict[str, str], renamed: dict[str, str] | None = None) -> list[str]:
    return find_subjects(CI_UNCHANGED, build_changed_world(before, now, renamed))


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/test.yml",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".circleci/config.yml",
        ".ci/run.sh",
        "tox.ini",
        "noxfile.py",
        ".pre-commit-config.yaml",
    ],
)
def test_file_of_ci_that_differs_is_found(path: str) -> None:
    """Changed, deleted or added."""
    assert subjects({path: "a"}, {path: "b"}) == [path]
    assert subjects({path: "a"}, {}) == [path]
    assert subjects({}, {path: "b"}) == [path]


def test_file_of_ci_that_was_moved_away_is_found() -> None:
    """It no longer runs where it went."""
    path = ".github/workflows/test.yml"
    assert subjects({path: "a"}, {"old/test.yml": "a"}, {"old/test.yml": path}) == ["old/test.yml"]


@pytest.mark.parametrize(
    ("now", "targets"),
    [
        (MAKEFILE + "\nlint:\n\truff check\n", []),
        (MAKEFILE.replace("cc row.c", "cc -O2 row.c"), []),
        (MAKEFILE.replace("pytest unit", "true"), ["unit-tests"]),
        (MAKEFILE.replace("pytest -q", "true"), ["test"]),
        (MAKEFILE[: MAKEFILE.index("unit-tests")], ["unit-tests"]),
    ],
)
def test_targets_that_check_are_compared(now: str, targets: list[str]) -> None:
    """Their recipes, and the variables these use; other targets may change, and more may come."""
    assert subjects({"Makefile": MAKEFILE}, {"Makefile": now}) == [f"Makefile target {name}" for name in targets]


def test_scripts_that_check_are_compared() -> None:
    """In package.json."""
    before = json.dumps({"scripts": {"test": "jest", "start": "node ."}, "version": "1"})
    now = json.dumps({"scripts": {"test": "exit 0", "start": "node a"}, "version": "2"})
    assert subjects({"package.json": before}, {"package.json": now}) == ["package.json script test"]
    assert subjects({"package.json": before}, {"package.json": "{"}) == ["package.json unreadable"]


def test_tables_that_check_are_compared() -> None:
    """In pyproject.toml and setup.cfg; others may change."""
    before = '[project]\nname = "row"\n[tool.pytest.ini_options]\naddopts = "-q"\n'
    now = before.replace("row", "boat")
    assert subjects({"pyproject.toml": before}, {"pyproject.toml": now}) == []
    weaker = before.replace("-q", "-k nothing")
    assert subjects({"pyproject.toml": before}, {"pyproject.toml": weaker}) == ["pyproject.toml table tool.pytest"]
    section = "[metadata]\nname = row\n[tool:pytest]\naddopts = -q\n"
    assert subjects({"setup.cfg": section}, {"setup.cfg": section.replace("-q", "-k x")}) == [
        "setup.cfg section tool:pytest"
    ]


def test_other_files_may_change() -> None:
    """Sources and documents."""
    assert subjects({"src/ci.py": "a", "docs/workflows/a.md": "a"}, {"src/ci.py": "b"}) == []


def test_rule_needs_a_baseline() -> None:
    """Without one nothing has changed."""
    with pytest.raises(NotApplicableError):
        judge(CI_UNCHANGED, MemoryWorld())


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
