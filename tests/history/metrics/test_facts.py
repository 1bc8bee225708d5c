"""What figures are computed from: records read in short, and when work was there."""

from __future__ import annotations

import json

import pytest

from handoff_tui.history.metrics.facts import BY_COMMIT, BY_SUBMISSION, Judged, RecordFacts, RecordParser
from handoff_tui.history.metrics.rounds import parse_seconds
from handoff_tui.log.review_record import Comment, ReviewRecord, ShownCheck, ShownFinding
from handoff_tui.log.storage.review_records import encode_review
from tests.support.figure_log import DAY, FigureLog, build_subject


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


@pytest.mark.parametrize("remarks", [{"viewed": ("a.py",)}, {"comments": (Comment(text="why?"),)}])
def test_mark_or_remark_is_a_look(remarks: dict[str, object]) -> None:
    """Either shows that a file was looked at."""
    facts = RecordParser().parse(encode_review(RECORD.model_copy(update=remarks)))
    assert facts is not None
    assert facts.looked


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


def test_what_records_share_is_kept_once() -> None:
    """A long log has the same results over and over."""
    parser = RecordParser()
    once, again = parser.parse(encode_review(RECORD)), parser.parse(encode_review(RECORD))
    assert once is not None
    assert again is not None
    assert once.held is again.held


def test_work_begins_with_the_submission_of_its_files_else_with_the_commit() -> None:
    """A submission of other files is not that of this work."""
    log = FigureLog()
    made = log.submit("09:00:00")
    log.decide("approve", "10:00:00")
    log.submit("09:00:00", handoff="H-2", tree="other")
    log.decide("approve", "10:00:00", handoff="H-2")
    facts = log.build(commit_seconds={"a" * 40: 5.0})
    first, second = facts.rounds
    start = facts.find_start(first, first.votes[0])
    assert start is not None
    assert (start.seconds, start.by, start.sources) == (parse_seconds(f"{DAY}09:00:00Z"), BY_SUBMISSION, (made,))
    other = facts.find_start(second, second.votes[0])
    assert other is not None
    assert (other.seconds, other.by) == (5.0, BY_COMMIT)
    assert log.build().find_start(second, second.votes[0]) is None
    assert facts.find_beginning([second]) is not None
    assert log.build().find_beginning(()) is None


def test_first_work_lies_between_two_moments() -> None:
    """Both moments are inside."""
    facts = FigureLog().build(work_seconds=[1.0, 5.0, 9.0])
    assert [facts.find_first_work(*span) for span in ((1, 9), (2, 4), (5, 5), (10, 20))] == [1.0, None, 5.0, None]
