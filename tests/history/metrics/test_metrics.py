"""Figures of a repository, from the signed log and git alone."""

from __future__ import annotations

import gc
from datetime import UTC, datetime

import pytest

from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.metrics.definitions import ALL
from handoff_tui.history.metrics.facts import RecordFacts
from handoff_tui.history.metrics.figures import Window
from handoff_tui.history.metrics.metrics import (
    build_figures,
    build_no_figures,
    parse_window,
    read_metrics,
    read_metrics_at,
)
from handoff_tui.history.metrics.report import Figure, MetricsReport
from handoff_tui.log.open_log import PIN_VARIABLE, open_log
from tests.support.figure_log import FigureLog
from tests.support.replay_story import HANDOFF, OTHERS, ReplayStory
from tests.support.repositories import RepositoryBuilder

LATER = datetime(2026, 6, 1, tzinfo=UTC)


def read(builder: RepositoryBuilder, window: Window = Window()) -> MetricsReport:  # noqa: B008 - a frozen value
    desk = open_desk(builder.folder)
    return read_metrics(desk, open_log(desk.repository, remembered=False), window, now=lambda: LATER)


def find(report: MetricsReport, name: str) -> Figure:
    figure = report.find(name)
    assert figure is not None
    return figure


@pytest.fixture
def story(builder: RepositoryBuilder) -> ReplayStory:
    """An attempt sent back, new work, and an approval of it."""
    story = ReplayStory(builder)
    moment = 1_767_225_600  # the beginning of 2026, when the log begins
    builder.moment = moment
    story.log.submit(subject=story.build_subject(), handoff=HANDOFF, phase="review")
    story.decide("reject", time="2026-01-01T00:03:00Z")
    builder.moment = moment + 240  # committed a minute later
    builder.write("src/more.py").commit("more work")
    story.log.submit(
        subject=story.build_subject(), handoff=HANDOFF, phase="review", attempt=2, time="2026-01-01T00:10:00Z"
    )
    story.decide(attempt=2, time="2026-01-01T01:00:00Z", record={"attempt": 2})
    return story


def test_figures_come_from_the_log_the_records_and_the_history(story: ReplayStory) -> None:
    """Counted once each; the entries behind them are those of the log."""
    report = read(story.builder)
    assert (report.fatal, report.entries, report.submissions, report.decisions) == (False, 5, 2, 2)
    assert find(report, "handoff-failure-rate").value == 0.5
    assert find(report, "pre-handoff-compliance").value == 1.0
    assert find(report, "time-to-resume").value == 120
    assert find(report, "context-rediscovery").value == 0
    assert find(report, "success-by-rule").of == 2 * (1 + len(OTHERS))
    assert [group.name for group in find(report, "success-rate").groups] == ["agent_handoff"]
    assert set(find(report, "time-to-decision").sources) <= set(story.log.entries)
    assert [figure.id for figure in report.figures] == [definition.id for definition in ALL]


def test_records_that_are_known_are_not_read_again(story: ReplayStory) -> None:
    """Their names are their hashes: a long-lived process keeps what it has read."""
    desk = open_desk(story.builder.folder)
    log = open_log(desk.repository, remembered=False)
    known: dict[str, RecordFacts] = {}
    once = read_metrics(desk, log, Window(), lambda: LATER, known)
    assert len(known) == 2
    for place in (story.builder.folder / ".handoff-tui/reviews").iterdir():
        place.write_bytes(b"changed")
    assert read_metrics(desk, log, Window(), lambda: LATER, known) == once


def test_collection_of_garbage_goes_on_afterwards(story: ReplayStory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when counting fails."""
    read(story.builder)
    assert gc.isenabled()
    monkeypatch.setattr("handoff_tui.history.metrics.metrics.build_figures", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        read(story.builder)
    assert gc.isenabled()


def test_window_is_asked_about_in_days(story: ReplayStory) -> None:
    """Nothing of this log happened a year later."""
    report = read(story.builder, Window(since="2027-01-01"))
    assert (report.since, find(report, "handoff-failure-rate").value) == ("2027-01-01", None)
    assert {figure.left_out for figure in report.figures} == {()}
    assert (report.entries, report.submissions, report.decisions) == (0, 0, 0)
    assert find(read(story.builder), "time-to-resume").left_out


def test_log_that_is_not_sound_has_no_figures(story: ReplayStory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every one is nothing, and says why."""
    monkeypatch.setenv(PIN_VARIABLE, "sha256:" + "0" * 64)
    report = read(story.builder)
    assert report.fatal
    assert {(figure.value, figure.why) for figure in report.figures} == {(None, "the log is not sound")}
    assert "not sound" in report.notes[0]


def test_repository_without_a_log_has_no_figures_but_a_hint(builder: RepositoryBuilder) -> None:
    """Also one without a commit."""
    report = read_metrics_at(builder.folder, Window())
    assert (report.log, report.head, report.fatal) == (None, None, False)
    assert "handoff-tui init" in report.notes[0]
    assert {figure.value for figure in report.figures if figure.id != "override-debt"} == {None}


def test_every_definition_has_a_name_of_its_own() -> None:
    """Names are a promise, so none is there twice; without a value each says why."""
    figures = build_no_figures("why not")
    assert len({figure.id for figure in figures}) == len(ALL)
    assert {figure.why for figure in figures} == {"why not"}
    assert all(definition.means.endswith(".") for definition in ALL)


@pytest.mark.parametrize(
    ("since", "until"), [("2026-13-01", None), (None, "yesterday"), ("20260301", None), ("2026-03-02", "2026-03-01")]
)
def test_day_that_is_none_is_a_usage_error(since: str | None, until: str | None) -> None:
    """Neither another form nor an order that cannot be meant."""
    with pytest.raises(UsageError):
        parse_window(since, until)
    assert parse_window("2026-03-01", "2026-03-01") == Window("2026-03-01", "2026-03-01")


def test_debt_of_an_earlier_day_is_still_one() -> None:
    """It is a state at the end of the days asked about, not something that happened in them."""
    log = FigureLog()
    log.decide("override", "2026-03-01T10:00:00Z")
    found = {figure.id: figure for figure in build_figures(log.build(), Window(since="2026-03-20"))}
    assert (found["override-debt"].value, found["override-debt"].met) == (1, False)
    assert found["handoff-failure-rate"].value is None
