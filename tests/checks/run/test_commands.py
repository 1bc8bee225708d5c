from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.rule import Moment
from handoff_tui.checks.run.commands import (
    SESSION_GATE,
    CommandCheck,
    build_environment,
    digest_command,
    is_junit,
    is_tap,
    list_commands,
)
from handoff_tui.config.settings.checks import Check
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder

SCRIPT = "scripts/gate.sh"


def commands(
    builder: RepositoryBuilder, moment: Moment | None = None, phase: str | None = None
) -> dict[str, CommandCheck]:
    return {command.id: command for command in list_commands(open_desk(builder.folder), moment, phase)}


def configure(builder: RepositoryBuilder, text: str) -> RepositoryBuilder:
    return builder.write("handoff-tui.toml", text)


def test_commands_are_those_of_the_settings(builder: RepositoryBuilder) -> None:
    """Neither built-in checks, nor functions, nor what is switched off."""
    configure(
        builder,
        '[checks.lint]\nrun = ["make", "lint"]\n[checks.off]\nrun = ["x"]\nenabled = false\n'
        '[checks.line]\nrun = ["make | tee log"]\nshell = true\nseverity = "low"\n[checks.own]\npython = "a:b"\n',
    )
    found = commands(builder)
    assert {name: command.argv for name, command in found.items()} == {
        "lint": ("make", "lint"),
        "line": ("/bin/sh", "-c", "make | tee log"),
    }
    assert (found["lint"].severity, found["lint"].blocking, found["lint"].shown) == (Severity.HIGH, True, "make lint")
    assert (found["line"].severity, found["line"].blocking) == (Severity.LOW, False)


def test_commands_of_the_repository_are_told_from_the_users(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Only the first need trust."""
    configure(builder, '[checks.theirs]\nrun = ["a"]\n')
    own = isolated_user / "config" / "handoff-tui" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[checks.mine]\nrun = ["b"]\n', encoding="utf-8")
    found = commands(builder)
    assert {name: command.from_repository for name, command in found.items()} == {"theirs": True, "mine": False}


def test_commands_are_chosen_by_moment_and_phase(builder: RepositoryBuilder) -> None:
    """One that names no phase guards all."""
    configure(
        builder,
        '[checks.before]\nrun = ["a"]\nmoments = ["pre"]\n[checks.review]\nrun = ["b"]\nphases = ["review"]\n',
    )
    assert set(commands(builder)) == {"before", "review"}
    assert set(commands(builder, Moment.GATE)) == {"review"}
    assert set(commands(builder, Moment.PRE, "build")) == {"before"}


def test_session_gate_is_a_command_where_its_script_is(builder: RepositoryBuilder) -> None:
    """It is the repository's, it blocks, it runs after a handover, and it can be switched off."""
    assert SESSION_GATE not in commands(builder)
    gate = f'[mosaic]\nsession_gate_script = "{SCRIPT}"\n'
    configure(builder.write(SCRIPT, "exit 0\n"), gate)
    found = commands(builder)[SESSION_GATE]
    assert (found.argv, found.blocking, found.from_repository) == (("bash", SCRIPT), True, True)
    assert SESSION_GATE in commands(builder, Moment.POST)
    assert SESSION_GATE not in commands(builder, Moment.PRE)
    configure(builder, f"{gate}[checks.{SESSION_GATE}]\nenabled = false\n")
    assert SESSION_GATE not in commands(builder)


def test_environment_is_only_what_the_check_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything else of the session is held back; what is not set is not given."""
    monkeypatch.setenv("LAMP", "lit")
    monkeypatch.setenv("SECRET", "hidden")
    monkeypatch.delenv("ABSENT", raising=False)
    assert build_environment(Check(environment=("LAMP", "ABSENT"))) == {"LAMP": "lit"}


def test_digest_follows_the_inputs_of_a_command(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their content, committed or not, the words and the environment; other files do not count."""
    configure(builder, '[checks.lint]\nrun = ["make"]\ninputs = ["*.py"]\nenvironment = ["LAMP"]\n')
    builder.write("a.py", "one\n").write("b.md").commit()

    def digest() -> str:
        desk = open_desk(builder.folder)
        return digest_command(desk, list_commands(desk, None, None)[0])

    first = digest()
    builder.write("b.md", "changed\n")
    assert digest() == first
    builder.write("a.py", "two\n")
    second = digest()
    monkeypatch.setenv("LAMP", "lit")
    third = digest()
    builder.write("new.py")
    assert len({first, second, third, digest()}) == 4


def test_output_is_read_as_the_check_says() -> None:
    """By its exit code unless it names a form."""
    named = [Check(run=("x",), parse=form) for form in ("junit", "tap", "exit-code")]
    assert [(is_junit(check), is_tap(check)) for check in named] == [(True, False), (False, True), (False, False)]


def test_entries_of_the_log_are_no_input(builder: RepositoryBuilder) -> None:
    """A decision that is committed makes no command run again."""
    configure(builder, '[checks.lint]\nrun = ["make"]\n')
    builder.write("a.py", "one\n").commit()

    def digest() -> str:
        desk = open_desk(builder.folder)
        return digest_command(desk, list_commands(desk, None, None)[0])

    first = digest()
    builder.write(".handoff-tui/log/aa/x").commit()
    assert digest() == first
