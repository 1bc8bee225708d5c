"""Metrics of a repository, from the signed log and git alone."""

from __future__ import annotations

import gc
import json
from datetime import UTC, datetime

import pytest

from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.metrics.definitions import (
    ALL,
    SUCCESS_BY_RULE,
    SUCCESS_BY_SEVERITY,
    DayWindow,
    MetricDefinition,
    MetricValue,
    Observed,
    Reduce,
    build_metric,
    build_weeks,
)
from handoff_tui.history.metrics.facts import (
    AttemptEnd,
    Judged,
    RecordFacts,
    RecordParser,
    build_decided_attempts,
    group_by_place,
)
from handoff_tui.history.metrics.metrics import (
    build_empty_metrics,
    build_metrics,
    build_rule_metrics,
    observe_open_times,
    parse_window,
    read_metrics,
    read_metrics_at,
)
from handoff_tui.history.metrics.report import Metric, MetricsReport, Target
from handoff_tui.log.open_log import PIN_VARIABLE, open_log
from handoff_tui.log.review_record import ReviewRecord, ShownCheck, ShownFinding
from handoff_tui.log.storage.evidence import encode_review
from tests.support.replays import HANDOFF, OTHERS, FigureLog, ReplayStory, build_record, build_subject
from tests.support.repositories import RepositoryBuilder

LATER = datetime(2026, 6, 1, tzinfo=UTC)


def read(builder: RepositoryBuilder, window: DayWindow = DayWindow()) -> MetricsReport:  # noqa: B008 - a frozen value
    desk = open_session(builder.folder)
    return read_metrics(desk, open_log(desk.repository, remembered=False), window, now=lambda: LATER)


def find(report: MetricsReport, name: str) -> Metric:
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
    assert [figure.id for figure in report.metrics] == [definition.id for definition, _ in ALL]


def test_records_that_are_known_are_not_read_again(story: ReplayStory) -> None:
    """Their names are their hashes: a long-lived process keeps what it has read."""
    desk = open_session(story.builder.folder)
    log = open_log(desk.repository, remembered=False)
    known: dict[str, RecordFacts] = {}
    once = read_metrics(desk, log, DayWindow(), lambda: LATER, known)
    assert len(known) == 2
    for place in (story.builder.folder / ".handoff-tui/reviews").iterdir():
        place.write_bytes(b"changed")
    assert read_metrics(desk, log, DayWindow(), lambda: LATER, known) == once


