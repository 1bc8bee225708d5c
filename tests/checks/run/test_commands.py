from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.report import ConsentState
from handoff_tui.checks.rule import Moment
from handoff_tui.checks.run.commands import (
    SESSION_GATE,
    CommandCheck,
    build_environment,
    digest_command,
    give_consent,
    list_commands,
    read_consent,
)
from handoff_tui.config.settings.checks import Check
from handoff_tui.core.errors import UsageError
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
    """Only those of the repository need consent."""
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


def digest(builder: RepositoryBuilder) -> str:
    desk = open_desk(builder.folder)
    return digest_command(desk, list_commands(desk, None, None)[0])


def test_digest_follows_the_inputs_of_a_command(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their content, committed or not, the words and the environment; other files and log entries do not count."""
    configure(builder, '[checks.lint]\nrun = ["make"]\ninputs = ["*.py"]\nenvironment = ["LAMP"]\n')
    builder.write("a.py", "one\n").write("b.md").commit()

    first = digest(builder)
    builder.write("b.md", "changed\n").write(".handoff-tui/log/aa/x.py").commit()
    assert digest(builder) == first
    builder.write("a.py", "two\n")
    second = digest(builder)
    monkeypatch.setenv("LAMP", "lit")
    third = digest(builder)
    builder.write("new.py")
    assert len({first, second, third, digest(builder)}) == 4


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The consents of this user: none yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "handoff-tui"


@pytest.fixture
def asking(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A repository that asks to run a script of its own."""
    return builder.write("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh"]\n').write("lint.sh", "exit 0\n")


def find_state(builder: RepositoryBuilder) -> ConsentState | None:
    return read_consent(open_desk(builder.folder))


def consent(builder: RepositoryBuilder) -> None:
    state = find_state(builder)
    assert state is not None
    give_consent(open_desk(builder.folder), state.digest)


def has_consent(builder: RepositoryBuilder) -> bool:
    state = find_state(builder)
    assert state is not None
    return state.trusted


def test_nothing_may_run_until_someone_consents(asking: RepositoryBuilder) -> None:
    """By naming the digest."""
    assert not has_consent(asking)
    consent(asking)
    assert has_consent(asking)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("lint.sh", "rm -rf /\n"),
        ("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh", "-x"]\n'),
        ("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh"]\n[checks.more]\npython = "a:b"\n'),
    ],
)
def test_consent_ends_when_what_would_run_changes(asking: RepositoryBuilder, path: str, content: str) -> None:
    """The words, the script they name, or one more of them; and comes back with the old bytes."""
    consent(asking)
    before = asking.place(path).read_text(encoding="utf-8")
    asking.write(path, content)
    assert not has_consent(asking)
    asking.write(path, before)
    assert has_consent(asking)


def test_consent_is_for_this_repository_alone(asking: RepositoryBuilder, tmp_path: Path) -> None:
    """The same commands elsewhere are asked about again."""
    consent(asking)
    other = RepositoryBuilder.init(tmp_path / "other")
    for path in ("handoff-tui.toml", "lint.sh"):
        other.write(path, asking.place(path).read_text(encoding="utf-8"))
    assert not has_consent(other)


def test_repository_that_asks_for_nothing_needs_no_consent(builder: RepositoryBuilder) -> None:
    """And none can be given."""
    assert find_state(builder) is None
    with pytest.raises(UsageError, match="nothing to consent to"):
        give_consent(open_desk(builder.folder), "sha256:0")


def test_another_digest_is_refused(asking: RepositoryBuilder) -> None:
    """The right one is named, with how to look first."""
    with pytest.raises(UsageError) as refused:
        give_consent(open_desk(asking.folder), "sha256:0")
    state = find_state(asking)
    assert state is not None
    assert state.digest in refused.value.message.split()
    assert "--list" in refused.value.hint
    assert not has_consent(asking)


@pytest.mark.parametrize("content", ["[]", "{", '{"x": 3}', '{"x": [1]}', ""])
def test_damaged_file_holds_no_consent(asking: RepositoryBuilder, state_folder: Path, content: str) -> None:
    """And is replaced by the next consent."""
    state_folder.mkdir(parents=True)
    (state_folder / "trusted.json").write_text(content, encoding="utf-8")
    assert not has_consent(asking)
    consent(asking)
    assert has_consent(asking)


def test_consent_that_cannot_be_saved_is_an_error(asking: RepositoryBuilder, state_folder: Path) -> None:
    """Nobody believes it was saved."""
    state_folder.parent.mkdir(parents=True)
    state_folder.write_text("a file in the way", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        consent(asking)
