"""Metrics, and approvals judged again, if something is wrong: said plainly, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.handoffs.session import open_session
from handoff_tui.history.metrics.definitions import DayWindow
from handoff_tui.history.metrics.metrics import build_metrics, read_metrics
from handoff_tui.history.replay.audit import read_audit_at
from handoff_tui.history.replay.page import ReplayQuestion, ReplayVerdict
from handoff_tui.history.replay.replay import replay
from handoff_tui.log.open_log import open_log
from tests.support.command_line import InProcess
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import HostileRepository
from tests.support.replays import FigureLog, ReplayStory, build_record
from tests.support.repositories import RepositoryBuilder

ATTEMPTS = 1_000


def test_shallow_clone_says_what_it_lacks(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The approval of a commit that was cut off cannot be judged, and no figure rests on it."""
    story = ReplayStory(builder)
    story.decide()
    builder.write("src/more.py").commit("more work, and the log")
    shallow = builder.clone_shallow(tmp_path / "shallow")
    desk = open_session(shallow.folder)
    log = open_log(desk.repository, remembered=False)
    report = replay(desk, log)
    answers = report.approvals[0].answers
    lacking = {answer.question for answer in answers if answer.standing is ReplayVerdict.UNKNOWN}
    assert lacking == {ReplayQuestion.RULES, ReplayQuestion.EVIDENCE, ReplayQuestion.CONFIGURATION}
    assert any("shallow" in note for note in report.notes)
    figures = read_metrics(desk, log, DayWindow())
    assert any("shallow" in note for note in figures.notes)
    decided = figures.find("time-to-decision")
    assert decided is not None
    assert (decided.value, [one.number for one in decided.left_out]) == (None, [1])


def test_blob_that_is_gone_leaves_the_rules_undecided(builder: RepositoryBuilder) -> None:
    """A missing object is neither an empty file nor a missing one."""
    story = ReplayStory(builder)
    story.decide()
    blob = builder.head("HEAD:HANDOFF.md")
    (builder.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    standing, words = story.ask(ReplayQuestion.RULES)
    assert standing is ReplayVerdict.UNKNOWN, words


def test_thousand_attempts_stay_usable() -> None:
    """Every figure is right, and none names more entries than there are."""
    log = FigureLog()
    for attempt in range(1, ATTEMPTS + 1):
        clock = f"2026-03-{2 + attempt // 500:02d}T{attempt % 500 // 60 + 1:02d}:{attempt % 60:02d}:00Z"
        record = build_record(("a",), ("b",), ("always", f"new-{attempt}"))
        log.decide("reject", clock, attempt=attempt, tree=str(attempt), record=record)
    figures = {figure.id: figure for figure in build_metrics(log.build(), DayWindow())}
    assert figures["loops-per-stage"].value == ATTEMPTS
    assert figures["context-rediscovery"].value == 1
    assert figures["handoff-failure-rate"].value == 1
    assert max(len(figure.sources) for figure in figures.values()) <= ATTEMPTS


def test_hostile_repository_runs_nothing_and_stays_as_it_is(
    hostile_repository: HostileRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counting and judging look; they execute and write nothing."""
    before = read_fingerprint(hostile_repository.folder)
    call = InProcess(capsys)
    for words in (("metrics",), ("log", "replay"), ("export", "report")):
        assert call(*words, "--repo", hostile_repository.folder).code == 0
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []


def test_looking_back_writes_nothing(builder: RepositoryBuilder) -> None:
    """Neither a file nor an object nor the index of a repository with a log changes."""
    story = ReplayStory(builder)
    story.decide()
    builder.commit("the log")
    before = read_fingerprint(builder.folder)
    read_audit_at(builder.folder, DayWindow())
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []
