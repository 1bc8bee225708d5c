"""How checks stood in the records of decisions, by rule and severity."""

from __future__ import annotations

import pytest

from handoff_tui.history.metrics.definitions import SUCCESS_BY_RULE, SUCCESS_BY_SEVERITY
from handoff_tui.history.metrics.figures import Window
from handoff_tui.history.metrics.metrics import build_rule_figures, list_records, observe_open_times
from tests.support.figure_log import FigureLog, build_record


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
    by_rule, by_severity = build_rule_figures(log.build(), SUCCESS_BY_RULE, SUCCESS_BY_SEVERITY, Window())
    ids = [entry.id for entry in log.entries]
    assert (by_rule.part, by_rule.of, by_severity.of) == (6, 9, 9)
    assert [(group.name, group.part, group.of, group.sources) for group in by_rule.groups] == [
        ("a", 3, 3, ()),
        ("b", 1, 3, (ids[0], ids[1])),
        ("low-c", 2, 3, (ids[0],)),
    ]
    assert [(group.name, group.part, group.of) for group in by_severity.groups] == [("high", 4, 6), ("low", 2, 3)]
    assert by_rule.sources == tuple(ids[:3])
    assert [(one.why, one.sources) for one in by_rule.left_out] == [("the review record is not here", (ids[3],))]


def test_window_narrows_the_records(log: FigureLog) -> None:
    """Outside it there is nothing, which is said."""
    by_rule, _ = build_rule_figures(log.build(), SUCCESS_BY_RULE, SUCCESS_BY_SEVERITY, Window(since="2027-01-01"))
    assert (by_rule.value, by_rule.of, by_rule.why) == (None, 0, "no review record is here")


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


def test_records_are_listed_oldest_first(log: FigureLog) -> None:
    """Only those that are here."""
    assert [vote.entry.id for vote, _ in list_records(log.build())] == [entry.id for entry in log.entries[:3]]