def test_collection_of_garbage_goes_on_afterwards(story: ReplayStory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when counting fails."""
    read(story.builder)
    assert gc.isenabled()
    monkeypatch.setattr("handoff_tui.history.metrics.metrics.build_metrics", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        read(story.builder)
    assert gc.isenabled()


def test_window_is_asked_about_in_days(story: ReplayStory) -> None:
    """Nothing of this log happened a year later."""
    report = read(story.builder, DayWindow(since="2027-01-01"))
    assert (report.since, find(report, "handoff-failure-rate").value) == ("2027-01-01", None)
    assert {figure.left_out for figure in report.metrics} == {()}
    assert (report.entries, report.submissions, report.decisions) == (0, 0, 0)
    assert find(read(story.builder), "time-to-resume").left_out


def test_log_that_is_not_sound_has_no_figures(story: ReplayStory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every one is nothing, and says why."""
    monkeypatch.setenv(PIN_VARIABLE, "sha256:" + "0" * 64)
    report = read(story.builder)
    assert report.fatal
    assert {(figure.value, figure.why) for figure in report.metrics} == {(None, "the log is not intact")}
    assert "not intact" in report.notes[0]


def test_targets_of_session_enforcement_come_from_the_settings(builder: RepositoryBuilder) -> None:
    """The defaults are those of the standard."""
    names = ("handoff-failure-rate", "pre-handoff-compliance", "time-to-resume", "context-rediscovery")
    usual = [find(read_metrics_at(builder.folder, DayWindow()), name).target for name in names]
    assert usual == [Target(below=0.05), Target(least=1.0), Target(below=300.0), Target(most=0.0)]
    targets = (
        "failure_rate_maximum = 0.0\ncompliance_minimum = 0.9\nresume_minutes_maximum = 10\nrediscovery_maximum = 2\n"
    )
    builder.write("handoff-tui.toml", f"[mosaic.targets]\n{targets}")
    own = [find(read_metrics_at(builder.folder, DayWindow()), name).target for name in names]
    assert own == [Target(most=0.0), Target(least=0.9), Target(below=600.0), Target(most=2.0)]


def test_repository_without_a_log_has_no_figures_but_a_hint(builder: RepositoryBuilder) -> None:
    """Also one without a commit."""
    report = read_metrics_at(builder.folder, DayWindow())
    assert (report.log, report.head, report.fatal) == (None, None, False)
    assert "handoff-tui init" in report.notes[0]
    assert {figure.value for figure in report.metrics if figure.id != "override-debt"} == {None}


def test_every_definition_has_a_name_of_its_own() -> None:
    """Names are a promise, so none is there twice; without a value each says why."""
    figures = build_empty_metrics("why not")
    assert len({figure.id for figure in figures}) == len(ALL)
    assert {figure.why for figure in figures} == {"why not"}
    assert all(definition.means.endswith(".") for definition, _ in ALL)


@pytest.mark.parametrize(
    ("since", "until"), [("2026-13-01", None), (None, "yesterday"), ("20260301", None), ("2026-03-02", "2026-03-01")]
)
def test_day_that_is_none_is_a_usage_error(since: str | None, until: str | None) -> None:
    """Neither another form nor an order that cannot be meant."""
    with pytest.raises(UsageError):
        parse_window(since, until)
    assert parse_window("2026-03-01", "2026-03-01") == DayWindow("2026-03-01", "2026-03-01")


def test_debt_of_an_earlier_day_is_still_one() -> None:
    """It is a state at the end of the days asked about, not something that happened in them."""
    log = FigureLog()
    log.decide("override", "2026-03-01T10:00:00Z")
    found = {figure.id: figure for figure in build_metrics(log.build(), DayWindow(since="2026-03-20"))}
    assert (found["override-debt"].value, found["override-debt"].met) == (1, False)
    assert found["handoff-failure-rate"].value is None


@pytest.mark.parametrize(
    ("decisions", "end"),
    [
        ((), AttemptEnd.OPEN),
        ((("alice", "approve"),), AttemptEnd.PASSED),
        ((("alice", "carry"),), AttemptEnd.PASSED),
        ((("alice", "override"),), AttemptEnd.OVERRIDDEN),
        ((("alice", "skip"),), AttemptEnd.SKIPPED),
        ((("alice", "hold"),), AttemptEnd.OPEN),
        ((("alice", "approve"), ("bob", "reject")), AttemptEnd.SENT_BACK),
        ((("bob", "retry"), ("alice", "approve")), AttemptEnd.SENT_BACK),
        ((("alice", "reject"), ("alice", "approve")), AttemptEnd.PASSED),
        ((("alice", "approve"), ("alice", "withdraw")), AttemptEnd.OPEN),
        ((("alice", "override"), ("bob", "approve")), AttemptEnd.PASSED),
        ((("alice", "approve"), ("bob", "hold")), AttemptEnd.OPEN),
    ],
)
def test_attempt_ends_by_the_last_word_of_each_person(decisions: tuple[tuple[str, str], ...], end: AttemptEnd) -> None:
    """A veto outweighs an approval; who changes their mind has said the later thing."""
    log = FigureLog()
    log.submit("09:00:00")
    for number, (actor, verb) in enumerate(decisions):
        log.decide(verb, f"10:0{number}:00", actor=actor)
    [one] = build_decided_attempts(log.build_index())
    assert one.end is end
    assert (one.ended_by is None) == (end is AttemptEnd.OPEN)


def test_attempts_are_told_apart_and_ordered() -> None:
    """By handoff, phase and number; entries of one attempt by time."""
    log = FigureLog()
    log.decide("reject", "10:00:00", attempt=2)
    late, early = log.decide("approve", "11:00:00"), log.decide("hold", "09:00:00")
    log.decide("approve", "10:00:00", handoff="H-0")
    log.decide("approve", "10:00:00", phase="test")
    rounds = build_decided_attempts(log.build_index())
    assert [one.key for one in rounds] == [
        ("H-0", "build", 1),
        ("H-1", "build", 1),
        ("H-1", "build", 2),
        ("H-1", "test", 1),
    ]
    assert [decided.entry.id for decided in rounds[1].decisions] == [early, late]
    assert [entry.id for entry in rounds[1].list_entries()] == [early, late]
    first = rounds[1].find_first_ending()
    assert first is not None
    assert first.entry.id == late
    assert [len(found) for found in group_by_place(rounds).values()] == [1, 2, 1]


def test_void_entries_are_in_no_attempt() -> None:
    """What counts for nothing is counted nowhere."""
    log = FigureLog()
    for one in (log.submit("09:00:00"), log.decide("approve", "10:00:00")):
        log.void[one] = "the key was dropped"
    assert build_decided_attempts(log.build_index()) == []


def test_withdrawn_decision_is_in_no_attempt() -> None:
    """Nor is the withdrawal; who withdrew has no earlier word either, and nobody withdraws what others said."""
    log = FigureLog()
    early = log.decide("reject", "09:00:00")
    taken = log.decide("approve", "10:00:00")
    kept = log.decide("approve", "10:30:00", actor="bob", attempt=2)
    log.decide("withdraw", "11:00:00", regards=(taken, kept))
    first, second = build_decided_attempts(log.build_index())
    assert [decided.entry.id for decided in first.decisions] == [early]
    assert (first.end, first.ended_by) == (AttemptEnd.OPEN, None)
    assert [decided.entry.id for decided in second.decisions] == [kept]


def show(name: str, outcome: str, *fingerprints: str) -> ShownCheck:
    findings = tuple(ShownFinding(fingerprint=one, message="found") for one in fingerprints)
    return ShownCheck(id=name, outcome=outcome, severity="high", blocking=True, findings=findings)


RECORD = ReviewRecord(
    handoff="H-1",
    phase="build",
    attempt=1,
    subject=build_subject(),
    checks=(show("a", "pass"), show("b", "fail", "f1", "f2"), show("c", "not-applicable"), show("d", "unknown")),
)


def test_record_is_read_in_short() -> None:
    """What passed, what is open with its findings; what did not apply is nowhere."""
    facts = RecordParser().parse(encode_review(RECORD))
    held, still_open = (Judged("a", "high"),), (Judged("b", "high"), Judged("d", "high"))
    assert facts == RecordFacts(held, still_open, frozenset({"f1", "f2"}), looked=False)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"schema_version": 2}',
        b"[" * 100_000,
        json.dumps({"schema_version": 1, "checks": [{"id": 1, "outcome": "pass", "severity": "high"}]}).encode(),
        json.dumps({"schema_version": 1, "checks": [{"id": "a"}]}).encode(),
        json.dumps({"schema_version": 1, "checks": [3]}).encode(),
        json.dumps({"schema_version": 1, "checks": 3}).encode(),
        json.dumps(
            {"schema_version": 1, "checks": [{"id": "a", "outcome": "fail", "severity": "x", "findings": [{}]}]}
        ).encode(),
        json.dumps({"schema_version": 1, "checks": [{"id": ["a"], "outcome": "pass", "severity": "high"}]}).encode(),
    ],
)
def test_what_is_no_record_is_nothing(value: bytes) -> None:
    """Neither an exception nor a guess."""
    assert RecordParser().parse(value) is None


