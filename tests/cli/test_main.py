from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from handoff_tui.cli import main as front
from handoff_tui.cli.commands import status
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.main import main
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.core.errors import HandoffError, RepositoryError
from tests.support.command_line import InProcess
from tests.support.repositories import RepositoryBuilder

VERBS = tuple(front._VERBS)


def failing_with(error: BaseException) -> Callable[[argparse.Namespace], NoReturn]:
    def run(_: argparse.Namespace) -> NoReturn:
        raise error

    return run


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(say: InProcess, verb: str) -> None:
    """Nobody must guess how to call it."""
    said = say(verb, "--help")
    assert said.code == ExitCode.OK
    assert f"handoff-tui {verb}" in said.stdout.partition("examples:")[2]


def test_call_without_a_verb_shows_the_status(say: InProcess, builder: RepositoryBuilder) -> None:
    """The page on stdout; that it is not the app yet is said on stderr."""
    said = say("--repo", builder.folder)
    assert said.code == ExitCode.OK
    assert said.stdout == say("status", "--repo", builder.folder).stdout
    assert "handoff-tui --help" in said.stderr


@pytest.mark.parametrize("name", VERBS)
def test_repository_may_be_called_like_a_verb(
    say: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The value of an option is never taken for the verb."""
    RepositoryBuilder.init(tmp_path / name).write("a.py").commit()
    monkeypatch.chdir(tmp_path)
    for call in (("--repo", name, "status", "--json"), ("status", "--json", "--repo", name)):
        said = say(*call)
        assert (said.code, said.stderr) == (ExitCode.OK, "")
        assert said.json["repo"] == str(tmp_path / name)


def test_expected_failure_is_told_with_its_hint(say: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code 2, no traceback."""
    monkeypatch.setattr(status, "run", failing_with(HandoffError("the lamp is out", "Light it.")))
    said = say("status")
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")
    assert said.stderr == "handoff-tui: the lamp is out\n  hint: Light it.\n"


def test_interrupt_has_its_own_code(say: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is neither a failure nor a fault, and says nothing."""
    monkeypatch.setattr(status, "run", failing_with(KeyboardInterrupt()))
    said = say("status")
    assert (said.code, said.stdout, said.stderr) == (ExitCode.INTERRUPTED, "", "")


def test_reader_that_left_is_no_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Code 0, and what Python still wants to write goes nowhere."""
    monkeypatch.setattr(status, "run", failing_with(BrokenPipeError()))
    with (tmp_path / "stdout").open("w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["status"]) == ExitCode.OK
        stdout.write("too late")
        stdout.flush()
    assert (tmp_path / "stdout").read_text(encoding="utf-8") == ""


def test_exit_codes_are_as_promised() -> None:
    """Scripts rely on the numbers; they never change."""
    assert {code.name: code.value for code in ExitCode} == {
        "OK": 0,
        "BLOCKED": 1,
        "USAGE": 2,
        "INTEGRITY": 3,
        "NO_HUMAN": 4,
        "STILL_PENDING": 5,
        "BUG": 70,
        "INTERRUPTED": 130,
    }


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.set_defaults(repo=None)
    add_reading_options(parser)
    return parser.parse_args(words)


def test_repository_before_the_verb_is_not_forgotten() -> None:
    """An option after the verb that was not given does not overwrite the one before it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repo", type=Path)
    add_reading_options(parser.add_subparsers().add_parser("status"))
    assert parser.parse_args(["--repo", "x", "status"]).repo == Path("x")
    assert parser.parse_args(["--repo", "x", "status", "--repo", "y"]).repo == Path("y")


def test_current_folder_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone deleted it: that isn't a bug in handoff-tui, and a named repository can still be read."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(RepositoryError) as refused:
        find_start(parse())
    assert refused.value.hint
    assert find_start(parse("--repo", "/x")) == Path("/x")


BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="bash is not installed")


def run_bash(script: str, *options: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        [str(BASH), "--norc", *options],
        input=script,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=150,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def complete(script: str, *words: str, folder: Path | None = None) -> list[str]:
    """What bash offers for the last of these words."""
    quoted = " ".join(f"'{word}'" for word in words)
    asked = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _handoff_tui; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return sorted(run_bash(f"{script}\n{asked}\n", folder=folder).split())


@pytest.fixture
def bash_script(say: InProcess) -> str:
    said = say("completion", "bash")
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    return said.stdout


@needs_bash
def test_bash_script_is_bash(bash_script: str) -> None:
    """It has no error of syntax, and registers itself for the command; where it knows no word, files are offered."""
    run_bash(bash_script, "-n")
    registered = "complete -o default -F _handoff_tui handoff-tui\n"
    assert run_bash(f"{bash_script}\ncomplete -p handoff-tui\n") == registered


@needs_bash
def test_bash_completes_verbs(bash_script: str) -> None:
    """The first word is one of them, or an option."""
    assert complete(bash_script, "handoff-tui", "sta") == ["status"]
    assert complete(bash_script, "handoff-tui", "") == sorted([*front._VERBS, "--help", "--repo", "--version"])
    assert complete(bash_script, "handoff-tui", "xyz") == []


@needs_bash
def test_bash_completes_options_and_choices_of_a_verb(bash_script: str) -> None:
    """Those of the verb that was typed, and of no other."""
    assert complete(bash_script, "handoff-tui", "status", "--") == [
        "--all",
        "--at",
        "--help",
        "--json",
        "--past",
        "--repo",
    ]
    assert complete(bash_script, "handoff-tui", "demo", "--n") == ["--no-open"]
    assert complete(bash_script, "handoff-tui", "completion", "") == ["--help", "bash", "fish", "zsh"]
    assert complete(bash_script, "handoff-tui", "config", "s") == ["schema", "show"]


@needs_bash
def test_bash_completes_folders_after_an_option_that_takes_one(bash_script: str, tmp_path: Path) -> None:
    """Not files."""
    (tmp_path / "lamp").mkdir()
    (tmp_path / "lamp.txt").touch()
    assert complete(bash_script, "handoff-tui", "status", "--repo", "la", folder=tmp_path) == ["lamp"]
    assert complete(bash_script, "handoff-tui", "demo", "--dir", "la", folder=tmp_path) == ["lamp"]


@needs_bash
@pytest.mark.parametrize("word", ["--or", "--origins"])
def test_bash_completes_the_options_of_a_verb_inside_a_verb(bash_script: str, word: str) -> None:
    """`config show` has options that `show` has not."""
    assert complete(bash_script, "handoff-tui", "config", "show", word) == ["--origins"]
    assert complete(bash_script, "handoff-tui", "show", word) == []
