from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.result import CheckResult, Evidence, Finding, Outcome
from handoff_tui.checks.run.commands import CommandCheck, list_commands
from handoff_tui.config.load import build_settings
from handoff_tui.config.settings.checks import Check
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.history.failure.changes import ChangeFinder, compare_settings, list_unset
from handoff_tui.history.failure.report import GoodMoment
from tests.support.repositories import RepositoryBuilder

BEFORE = '[checks.tests]\nrun = ["sh", "old.sh"]\ninputs = ["src/*"]\n[checks.other]\nrun = ["true"]\n'
AFTER = (
    '[checks.tests]\nrun = ["sh", "new.sh"]\ninputs = ["src/*"]\nneeds = ["other"]\n[checks.other]\nrun = ["false"]\n'
)
RESULT = CheckResult(
    id="tests",
    outcome=Outcome.FAIL,
    severity=Severity.HIGH,
    blocking=True,
    summary="",
    findings=(Finding(message="m", fingerprint="f", evidence=(Evidence(path="src/b.py"),)),),
)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, str]:
    """The command and three files changed since the first commit, one of them uncommitted."""
    builder = RepositoryBuilder.init(tmp_path_factory.mktemp("changed"))
    builder.write("handoff-tui.toml", BEFORE).write("src/a.py", "1\n").write("src/b.py", "1\n").commit("good")
    good = builder.head()
    builder.write("handoff-tui.toml", AFTER).write("src/b.py", "2\n").write("src/a.py", "2\n")
    builder.write("pyproject.toml", "[project]\nname = 'x'\n").commit("bad")
    builder.write("src/c.py", "3\n")
    return open_desk(builder.folder), good


def find_command(desk: Desk) -> CommandCheck:
    return next(command for command in list_commands(desk, None, None) if command.id == "tests")


def test_command_is_compared_with_when_it_passed(changed: tuple[Desk, str]) -> None:
    """Its own settings, and the files that it names as its inputs; what a finding names comes first."""
    desk, good = changed
    since = ChangeFinder(desk).find(RESULT, find_command(desk), GoodMoment(source="log", commit=good, behind=True))
    assert [(one.what, one.before, one.after) for one in since.changes] == [
        ("checks.tests.run", "sh old.sh", "sh new.sh"),
        ("checks.tests.needs", "", "other"),
    ]
    assert [(one.path, one.change, one.named) for one in since.files or ()] == [
        ("src/b.py", "modified", True),
        ("src/a.py", "modified", False),
        ("src/c.py", "uncommitted", False),
    ]
    assert (since.files_total, since.notes) == (3, ())


def test_rule_may_rest_on_any_file_and_setting(changed: tuple[Desk, str]) -> None:
    """Files that declare packages come before others."""
    desk, good = changed
    since = ChangeFinder(desk).find(RESULT, None, GoodMoment(source="log", commit=good, behind=True))
    assert [one.path for one in since.files or ()] == [
        "src/b.py",
        "pyproject.toml",
        "handoff-tui.toml",
        "src/a.py",
        "src/c.py",
    ]
    assert [one.declares_packages for one in since.files or ()] == [False, True, False, False, False]


def test_commit_that_is_not_here_or_aside_is_said(changed: tuple[Desk, str]) -> None:
    """Without the commit nothing is compared; one that lies aside is compared, with a word."""
    desk, good = changed
    gone = ChangeFinder(desk).find(RESULT, None, GoodMoment(source="log", commit="0" * 40, behind=None))
    assert (gone.files, gone.changes, "is not here" in gone.notes[0]) == (None, (), True)
    aside = ChangeFinder(desk).find(RESULT, None, GoodMoment(source="log", commit=good, behind=False))
    assert (aside.files_total, "not behind HEAD" in aside.notes[0]) == (5, True)
    moment = GoodMoment(source="log", commit=good, behind=True, uncommitted=True)
    assert ChangeFinder(desk).find(RESULT, None, moment).notes == (
        "it passed with uncommitted work, which is not compared",
    )


def test_configuration_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    """The files are compared all the same."""
    builder = RepositoryBuilder.init(tmp_path)
    builder.write("handoff-tui.toml", "[nonsense]\n").commit("good")
    good = builder.head()
    builder.write("handoff-tui.toml", "").commit("mended")
    since = ChangeFinder(open_desk(builder.folder)).find(
        RESULT, None, GoodMoment(source="log", commit=good, behind=True)
    )
    assert "as it was then cannot be used" in since.notes[0]
    assert [one.path for one in since.files or ()] == ["handoff-tui.toml"]


def test_settings_are_compared_by_their_effect() -> None:
    """A check that the file does not name has the usual settings; only what is otherwise is listed."""
    bare, named = build_settings(None, None), build_settings(None, b"[checks.a]\nrun = ['true']\n")
    assert [(one.what, one.before, one.after) for one in compare_settings(bare, named)] == [
        ("checks.a.run", "", "true")
    ]
    usual = b"[checks.claims-hold]\nenabled = true\n"
    low = b"[checks.claims-hold]\nseverity = 'low'\nparameters = {most = 2}\n"
    assert compare_settings(build_settings(None, usual), bare) == []
    assert [(one.what, one.before, one.after) for one in compare_settings(build_settings(None, low), bare)] == [
        ("checks.claims-hold.parameters.most", "2", None),
        ("checks.claims-hold.severity", "low", None),
    ]


def test_variables_that_are_not_set_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual ones are not missed."""
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setenv("GIVEN", "1")
    assert list_unset(Check(run=("true",))) == ()
    assert list_unset(Check(run=("true",), environment=("PATH", "TMPDIR", "GIVEN", "HF_NONE"))) == ("HF_NONE",)
