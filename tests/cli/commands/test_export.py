"""`export report` and `log replay` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.log.open_log import PIN_VARIABLE
from tests.support.in_process import InProcess
from tests.support.replay_story import TEXT, ReplayStory
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> InProcess:
    return InProcess(capsys)


@pytest.fixture
def story(builder: RepositoryBuilder) -> ReplayStory:
    """One approval that holds."""
    story = ReplayStory(builder)
    story.decide()
    return story


def test_report_is_printed_or_written(story: ReplayStory, call: InProcess, tmp_path: Path) -> None:
    """Markdown on standard output; both forms as new files, which are never written over."""
    folder = story.builder.folder
    said = call("export", "report", "--repo", folder)
    assert (said.code, said.stdout.startswith("# Handoff decisions of ")) == (ExitCode.OK, True)
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    written = call("export", "report", "--html", page, "--markdown", text, "--json", "--repo", folder)
    assert written.json["schema"] == "handoff-tui/export-report/v1"
    assert [one["bytes"] for one in written.json["files"]] == [page.stat().st_size, text.stat().st_size]
    again = call("export", "report", "--html", page, "--repo", folder)
    assert (again.code, "is there already" in again.stderr) == (ExitCode.USAGE, True)


@pytest.mark.parametrize("words", [("report", "--json"), ("report", "--html", "x", "--markdown", "x"), ("reports",)])
def test_words_that_make_no_sense_are_told(builder: RepositoryBuilder, call: InProcess, words: tuple[str, ...]) -> None:
    """A usage error, before anything is read."""
    assert call("export", *words, "--repo", builder.folder).code == ExitCode.USAGE


def test_replay_tells_by_its_exit_code(story: ReplayStory, call: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """0 where nothing fails, 1 where an approval would not hold today, 3 where the log cannot be believed."""
    folder = story.builder.folder
    said = call("log", "replay", "--repo", folder)
    assert (said.code, "1 approval: 1 holds" in said.stdout) == (ExitCode.OK, True)
    story.builder.write("HANDOFF.md", f"{TEXT}- `src/missing.py` subtracts.\n").commit("a false claim")
    story.decide()
    value = call("log", "replay", "--json", "--repo", folder)
    assert (value.code, value.json["totals"]["fails"]) == (ExitCode.BLOCKED, 1)
    monkeypatch.setenv(PIN_VARIABLE, "sha256:" + "0" * 64)
    assert call("log", "replay", "--all", "--repo", folder).code == ExitCode.INTEGRITY
    assert call("export", "report", "--repo", folder).code == ExitCode.INTEGRITY
