from __future__ import annotations

import hashlib
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from handoff_tui.checks.report import CheckReport, Outcome
from handoff_tui.checks.run.check import check
from handoff_tui.git.watch.noticed import Touched
from handoff_tui.live.feed.following import follow
from handoff_tui.live.feed.live_checks import LiveChecks, build_request, merge_reports
from handoff_tui.live.feed.snapshot import RepositorySnapshot, read_snapshot
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

DOCUMENT = "handoffs/H-1/H-1_RESULTS.md"


class Bench:
    """Live checks of H-1 beside those that are run afresh."""

    def __init__(self, work: RepositoryBuilder) -> None:
        self.work = work
        self.snapshot = read_snapshot(work.folder, 1)
        self.checks = LiveChecks()
        self.run()

    def run(self) -> CheckReport:
        return self.checks.run(self.snapshot, "H-1", None, (), Event())

    def save(self, path: str, text: str | None) -> CheckReport:
        self.work.place(path).unlink() if text is None else self.work.write(path, text)
        self.snapshot = follow(self.work.folder, self.snapshot, Touched(frozenset({path})))
        return self.run()


def say(report: CheckReport) -> list[tuple[Any, ...]]:
    """All that a report says of a state."""
    results = [(one.id, one.outcome, one.summary, one.findings, one.severity, one.blocking) for one in report.results]
    return [*results, (report.passed, report.total, report.warnings, report.verdict, report.baseline)]


def run_afresh(snapshot: RepositorySnapshot) -> CheckReport:
    request = build_request(snapshot, "H-1", None)
    return check(snapshot.session, request._replace(fresh=True, run_commands=False))


@pytest.fixture
def work(builder: RepositoryBuilder, tmp_path: Path) -> RepositoryBuilder:
    """On a branch that left main a commit ago, so that there is a baseline."""
    builder.write("README", "a part\n").commit("first")
    build_work(builder, handoffs=2).write("tests/test_part.py", "def test_one():\n    assert 1\n").commit()
    builder.push(tmp_path / "remote")
    return builder.write("src/other.py", "value = 22\n").commit("unpushed")


def test_live_results_are_those_of_a_fresh_run(work: RepositoryBuilder) -> None:
    """After every kind of save, with a baseline to compare with."""
    bench = Bench(work)
    digest = hashlib.sha256(b"value = 5\n").hexdigest()
    assert run_afresh(bench.snapshot).baseline is not None
    for path, text in (
        ("src/part.py", "value = 5\n"),
        ("src/other.py", "value = 23\n"),
        ("src/other.py", "value = 2\n"),
        (DOCUMENT, build_results(1, digest=digest)),
        ("tests/test_part.py", "def test_one():\n    pass\n"),
        ("tests/test_part.py", None),
        ("src/part.py", "value = 1\n"),
        ("src/new.py", "value = 9\n"),
        ("src/new.py", "value = 10\n"),
    ):
        live = bench.save(path, text)
        assert say(live) == say(run_afresh(bench.snapshot)), path


def test_only_what_a_save_touched_runs_again(work: RepositoryBuilder) -> None:
    """And says why it ran."""
    bench = Bench(work)
    bench.save("src/other.py", "value = 23\n")
    report = bench.save("src/part.py", "value = 6\n")
    ran = {one.id: one.rerun_because or "" for one in report.results if not one.from_cache}
    assert "hashes-hold" in ran
    assert "src/part.py" in ran["hashes-hold"] or "claims" in ran["hashes-hold"]
    assert "results-sections-present" not in ran
    assert len(ran) < len(report.results) / 2


def test_command_is_unknown_until_it_runs(work: RepositoryBuilder, tmp_path: Path) -> None:
    """Whatever is saved, nothing is started; one whose inputs were not touched keeps its word."""
    mark = tmp_path / "mark"
    settings = f'[checks.own]\nrun = ["touch", "{mark}"]\ninputs = ["src/part.py"]\n'
    work.write("handoff-tui.toml", settings).commit()
    bench = Bench(work)
    for path in ("src/other.py", "src/part.py"):
        report = bench.save(path, "value = 31\n")
        (own,) = (one for one in report.results if one.id == "own")
        assert own.outcome in {Outcome.UNKNOWN, Outcome.ERROR}
        assert say(report) == say(run_afresh(bench.snapshot))
    assert not mark.exists()


def test_file_behind_a_link_is_checked_again(work: RepositoryBuilder) -> None:
    """It is the saved one under another name."""
    work.link("alias.py", "src/part.py").write(DOCUMENT, build_results(1).replace("src/part.py", "alias.py")).commit()
    bench = Bench(work)
    for text in ("value = 2\n", "value = 3\n"):
        assert say(bench.save("src/part.py", text)) == say(run_afresh(bench.snapshot))


def test_checks_are_those_of_the_gate(builder: RepositoryBuilder) -> None:
    """For the handoff and its phase; before the first commit without a baseline."""
    builder.write("handoffs/H-1/H-1_RESULTS.md", "# Results: H-1\n\n## Status: PASS\n")
    request = build_request(read_snapshot(builder.folder, 1), "H-1", None)
    assert (request.handoff, request.baseline) == ("H-1", None)
    builder.commit()
    request = build_request(read_snapshot(builder.folder, 1), "h_1", "release")
    assert (request.handoff, request.phase) == ("H-1", "release")


def test_results_of_some_take_their_places_among_all(builder: RepositoryBuilder) -> None:
    """The verdict follows from all of them."""
    snapshot = read_snapshot(build_work(builder).folder, 1)
    request = build_request(snapshot, "H-1", None)
    whole = check(snapshot.session, request)
    some = check(snapshot.session, request._replace(only=("hashes-hold",), fresh=True))
    merged = merge_reports(whole, some)
    assert [result.id for result in merged.results] == [result.id for result in whole.results]
    passed = [one.model_copy(update={"outcome": Outcome.PASS}) for one in whole.results]
    assert whole.with_results(passed).verdict == "pass"
    failed = [one.model_copy(update={"outcome": Outcome.FAIL, "blocking": True}) for one in whole.results]
    assert whole.with_results(failed).verdict == "blocked"
