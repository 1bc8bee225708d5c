from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from handoff_tui.cli import main as front
from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess

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
    assert complete(bash_script, "handoff-tui", "status", "--") == ["--all", "--at", "--help", "--json", "--repo"]
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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_knows_every_verb_and_every_option(say: InProcess, shell: str) -> None:
    """It is made from the parser itself, so nothing is forgotten."""
    script = say("completion", shell).stdout
    for verb in front._VERBS:
        assert verb in script
    for option in ("--json", "--no-open", "--dir", "--all", "--origins", "schema"):
        assert option in script


def test_shell_that_is_not_known_is_refused(say: InProcess) -> None:
    """Code 2, with the known ones."""
    said = say("completion", "tcsh")
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")
    assert "bash" in said.stderr
