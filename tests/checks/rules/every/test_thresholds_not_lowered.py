from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.every.thresholds_not_lowered import THRESHOLDS_NOT_LOWERED
from tests.support.changed_world import build_changed_world
from tests.support.world import MemoryWorld, find_subjects, judge

JEST = "module.exports = {\n  coverageThreshold: { global: {\n    branches: 80,\n    lines: 90,\n  } },\n}\n"


def subjects(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return find_subjects(THRESHOLDS_NOT_LOWERED, build_changed_world(before, now))


@pytest.mark.parametrize(
    ("path", "before", "now", "subject"),
    [
        ("pyproject.toml", "fail_under = 90", "fail_under = 89.5", "coverage fail_under"),
        (".coveragerc", "[report]\nfail_under=90", "[report]\n", "coverage fail_under"),
        (".coveragerc", "fail_under = 90", "# fail_under = 90", "coverage fail_under"),
        (
            "Makefile",
            "test:\n\tpytest --cov-fail-under=90",
            "test:\n\tpytest --cov-fail-under=10",
            "coverage fail_under",
        ),
        (
            "package.json",
            '{"lint": "eslint --max-warnings 0"}',
            '{"lint": "eslint --max-warnings=50"}',
            "allowed warnings",
        ),
        ("package.json", '{"lint": "eslint --max-warnings 0"}', '{"lint": "eslint"}', "allowed warnings"),
        ("jest.config.js", JEST, JEST.replace("80", "20"), "coverage of branches"),
        ("jest.config.js", JEST, JEST.replace("    lines: 90,\n", ""), "coverage of lines"),
        ("codecov.yml", "target: 80%", "target: 60%", "coverage target"),
        (".github/workflows/a.yml", "timeout-minutes: 10", "timeout-minutes: 60", "timeout"),
        ("pyproject.toml", "timeout = 60", "timeout = 600", "timeout"),
        ("tox.ini", "pytest", "pytest --reruns 5", "retries"),
        ("ruff.toml", "max-complexity = 10", "max-complexity = 30", "allowed complexity"),
    ],
)
def test_threshold_that_was_loosened_is_found(path: str, before: str, now: str, subject: str) -> None:
    """Lowered, raised, taken away, commented out, or set where there was none."""
    assert subjects({path: before}, {path: now}) == [subject]


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("pyproject.toml", "fail_under = 90", "x = 1\nfail_under = 95"),
        ("package.json", '{"a": "--max-warnings 5"}', '{"a": "--max-warnings 0"}'),
        ("tox.ini", "pytest --reruns 5", "pytest"),
        (".eslintrc.json", '{"max-lines": 400}', '{"max-lines": 200}'),
        ("src/row.py", "fail_under = 90", "fail_under = 1"),
    ],
)
def test_threshold_that_was_not_loosened_passes(path: str, before: str, now: str) -> None:
    """Tightened, moved on its page, or no threshold at all."""
    assert subjects({path: before}, {path: now}) == []


def test_threshold_that_moved_to_another_file_passes() -> None:
    """As long as it is no looser there."""
    before = {"setup.cfg": "fail_under = 90", "pyproject.toml": ""}
    assert subjects(before, {"setup.cfg": "", "pyproject.toml": "fail_under = 90"}) == []
    assert subjects(before, {"setup.cfg": "", "pyproject.toml": "fail_under = 50"}) == ["coverage fail_under"]


def test_finding_names_place_and_numbers() -> None:
    """Where it stands now, what it was, what it is."""
    [found] = judge(
        THRESHOLDS_NOT_LOWERED,
        build_changed_world({"pyproject.toml": "fail_under = 90"}, {"pyproject.toml": "\nfail_under = 80"}),
    )
    assert (str(found.place), found.expected, found.actual) == ("pyproject.toml:2", "90", "80")


def test_rule_needs_a_baseline() -> None:
    """Without one nothing was lowered."""
    with pytest.raises(NotApplicableError):
        judge(THRESHOLDS_NOT_LOWERED, MemoryWorld())
