"""CI, configuration and thresholds stay as they were."""

from __future__ import annotations

import json
import re

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule, UndecidableError
from handoff_tui.checks.rules.every.configuration import (
    check_configuration_unchanged,
    ci_unchanged,
    find_parts,
    settings_unchanged,
    thresholds_not_lowered,
)
from handoff_tui.config.settings.root import Settings
from tests.support.world import MemoryWorld, build_changed_world, find_subjects, judge

MAKEFILE = "RUNNER = pytest -q\n\nbuild:\n\tcc row.c\n\ntest: build\n\t$(RUNNER) tests\n\nunit-tests:\n\tpytest unit\n"


def ci_subjects(before: dict[str, str], now: dict[str, str], renamed: dict[str, str] | None = None) -> list[str]:
    return find_subjects(ci_unchanged, build_changed_world(before, now, renamed))


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
    assert ci_subjects({path: "a"}, {path: "b"}) == [path]
    assert ci_subjects({path: "a"}, {}) == [path]
    assert ci_subjects({}, {path: "b"}) == [path]


def test_file_of_ci_that_was_moved_away_is_found() -> None:
    """It no longer runs where it went."""
    path = ".github/workflows/test.yml"
    assert ci_subjects({path: "a"}, {"old/test.yml": "a"}, {"old/test.yml": path}) == ["old/test.yml"]


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
    assert ci_subjects({"Makefile": MAKEFILE}, {"Makefile": now}) == [f"Makefile target {name}" for name in targets]


def test_scripts_that_check_are_compared() -> None:
    """In package.json."""
    before = json.dumps({"scripts": {"test": "jest", "start": "node ."}, "version": "1"})
    now = json.dumps({"scripts": {"test": "exit 0", "start": "node a"}, "version": "2"})
    assert ci_subjects({"package.json": before}, {"package.json": now}) == ["package.json script test"]
    assert ci_subjects({"package.json": before}, {"package.json": "{"}) == ["package.json unreadable"]


def test_tables_that_check_are_compared() -> None:
    """In pyproject.toml and setup.cfg; others may change."""
    before = '[project]\nname = "row"\n[tool.pytest.ini_options]\naddopts = "-q"\n'
    now = before.replace("row", "boat")
    assert ci_subjects({"pyproject.toml": before}, {"pyproject.toml": now}) == []
    weaker = before.replace("-q", "-k nothing")
    assert ci_subjects({"pyproject.toml": before}, {"pyproject.toml": weaker}) == ["pyproject.toml table tool.pytest"]
    section = "[metadata]\nname = row\n[tool:pytest]\naddopts = -q\n"
    assert ci_subjects({"setup.cfg": section}, {"setup.cfg": section.replace("-q", "-k x")}) == [
        "setup.cfg section tool:pytest"
    ]


TARGET = re.compile(Settings().tamper.check_target)

TABLES = Settings().tamper.check_tables


def parts(path: str, text: str) -> list[str] | None:
    found = find_parts(path, text, TARGET, TABLES)
    return None if found is None else sorted(found)


def test_files_that_cannot_be_read_give_nothing() -> None:
    """Rather than no parts."""
    assert parts("package.json", "{") is None
    assert parts("pyproject.toml", "[a") is None
    assert parts("setup.cfg", "no section") is None


FILE = "handoff-tui.toml"

CHECK_WEAKENED = '[checks.unit]\nrun = ["pytest", "-q"]\nseverity = "high"\nblocking = true\ntimeout_seconds = 60\n'


def weakened_subjects(before: str | None, now: str | None) -> list[str]:
    old = {} if before is None else {FILE: before}
    new = {} if now is None else {FILE: now}
    return find_subjects(check_configuration_unchanged, build_changed_world(old, new))


