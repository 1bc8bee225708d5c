from __future__ import annotations

import hashlib
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import Outcome
from handoff_tui.checks.run.check import check
from handoff_tui.live.feed.checking import build_request
from handoff_tui.live.feed.deep_verdict_cache import DeepBook
from handoff_tui.live.feed.following import follow
from handoff_tui.live.feed.live_checks import LiveChecks
from handoff_tui.live.feed.notices import Notices
from handoff_tui.live.feed.snapshot import Scene, read_scene
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

DOCUMENT = "handoffs/H-1/H-1_RESULTS.md"


class Bench:
    """Live checks of H-1 beside those that are run afresh."""

    def __init__(self, work: RepositoryBuilder) -> None:
        self.work = work
        self.scene = read_scene(work.folder, 1)
        self.checks = LiveChecks(DeepBook())
        self.run()

    def run(self) -> CheckReport:
        return self.checks.run(self.scene, "H-1", None, (), Event())

    def save(self, path: str, text: str | None) -> CheckReport:
        self.work.place(path).unlink() if text is None else self.work.write(path, text)
        self.scene = follow(self.work.folder, self.scene, Notices(frozenset({path})))
        return self.run()


def say(report: CheckReport) -> list[tuple[Any, ...]]:
    """All that a report says of a state."""
    results = [(one.id, one.outcome, one.summary, one.findings, one.severity, one.blocking) for one in report.results]
    return [*results, (report.passed, report.total, report.warnings, report.verdict, report.baseline)]


def run_afresh(scene: Scene) -> CheckReport:
    request = build_request(scene, "H-1", None)
    return check(scene.desk, request._replace(fresh=True, run_commands=False))


@pytest.fixture
def work(builder: RepositoryBuilder, tmp_path: Path) -> RepositoryBuilder:
    """On a branch that left main a commit ago, so that there is a baseline."""
    build_work(builder, handoffs=2).write("tests/test_part.py", "def test_one():\n    assert 1\n").commit()
    builder.push(tmp_path / "remote")
    return builder.write("src/other.py", "value = 22\n").commit("unpushed")


def test_live_results_are_those_of_a_fresh_run(work: RepositoryBuilder) -> None:
    """After every kind of save, with a baseline to compare with."""
    bench = Bench(work)
    digest = hashlib.sha256(b"value = 5\n").hexdigest()
    assert run_afresh(bench.scene).baseline is not None
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
        assert say(live) == say(run_afresh(bench.scene)), path


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
        assert say(report) == say(run_afresh(bench.scene))
    assert not mark.exists()
