from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from handoff_tui import __version__
from handoff_tui.cli import main as front
from handoff_tui.cli.commands import status
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.main import build_parser, main
from handoff_tui.core.errors import HandoffError, UsageError
from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder

VERBS = tuple(front._VERBS)


def failing_with(error: BaseException) -> Callable[[argparse.Namespace], NoReturn]:
    def run(_: argparse.Namespace) -> NoReturn:
        raise error

    return run


@pytest.mark.parametrize("call", [("--version",), ("--version", "status")])
def test_version_is_one_line(say: InProcess, call: tuple[str, ...]) -> None:
    """With and without the parser."""
    assert say(*call).stdout == f"handoff-tui {__version__}\n"


def test_help_lists_every_verb(say: InProcess) -> None:
    """With its summary, and examples; on stdout, because it was asked for."""
    said = say("--help")
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    for verb, summary in front._VERBS.items():
        assert verb in said.stdout
        assert summary.split(":")[0] in " ".join(said.stdout.split())
    assert "examples:" in said.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(say: InProcess, verb: str) -> None:
    """Nobody must guess how to call it."""
    said = say(verb, "--help")
    assert said.code == ExitCode.OK
    assert f"handoff-tui {verb}" in said.stdout.partition("examples:")[2]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_a_module_that_can_be_loaded(verb: str) -> None:
    """File, function and verb have one name."""
    command = front._load(verb)
    assert callable(command.run)
    assert callable(command.add_arguments)


def test_parser_loads_only_the_verbs_it_is_given() -> None:
    """The others are listed, and know none of their options."""
    parser = build_parser(("show",))
    assert parser.parse_args(["show", "H-3", "--json"]).id == "H-3"
    with pytest.raises(UsageError, match="--json"):
        parser.parse_args(["status", "--json"])


@pytest.mark.parametrize(
    "call", [["status", "--jsno"], ["stats"], ["show"], ["--rpo", "x", "status"], ["config", "schem"]]
)
def test_words_that_do_not_fit_are_a_usage_error(say: InProcess, call: list[str]) -> None:
    """Code 2, nothing on stdout, the words and a hint on stderr."""
    said = say(*call)
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")
    assert said.stderr.startswith("handoff-tui: ")
    assert "--help` to see how to call it" in said.stderr


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


def test_fault_of_ours_leaves_a_report(say: InProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Code 70; the report has the call and the traceback, the terminal has neither."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(status, "run", failing_with(ZeroDivisionError("by the lamp")))
    said = say("status", "--all")
    [report] = tmp_path.iterdir()
    assert said.code == ExitCode.BUG
    assert str(report) in said.stderr
    assert "by the lamp" not in said.stderr
    text = report.read_text(encoding="utf-8")
    assert "['status', '--all']" in text
    assert "by the lamp" in text


def test_reader_that_left_is_no_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Code 0, and what Python still wants to write goes nowhere."""
    monkeypatch.setattr(status, "run", failing_with(BrokenPipeError()))
    with (tmp_path / "stdout").open("w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["status"]) == ExitCode.OK
        stdout.write("too late")
        stdout.flush()
    assert (tmp_path / "stdout").read_text(encoding="utf-8") == ""


def test_words_come_from_the_call_when_none_are_given(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the installed command does it."""
    monkeypatch.setattr(sys, "argv", ["handoff-tui", "--version"])
    assert main() == ExitCode.OK
    assert capsys.readouterr().out == f"handoff-tui {__version__}\n"


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