@pytest.mark.parametrize(
    ("before", "now", "subject"),
    [
        (CHECK_WEAKENED, "", "checks.unit"),
        (CHECK_WEAKENED, None, "checks.unit"),
        (CHECK_WEAKENED, CHECK_WEAKENED + "enabled = false\n", "checks.unit.enabled"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace("blocking = true", "blocking = false"), "checks.unit.blocking"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace("blocking = true\n", ""), "checks.unit.blocking"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace('"high"', '"low"'), "checks.unit.severity"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace('"-q"', '"-q", "-k", "row"'), "checks.unit.run"),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace("= 60", "= 6000"), "checks.unit.timeout_seconds"),
        (CHECK_WEAKENED, CHECK_WEAKENED + 'phases = ["docs"]\n', "checks.unit.phases"),
        (None, "[checks.tests-not-deleted]\nenabled = false\n", "checks.tests-not-deleted.enabled"),
        (None, "[checks.tests-not-deleted]\nblocking = false\n", "checks.tests-not-deleted.blocking"),
        (None, '[checks.tests-not-deleted]\nseverity = "low"\n', "checks.tests-not-deleted.severity"),
        (None, '[checks.tests-not-deleted]\nseverity = "high"\n', "checks.tests-not-deleted.severity"),
        (None, '[procedures.rules.VR001]\nseverity = "high"\n', "procedures.rules.VR001.severity"),
        (None, '[procedures.rules.VR007]\nseverity = "low"\n', "procedures.rules.VR007.severity"),
        ('[procedures.rules.VR007]\nseverity = "critical"\n', None, "procedures.rules.VR007.severity"),
        (
            "[mosaic]\nhandoff_message_minimum = 50\n",
            "[mosaic]\nhandoff_message_minimum = 5\n",
            "mosaic.handoff_message_minimum",
        ),
        (None, "[mosaic]\nhandoff_message_minimum = 5\n", "mosaic.handoff_message_minimum"),
        ("[mosaic]\ncommit_lag_tolerated = 1\n", "[mosaic]\ncommit_lag_tolerated = 9\n", "mosaic.commit_lag_tolerated"),
        (None, '[hub]\nfailing_severities = ["critical"]\n', "hub.failing_severities"),
        (None, "[tamper]\ntest_files = []\n", "tamper.test_files"),
        ("[hub]\nstages = ['A', 'B']\n", "[hub]\nstages = ['A']\n", "hub.stages"),
        ("[builder.questions]\ngreenlight_needed = true\n", "", "builder.questions.greenlight_needed"),
        (None, "[builder]\nhash_pattern = '.*'\n", "builder.hash_pattern"),
        (None, '[builder]\npassing_statuses = ["PASS", "PARTIAL"]\n', "builder.passing_statuses"),
        (
            '[pipelines.own]\nphases = [{name = "a", human_only = true}]\n',
            '[pipelines.own]\nphases = [{name = "a", human_only = false}]\n',
            "pipelines.own.phases.a.human_only",
        ),
        (None, '[pipelines.hub]\nphases = [{name = "a", gate = false}]\n', "pipelines.hub.phases.a.gate"),
    ],
)
def test_configuration_that_was_weakened_is_found(before: str | None, now: str | None, subject: str) -> None:
    """A check removed, off, not blocking, less severe or doing something else; a threshold or a list loosened."""
    assert weakened_subjects(before, now) == [subject]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (CHECK_WEAKENED, CHECK_WEAKENED),
        (CHECK_WEAKENED, CHECK_WEAKENED + 'remedy = "run it"\n'),
        (CHECK_WEAKENED, CHECK_WEAKENED.replace('"high"', '"critical"')),
        (CHECK_WEAKENED, CHECK_WEAKENED + '[checks.more]\nrun = ["true"]\n'),
        (CHECK_WEAKENED, f"# a comment\n{CHECK_WEAKENED}"),
        ("[mosaic]\nhandoff_message_minimum = 50\n", "[mosaic]\nhandoff_message_minimum = 80\n"),
        (None, '[agents.one]\ncommand = ["one"]\n'),
        ("[hub]\nstages = ['A', 'B']\n", "[hub]\nstages = ['A', 'B', 'C']\n"),
        (None, "[mosaic.health]\nenabled = true\n"),
        (None, "[checks.own]\nrun = ['a']\nenabled = false\n"),
        (None, '[procedures.rules.VR007]\nseverity = "high"\n'),
        (None, '[procedures.rules.VR007]\nseverity = "medium"\n'),
        (None, '[pipelines.own]\nphases = [{name = "a", gate = false}]\n'),
    ],
)
def test_configuration_that_was_not_weakened_passes(before: str | None, now: str) -> None:
    """The same, stricter, more checks, or what decides nothing."""
    assert weakened_subjects(before, now) == []


def test_finding_names_the_line() -> None:
    """Where the key stands now."""
    world = build_changed_world({FILE: CHECK_WEAKENED}, {FILE: CHECK_WEAKENED.replace('"high"', '"low"')})
    [found] = judge(check_configuration_unchanged, world)
    assert (str(found.place), found.expected, found.actual) == (f"{FILE}:3", "high", "low")


def test_configuration_that_is_broken_is_found_and_a_broken_baseline_cannot_be_judged() -> None:
    """Neither passes."""
    assert weakened_subjects(CHECK_WEAKENED, "[checks") == ["unreadable"]
    with pytest.raises(UndecidableError):
        weakened_subjects("[checks", CHECK_WEAKENED)


CHECK_SETTINGS = '[checks.unit]\nrun = ["pytest"]\n'


def settings_subjects(before: str, now: str) -> list[str]:
    return find_subjects(settings_unchanged, build_changed_world({FILE: before}, {FILE: now}))


def test_setting_that_loosens_nothing_is_found_here() -> None:
    """A new check, a longer minimum, an agent."""
    now = f'{CHECK_SETTINGS}remedy = "run it"\n[agents.one]\ncommand = ["one"]\n'
    assert settings_subjects(CHECK_SETTINGS, now) == ["agents.one.command", "checks.unit.remedy"]


def test_setting_that_loosens_a_check_is_left_to_the_other_rule() -> None:
    """It is told once."""
    assert settings_subjects(CHECK_SETTINGS, CHECK_SETTINGS + "enabled = false\n") == []


def test_stated_scope_hides_nothing() -> None:
    """Whatever it takes from one handoff is shown elsewhere, so it isn't a change of the settings."""
    assert settings_subjects(CHECK_SETTINGS, f'{CHECK_SETTINGS}[scopes."H-1"]\npaths = ["a"]\n') == []


JEST = "module.exports = {\n  coverageThreshold: { global: {\n    branches: 80,\n    lines: 90,\n  } },\n}\n"


def threshold_subjects(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return find_subjects(thresholds_not_lowered, build_changed_world(before, now))


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
    assert threshold_subjects({path: before}, {path: now}) == [subject]


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
    assert threshold_subjects({path: before}, {path: now}) == []


def test_threshold_that_moved_to_another_file_passes() -> None:
    """As long as it is no looser there."""
    before = {"setup.cfg": "fail_under = 90", "pyproject.toml": ""}
    assert threshold_subjects(before, {"setup.cfg": "", "pyproject.toml": "fail_under = 90"}) == []
    assert threshold_subjects(before, {"setup.cfg": "", "pyproject.toml": "fail_under = 50"}) == ["coverage fail_under"]


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (check_configuration_unchanged, MemoryWorld({FILE: CHECK_WEAKENED})),
        (check_configuration_unchanged, build_changed_world({}, {})),
        (settings_unchanged, MemoryWorld({FILE: CHECK_SETTINGS})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
