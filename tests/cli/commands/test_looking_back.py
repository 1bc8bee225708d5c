"""The verbs that look back: history, compare, failure, bisect, metrics, export."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from handoff_tui.cli.commands import bisect
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.history.bisect.bisect import BisectControl
from handoff_tui.history.bisect.report import BisectProgress
from handoff_tui.log.open_log import PIN_VARIABLE
from tests.support.attempts import HANDOFF, AttemptStory, tell_story
from tests.support.command_line import InProcess
from tests.support.histories import SCRIPT, History, Told, build_history
from tests.support.real_log import RealLog
from tests.support.replays import ReplayStory
from tests.support.repositories import NOTE_ON_ADDING, RepositoryBuilder


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> AttemptStory:
    return tell_story(tmp_path_factory.mktemp("history"))


def test_history_looks_at_what_is_here_now(story: AttemptStory, say: InProcess) -> None:
    """Unless only what is recorded is asked for."""
    said = say("history", HANDOFF, "--repo", story.root, "--json")
    assert (said.code, [one["outcome"] for one in said.json["attempts"]]) == (0, ["rejected", "retry", "open"])
    recorded = say("history", HANDOFF, "--repo", story.root, "--json", "--recorded")
    assert [one["outcome"] for one in recorded.json["attempts"]] == ["rejected", "retry"]


def test_history_of_one_that_is_unknown_is_a_usage_error(story: AttemptStory, say: InProcess) -> None:
    """With a hint."""
    said = say("history", "H-9", "--repo", story.root)
    assert (said.code, said.stdout) == (2, "")
    assert "no handoff has the id" in said.stderr


def test_history_without_anything_is_a_sentence(builder: RepositoryBuilder, say: InProcess) -> None:
    """Neither a log nor a commit is needed to ask."""
    said = say("history", "--repo", builder.folder)
    assert (said.code, said.stdout.strip()) == (0, "Nothing submitted or decided yet.")


def test_comparison_is_text_or_json(story: AttemptStory, say: InProcess) -> None:
    """The same two attempts, for a person and for a script; the phase may be an option."""
    text = say("compare", f"{HANDOFF}:1", "2", "--repo", story.root)
    value = say("compare", f"{HANDOFF}:1", f"{HANDOFF}:2", "--phase", "review", "--repo", story.root, "--json")
    assert (text.code, value.code) == (0, 0)
    assert text.stdout.startswith(f"{HANDOFF}:review:1 → {HANDOFF}:review:2")
    assert value.json["checks"]["counts"] == {"newly-failing": 1, "fixed": 1, "changed": 1}


@pytest.mark.parametrize(
    ("words", "said"), [(("1", "2"), "doesn't name a handoff"), ((f"{HANDOFF}:1", "x"), "isn't an attempt")]
)
def test_wrong_names_are_usage_errors(words: tuple[str, str], said: str, story: AttemptStory, say: InProcess) -> None:
    """Code 2, and the form that is expected."""
    answer = say("compare", *words, "--repo", story.root)
    assert (answer.code, answer.stdout) == (2, "")
    assert said in answer.stderr
    assert "ID:NUMBER" in answer.stderr


NOTE = "# Handoff: adding\n\nStatus: COMPLETE\n\n- Created `src/{name}`.\n"


def test_failure_tells_by_its_code_whether_the_gate_is_blocked(builder: RepositoryBuilder, say: InProcess) -> None:
    """1 with the check to look at first, 0 when it was mended; without a log there is nothing to compare with."""
    builder.write("HANDOFF.md", NOTE.format(name="none.py")).write("src/app.py").commit("work")
    words = ("failure", "notes/HANDOFF.md", "--repo", builder.folder, "--json")
    said = say(*words)
    assert (said.code, said.json["first"], said.json["failed"][0]["last_good"]) == (1, "claims-hold", None)
    builder.write("HANDOFF.md", NOTE.format(name="app.py")).commit("mended")
    said = say(*words)
    assert (said.code, said.json["first"], said.json["blocked"]) == (0, None, False)


def test_failure_of_an_unknown_check_is_a_usage_error(builder: RepositoryBuilder, say: InProcess) -> None:
    """With where to find the known ones."""
    builder.write("HANDOFF.md", NOTE.format(name="none.py")).commit("work")
    said = say("failure", "--check", "no-such-check", "--repo", builder.folder)
    assert (said.code, said.stdout) == (2, "")
    assert "check --list" in said.stderr


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
    assert page.stdout.startswith(f"{history.commits[3][:7]} broke verdict")
    value = say("bisect", "verdict", "--repo", history.builder.folder, "--json").json
    assert (value["schema"], value["end"], value["bad"]) == ("handoff-tui/bisect/v1", "found", history.commits[3])


def test_bisect_that_finds_nothing_exits_with_one(say: InProcess, history: History) -> None:
    """It does not fail there; ends that do not fit are an error with a hint."""
    said = say("bisect", "verdict", "--bad", history.commits[1], "--repo", history.builder.folder)
    assert (said.code, "does not fail at" in said.stdout) == (ExitCode.BLOCKED, True)
    wrong = say("bisect", "verdict", "--good", history.commits[4], "--repo", history.builder.folder)
    assert (wrong.stdout, "also fails" in wrong.stderr, "hint:" in wrong.stderr) == ("", True, True)


def test_bisect_that_is_stopped_says_what_is_known(
    say: InProcess, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends the search, not the answer: code 130."""

    def interrupt(progress: BisectProgress) -> None:
        if progress.left:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(bisect, "_tell", interrupt)
    said = say("bisect", "verdict", "--good", history.commits[0], "--repo", history.builder.folder)
    assert (said.code, "Stopped: " in said.stdout) == (ExitCode.INTERRUPTED, True)
    assert BisectControl().on_progress is None


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A rejection and an approval, with no record of either."""
    real = RealLog(builder.write("a.txt").commit())
    real.begin()
    real.decide("alice", "reject")
    real.decide("bob", handoff="H-2")
    return real


def test_figures_are_printed_in_three_forms(log: RealLog, say: InProcess) -> None:
    """Text for people, JSON for scripts, a table for spreadsheets."""
    said = say("metrics", "--repo", log.folder)
    assert (said.code, "Handoff failure rate" in said.stdout) == (ExitCode.OK, True)
    value = say("metrics", "--json", "--repo", log.folder).json
    assert (value["schema"], value["decisions"], value["figures"][0]["value"]) == ("handoff-tui/metrics/v1", 2, 0.5)
    table = say("metrics", "--csv", "--repo", log.folder, "--since", "2026-01-01", "--until", "2026-12-31").stdout
    assert table.splitlines()[1].startswith("handoff-failure-rate,A,,,share,0.5,1,2,")


def test_broken_log_has_its_own_exit_code(log: RealLog, say: InProcess) -> None:
    """No figure of it is computed."""
    log.place(log.genesis).unlink()
    said = say("metrics", "--json", "--repo", log.folder)
    assert (said.code, said.json["verdict"]) == (ExitCode.INTEGRITY, "fatal")
    assert {figure["value"] for figure in said.json["figures"]} == {None}


@pytest.mark.parametrize("words", [("--json", "--csv"), ("--since", "May"), ("--until", "2026-02-30")])
def test_metrics_words_that_make_no_sense_are_told(log: RealLog, say: InProcess, words: tuple[str, ...]) -> None:
    """A usage error with a hint."""
    said = say("metrics", *words, "--repo", log.folder)
    assert (said.code, said.stdout, "hint:" in said.stderr) == (ExitCode.USAGE, "", True)


@pytest.fixture
def replay(builder: RepositoryBuilder) -> ReplayStory:
    """One approval that holds."""
    replay = ReplayStory(builder)
    replay.decide()
    return replay


def test_report_is_printed_or_written(replay: ReplayStory, say: InProcess, tmp_path: Path) -> None:
    """Markdown on standard output; both forms as new files, which are never written over."""
    folder = replay.builder.folder
    said = say("export", "report", "--repo", folder)
    assert (said.code, said.stdout.startswith("# Handoff decisions of ")) == (ExitCode.OK, True)
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    written = say("export", "report", "--html", page, "--markdown", text, "--json", "--repo", folder)
    assert written.json["schema"] == "handoff-tui/export-report/v1"
    assert [one["bytes"] for one in written.json["files"]] == [page.stat().st_size, text.stat().st_size]
    again = say("export", "report", "--html", page, "--repo", folder)
    assert (again.code, "is there already" in again.stderr) == (ExitCode.USAGE, True)


@pytest.mark.parametrize("words", [("report", "--json"), ("report", "--html", "x", "--markdown", "x"), ("reports",)])
def test_export_words_that_make_no_sense_are_told(
    builder: RepositoryBuilder, say: InProcess, words: tuple[str, ...]
) -> None:
    """A usage error, before anything is read."""
    assert say("export", *words, "--repo", builder.folder).code == ExitCode.USAGE


def test_replay_tells_by_its_exit_code(replay: ReplayStory, say: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """0 where nothing fails, 1 where an approval would not hold today, 3 where the log cannot be believed."""
    folder = replay.builder.folder
    said = say("log", "replay", "--repo", folder)
    assert (said.code, "1 approval: 1 holds" in said.stdout) == (ExitCode.OK, True)
    replay.builder.write("HANDOFF.md", f"{NOTE_ON_ADDING}- Created `src/missing.py`.\n").commit("a false claim")
    replay.decide()
    value = say("log", "replay", "--json", "--repo", folder)
    assert (value.code, value.json["totals"]["fails"]) == (ExitCode.BLOCKED, 1)
    monkeypatch.setenv(PIN_VARIABLE, "sha256:" + "0" * 64)
    assert say("log", "replay", "--all", "--repo", folder).code == ExitCode.INTEGRITY
    assert say("export", "report", "--repo", folder).code == ExitCode.INTEGRITY