@pytest.fixture
def log() -> FigureLog:
    """Three decisions with records and one without."""
    log = FigureLog()
    log.decide("reject", "10:00:00", record=build_record(("a",), ("b", "low-c")))
    log.decide("reject", "11:00:00", attempt=2, record=build_record(("a", "low-c"), ("b",)))
    log.decide("approve", "12:30:00", attempt=3, record=build_record(("a", "b", "low-c")))
    log.decide("approve", "13:00:00", handoff="H-2")
    return log


def test_rules_and_severities_share_their_results(log: FigureLog) -> None:
    """Nine results, of which six held; a group names the entries where it failed."""
    by_rule, by_severity = build_rule_metrics(log.build(), SUCCESS_BY_RULE, SUCCESS_BY_SEVERITY, DayWindow())
    ids = [entry.id for entry in log.entries]
    assert (by_rule.part, by_rule.of, by_severity.of) == (6, 9, 9)
    assert [(group.name, group.part, group.of, group.sources) for group in by_rule.groups] == [
        ("a", 3, 3, ()),
        ("b", 1, 3, (ids[0], ids[1])),
        ("low-c", 2, 3, (ids[0],)),
    ]
    assert [(group.name, group.part, group.of) for group in by_severity.groups] == [("high", 4, 6), ("low", 2, 3)]
    assert by_rule.sources == tuple(ids[:3])
    assert [(one.why, one.sources) for one in by_rule.left_out] == [("the review record isn't here", (ids[3],))]


def test_check_is_open_from_its_first_failure_to_the_record_that_holds(log: FigureLog) -> None:
    """By rule and by severity the same times."""
    by_rule, by_severity = observe_open_times(log.build())
    ids = [entry.id for entry in log.entries]
    assert [(one.group, one.value, one.sources) for one in by_rule.observations] == [
        ("low-c", 3_600, (ids[0], ids[1])),
        ("b", 9_000, (ids[0], ids[2])),
    ]
    assert [one.group for one in by_severity.observations] == ["low", "high"]


