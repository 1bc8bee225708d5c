"""`log` from the command line: the list, one entry, the verification, the bundle."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess
from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A policy and two decisions, committed."""
    real = RealLog(builder)
    real.begin()
    real.decide("alice", handoff="H-1")
    real.decide("bob", "reject", handoff="H-2")
    builder.commit()
    return real


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> InProcess:
    return InProcess(capsys)


def test_list_is_printed_for_people_and_scripts(log: RealLog, call: InProcess) -> None:
    """Three rows; JSON with the promised schema; choices narrow it."""
    assert "reject" in call("log", "--repo", log.folder).stdout
    value = call("--repo", log.folder, "log", "--json").json
    assert (value["schema"], len(value["entries"]), value["verdict"]) == ("handoff-tui/log/v1", 3, "clean")
    chosen = call("log", "--repo", log.folder, "--verb", "reject", "--person", "bob", "--handoff", "H-2", "--json").json
    assert [entry["what"] for entry in chosen["entries"]] == ["reject"]


def test_entry_is_shown_and_extracted(log: RealLog, call: InProcess, tmp_path: Path) -> None:
    """By a prefix; with its files; an unknown one is an error with a hint."""
    last = log.heads()[0].removeprefix("sha256:")[:10]
    said = call("log", "show", last, "--extract", tmp_path / "out", "--repo", log.folder)
    assert (said.code, "Bound to" in said.stdout) == (ExitCode.OK, True)
    assert (tmp_path / "out" / "entry.pae").is_file()
    value = call("log", "show", last, "--json", "--repo", log.folder).json
    assert (value["schema"], value["actor"], value["extracted"]) == ("handoff-tui/log-show/v1", "bob", [])
    unknown = call("log", "show", "0000000000", "--repo", log.folder)
    assert (unknown.code, "handoff-tui log" in unknown.stderr) == (ExitCode.USAGE, True)


def test_verification_tells_by_its_exit_code(log: RealLog, call: InProcess) -> None:
    """0 clean, 3 fatal, 2 where the question makes no sense."""
    said = call("log", "verify", "--json", "--with-ssh-keygen", "--against", "HEAD", "--repo", log.folder)
    assert (said.code, said.json["verdict"], said.json["entries"]) == (ExitCode.OK, "clean", 3)
    pinned = call("log", "verify", "--pin", "0" * 64, "--repo", log.folder)
    assert (pinned.code, "genesis-missing" in pinned.stdout) == (ExitCode.INTEGRITY, True)
    log.place(log.heads()[0]).unlink()
    lost = call("log", "verify", "--against", "HEAD", "--json", "--repo", log.folder)
    assert (lost.code, lost.json["problems"][0]["code"]) == (ExitCode.INTEGRITY, "entry-deleted")
    assert call("log", "verify", "--against", "nowhere", "--repo", log.folder).code == ExitCode.USAGE
    assert call("log", "verify", "--pin", "short", "--repo", log.folder).code == ExitCode.USAGE


def test_bundle_is_written_and_verified_anywhere(
    log: RealLog, call: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a file, or to a pipe; verified in a folder that is no repository."""
    place = tmp_path / "log.tar"
    said = call("log", "bundle", "--out", place, "--json", "--repo", log.folder)
    assert said.json == {"schema": "handoff-tui/log-bundle/v1", "file": str(place), "bytes": place.stat().st_size}
    words = [sys.executable, "-m", "handoff_tui", "log", "bundle", "--repo", str(log.folder)]
    assert subprocess.run(words, check=True, capture_output=True).stdout == place.read_bytes()
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    verified = call("log", "verify", "--bundle", place, "--pin", log.genesis, "--json")
    assert (verified.code, verified.json["entries"]) == (ExitCode.OK, 3)
    assert call("log", "verify", "--bundle", place, "--pin", "0" * 64).code == ExitCode.INTEGRITY


@pytest.mark.parametrize(
    "words",
    [("verify", "--bundle", "x.tar", "--against", "HEAD"), ("bundle", "--json"), ("--verb", "aprove"), ("what",)],
)
def test_words_that_do_not_fit_together_are_told(log: RealLog, call: InProcess, words: tuple[str, ...]) -> None:
    """A usage error, not a guess."""
    assert call("log", *words, "--repo", log.folder).code == ExitCode.USAGE


def test_options_before_the_word_stay(log: RealLog, call: InProcess) -> None:
    """`log --json verify` prints JSON as `log verify --json` does."""
    assert call("log", "--json", "--repo", log.folder, "verify").json["schema"] == "handoff-tui/log-verify/v1"


def test_repository_without_a_log_says_how_to_begin(builder: RepositoryBuilder, call: InProcess) -> None:
    """Nothing is no failure."""
    for words in (("log",), ("log", "verify")):
        said = call(*words, "--repo", builder.folder)
        assert (said.code, "handoff-tui init" in said.stdout) == (ExitCode.OK, True)
