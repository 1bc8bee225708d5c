from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.result import CheckResult, Finding, Outcome
from handoff_tui.core.work import Severity
from handoff_tui.history.failure.evidence import EntryEvidence
from handoff_tui.history.failure.failure import find_earlier
from handoff_tui.history.failure.report import EarlierEnd, EarlierMatch
from handoff_tui.log.index import Submission, Vote
from handoff_tui.log.record import NO_BASELINE, Subject
from handoff_tui.log.review_record import ReviewRecord
from tests.support.attempts import HANDOFF, PHASE, build_entry

SUBJECT = Subject(
    commit="a" * 40, tree="b" * 40, baseline=NO_BASELINE, snapshot="c" * 64, checks="d" * 64, handoff="e" * 64
)
RECORD = ReviewRecord(handoff=HANDOFF, phase=PHASE, attempt=1, subject=SUBJECT)


@dataclass(frozen=True)
class Told(EntryEvidence):
    """Evidence by hand: the outcome of the check and what it found."""

    outcome: str | None = None
    found: dict[str, str] = field(default_factory=dict)
    has_record: bool = True

    @property
    def record(self) -> ReviewRecord | None:
        return RECORD if self.has_record else None

    def find_outcome(self, check: str) -> str | None:
        return self.outcome if check == "a" else None

    def find_findings(self, check: str) -> dict[str, str]:
        return self.found if check == "a" else {}


def tell(number: int, verb: str | None, outcome: str | None, *found: str, attempt: int = 1) -> Told:
    entry = build_entry(number, "alice" if verb else "claude", attempt, verb)
    assert entry.work is not None
    one = Vote(entry, entry.work, entry.decision) if entry.decision else Submission(entry, entry.work)
    return Told(None, one, outcome, {word: f"found {word}" for word in found})  # type: ignore[arg-type]


def fail(*found: str, message: str = "") -> CheckResult:
    findings = tuple(Finding(message=message or f"found {word}", fingerprint=word) for word in found)
    return CheckResult(
        id="a", outcome=Outcome.FAIL, severity=Severity.HIGH, blocking=True, summary="", findings=findings
    )


def test_same_finding_that_came_right_names_the_entry_that_shows_it() -> None:
    """The first later one at the same gate that is free of it."""
    evidence = (
        tell(3, "approve", "pass", attempt=3),
        tell(2, None, "fail", "y", attempt=2),
        tell(1, "reject", "fail", "x", "y"),
    )
    [first, second] = find_earlier(fail("x"), evidence, HANDOFF)
    assert (first.match, first.shared, first.end, first.ended_attempt) == (
        EarlierMatch.SAME_FINDING,
        1,
        EarlierEnd.PASSED,
        2,
    )
    assert (first.messages, first.ended_words[:9]) == (("found x",), "submit by")
    assert (second.match, second.end, second.ended_attempt) == (EarlierMatch.SAME_CHECK, EarlierEnd.PASSED, 3)


@pytest.mark.parametrize(
    ("later", "end"),
    [
        ((), EarlierEnd.STILL_OPEN),
        ((("retry", "fail", "x"),), EarlierEnd.STILL_OPEN),
        ((("override", "fail", "x"),), EarlierEnd.OVERRIDDEN),
        ((("approve", None),), EarlierEnd.UNKNOWN),
        ((("hold", "unknown"),), EarlierEnd.STILL_OPEN),
        ((("approve", "not-applicable"),), EarlierEnd.UNKNOWN),
        ((("approve", "pass"),), EarlierEnd.PASSED),
    ],
)
def test_end_of_an_earlier_failure(later: tuple[tuple[str, ...], ...], end: EarlierEnd) -> None:
    """A check without a verdict is no sign that it came right; evidence that is gone says nothing."""
    newer = [tell(number, verb, outcome, *found) for number, (verb, outcome, *found) in enumerate(later, start=2)]
    found = find_earlier(fail("x"), (*reversed(newer), tell(1, "reject", "fail", "x")), HANDOFF)
    assert found[-1].end is end


def test_failures_that_ended_alike_are_told_once() -> None:
    """The newest of them."""
    evidence = tuple(tell(number, "retry", "fail", "x", attempt=number) for number in range(9, 0, -1))
    assert [(one.attempt, one.end) for one in find_earlier(fail("x"), evidence)] == [(9, EarlierEnd.STILL_OPEN)]


def test_other_findings_of_another_handoff_are_not_alike() -> None:
    """Those of a command are: it is about the whole repository."""
    evidence = (tell(1, "reject", "fail", "y"),)
    assert find_earlier(fail("x"), evidence, "H-9") == ()
    assert [one.match for one in find_earlier(fail("x"), evidence, "H-9", is_command=True)] == [EarlierMatch.SAME_CHECK]


def test_snapshot_alone_tells_only_of_its_own_handoff() -> None:
    """It is about the whole repository: what it found elsewhere was not met at this gate."""
    alone = replace(tell(1, None, "fail", "x"), has_record=False)
    assert find_earlier(fail("x"), (alone,), "H-9") == ()
    assert [one.match for one in find_earlier(fail("x"), (alone,), HANDOFF)] == [EarlierMatch.SAME_FINDING]
    assert find_earlier(fail("y"), (alone,), HANDOFF) == ()


def test_end_of_an_output_is_the_same_only_if_it_says_the_same() -> None:
    """The fingerprint of every output of a command is one and the same."""
    output = build_fingerprint("a", "", "exit")
    evidence = (tell(1, "reject", "fail", output),)
    other = find_earlier(fail(output, message="other words"), evidence, is_command=True)
    same = find_earlier(fail(output, message=f"found {output} and more"), evidence, is_command=True)
    assert (other[0].match, same[0].match) == (EarlierMatch.SAME_CHECK, EarlierMatch.SAME_FINDING)


def test_check_that_never_failed_was_never_met() -> None:
    """A pass is no failure, and neither is a check that nobody asked."""
    assert find_earlier(fail("x"), (tell(2, "approve", "pass"), tell(1, "approve", None))) == ()