def test_check_that_never_closed_is_left_out() -> None:
    """It has no end yet."""
    log = FigureLog()
    still = log.decide("reject", "10:00:00", record=build_record((), ("b",)))
    by_rule, _ = observe_open_times(log.build())
    assert list(by_rule.observations) == []
    assert dict(by_rule.left_out) == {"still open at the newest decision": [still]}


SHARE = MetricDefinition("x", "A", Reduce.SHARE, "X", "…", "type", Target(below=0.5))

MEDIAN = MetricDefinition("y", "A", Reduce.MEDIAN, "Y", "…")


def see(day: str, value: float, source: str = "a", group: str = "") -> MetricValue:
    return MetricValue(f"{day}T12:00:00Z", value, (source,), group)


def test_share_has_its_parts_groups_and_sources() -> None:
    """Two of three; each group by itself; every entry once, in order."""
    seen = [see("2026-03-02", 1, "a", "m"), see("2026-03-03", 0, "b", "n"), see("2026-03-04", 1, "a", "n")]
    figure = build_metric(SHARE, Observed(seen, {"gone": ["c"], "none": []}), DayWindow())
    assert figure.value == pytest.approx(2 / 3)
    assert (figure.part, figure.of, figure.met) == (2, 3, False)
    assert [(group.name, group.value, group.of, group.sources) for group in figure.groups] == [
        ("m", 1, 1, ("a",)),
        ("n", 0.5, 2, ("b", "a")),
    ]
    assert figure.sources == ("a", "b")
    assert [(one.why, one.number, one.sources) for one in figure.left_out] == [("gone", 1, ("c",))]
    assert figure.spread is None


def test_times_have_a_spread_of_values_that_were_seen() -> None:
    """Nothing is interpolated."""
    figure = build_metric(MEDIAN, Observed([see("2026-03-02", value) for value in (5, 1, 9, 3)]), DayWindow())
    assert figure.spread is not None
    assert (figure.value, *figure.spread.model_dump().values()) == (3, 1, 3, 9, 9)


@pytest.mark.parametrize(
    ("since", "until", "of"),
    [(None, None, 3), ("2026-03-03", None, 2), (None, "2026-03-03", 2), ("2026-03-03", "2026-03-03", 1)],
)
def test_window_has_both_its_days(since: str | None, until: str | None, of: int) -> None:
    """What happened on the first or the last day is counted."""
    seen = [see(f"2026-03-0{day}", 1) for day in (2, 3, 4)]
    assert build_metric(SHARE, Observed(seen), DayWindow(since, until)).of == of


def test_figure_of_nothing_says_why() -> None:
    """A missing value isn't a zero: what was never there, and what is outside the window, are told apart."""
    never = build_metric(SHARE, Observed((), why="nobody decided"), DayWindow())
    outside = build_metric(SHARE, Observed([see("2026-03-02", 1)], why="nobody decided"), DayWindow(since="2027-01-01"))
    plain = build_metric(SHARE, Observed(()), DayWindow())
    lost = build_metric(SHARE, Observed((), {"the record is gone": ["a"]}, "nobody decided"), DayWindow())
    assert (lost.value, "left out" in lost.why) == (None, True)
    assert [never.value, outside.value, plain.value] == [None, None, None]
    assert never.why == "nobody decided"
    assert "in these days" in outside.why
    assert "nothing to count" in plain.why


def test_weeks_begin_on_mondays_and_show_the_quiet_ones() -> None:
    """A week without anything has no value; a long log shows its newest weeks."""
    weeks = build_weeks(Reduce.SHARE, [see("2026-03-08", 1), see("2026-03-16", 0)])
    assert [(week.begins, week.value, week.of) for week in weeks] == [
        ("2026-03-02", 1.0, 1),
        ("2026-03-09", None, 0),
        ("2026-03-16", 0.0, 1),
    ]
    long = build_weeks(Reduce.SHARE, [see("2016-03-08", 1), see("2026-03-16", 0)])
    assert (len(long), long[-1].begins) == (104, "2026-03-16")
    assert build_weeks(Reduce.SHARE, []) == ()
    assert [week.begins for week in build_weeks(Reduce.SHARE, [see("0001-01-02", 1)])] == ["0001-01-01"]


@pytest.mark.parametrize(
    ("target", "value", "met"),
    [
        (Target(below=0.05), 0.049, True),
        (Target(below=0.05), 0.05, False),
        (Target(most=0.0), 0.0, True),
        (Target(most=0.0), 0.1, False),
        (Target(least=1.0), 1.0, True),
        (Target(least=1.0), 0.99, False),
    ],
)
def test_target_knows_its_own_edge(target: Target, value: float, met: bool) -> None:  # noqa: FBT001 - a table
    """`below` leaves the edge out, `most` and `least` have it."""
    assert target.is_met(value) is met
