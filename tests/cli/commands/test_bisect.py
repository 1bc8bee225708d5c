from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from handoff_tui.cli.commands import bisect
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.history.bisect.bisect import BisectTelling
from handoff_tui.history.bisect.report import BisectProgress
from tests.support.histories import SCRIPT, History, Told, build_history
from tests.support.in_process import InProcess


@pytest.fixture
def history(tmp_path: Path, isolated_user: Path) -> History:
    """Six commits, the check of the user's own fails since the fourth."""
    folder = isolated_user / "config" / "handoff-tui"
    folder.mkdir(parents=True)
    text = f"[checks.verdict]\nrun = {json.dumps(['sh', '-c', SCRIPT])}\nenvironment = ['PATH']\n"
    (folder / "config.toml").write_text(text, encoding="utf-8")
    told = [Told((number - 1,) if number else (), "bad" if number > 2 else "good") for number in range(6)]
    return build_history(tmp_path / "history", told)


def test_bisect_prints_a_page_and_json(say: InProcess, history: History) -> None:
    """The same answer, exit code 0."""
    page = say("bisect", "verdict", "--repo", history.builder.folder)
    assert (page.code, page.stderr) == (ExitCode.OK, "")
    assert page.stdout.startswith(f"verdict fails since {history.commits[3][:7]}")
    value = say("bisect", "verdict", "--repo", history.builder.folder, "--json").json
    assert (value["schema"], value["end"], value["bad"]) == ("handoff-tui/bisect/v1", "found", history.commits[3])


def test_bisect_that_finds_nothing_exits_with_one(say: InProcess, history: History) -> None:
    """It does not fail there; ends that do not fit are an error with a hint."""
    said = say("bisect", "verdict", "--bad", history.commits[1], "--repo", history.builder.folder)
    assert (said.code, "does not fail at" in said.stdout) == (ExitCode.BLOCKED, True)
    wrong = say("bisect", "verdict", "--good", history.commits[4], "--repo", history.builder.folder)
    assert (wrong.stdout, "as well" in wrong.stderr, "hint:" in wrong.stderr) == ("", True, True)


def test_bisect_that_is_stopped_says_what_is_known(
    say: InProcess, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends the search, not the answer: code 130."""

    def interrupt(progress: BisectProgress) -> None:
        if progress.left:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(bisect, "_tell", interrupt)
    said = say("bisect", "verdict", "--good", history.commits[0], "--repo", history.builder.folder)
    assert (said.code, "the search was stopped" in said.stdout) == (ExitCode.INTERRUPTED, True)
    assert BisectTelling().on_progress is None
