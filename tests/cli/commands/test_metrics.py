"""`metrics` from the command line."""

from __future__ import annotations

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess
from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> InProcess:
    return InProcess(capsys)


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A rejection and an approval, with no record of either."""
    real = RealLog(builder.write("a.txt").commit())
    real.begin()
    real.decide("alice", "reject")
    real.decide("bob", handoff="H-2")
    return real


def test_figures_are_printed_in_three_forms(log: RealLog, call: InProcess) -> None:
    """Text for people, JSON for scripts, a table for spreadsheets."""
    said = call("metrics", "--repo", log.folder)
    assert (said.code, "Handoff failure rate" in said.stdout) == (ExitCode.OK, True)
    value = call("metrics", "--json", "--repo", log.folder).json
    assert (value["schema"], value["decisions"], value["figures"][0]["value"]) == ("handoff-tui/metrics/v1", 2, 0.5)
    table = call("metrics", "--csv", "--repo", log.folder, "--since", "2026-01-01", "--until", "2026-12-31").stdout
    assert table.splitlines()[1].startswith("handoff-failure-rate,A,,,share,0.5,1,2,")


def test_broken_log_has_its_own_exit_code(log: RealLog, call: InProcess) -> None:
    """No figure of it is computed."""
    log.place(log.genesis).unlink()
    said = call("metrics", "--json", "--repo", log.folder)
    assert (said.code, said.json["verdict"]) == (ExitCode.INTEGRITY, "fatal")
    assert {figure["value"] for figure in said.json["figures"]} == {None}


@pytest.mark.parametrize("words", [("--json", "--csv"), ("--since", "May"), ("--until", "2026-02-30")])
def test_words_that_make_no_sense_are_told(log: RealLog, call: InProcess, words: tuple[str, ...]) -> None:
    """A usage error with a hint."""
    said = call("metrics", *words, "--repo", log.folder)
    assert (said.code, said.stdout, "hint:" in said.stderr) == (ExitCode.USAGE, "", True)
