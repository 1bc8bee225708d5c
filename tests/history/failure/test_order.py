from __future__ import annotations

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.core.severity import Severity
from handoff_tui.history.failure.failure import order_failures


def fail(
    name: str, outcome: Outcome = Outcome.FAIL, severity: Severity = Severity.HIGH, *, blocking: bool = True
) -> CheckResult:
    return CheckResult(id=name, outcome=outcome, severity=severity, blocking=blocking, summary="")


def order(*results: CheckResult, **needs: tuple[str, ...]) -> list[str]:
    return [one.result.id for one in order_failures(results, needs)]


def test_cause_comes_before_what_it_holds_back() -> None:
    """At any distance, whatever the order and the severities of the results."""
    results = (
        fail("a", Outcome.SKIPPED, Severity.CRITICAL),
        fail("b", Outcome.SKIPPED, Severity.CRITICAL),
        fail("c", severity=Severity.LOW, blocking=False),
    )
    found = order_failures(results, {"a": ("b",), "b": ("c", "passes")})
    assert (found[0].result.id, found[0].holds_back) == ("c", ("a", "b"))
    by_id = {one.result.id: one for one in found}
    assert (by_id["a"].needs, by_id["b"].needs, by_id["b"].holds_back) == (("b",), ("c",), ("a",))


def test_check_that_more_wait_for_comes_first() -> None:
    """Among equals; then the worse, then by name."""
    skipped = Outcome.SKIPPED
    results = (fail("a"), fail("b"), fail("x", skipped), fail("y", skipped))
    assert order(*results, x=("b",), y=("b",))[:2] == ["b", "a"]
    assert order(fail("b"), fail("a"), fail("c", severity=Severity.CRITICAL)) == ["c", "a", "b"]


def test_what_blocks_comes_before_what_does_not() -> None:
    """However bad the other is."""
    assert order(fail("a", severity=Severity.CRITICAL, blocking=False), fail("b", severity=Severity.LOW)) == ["b", "a"]


def test_check_that_failed_by_itself_was_not_held_back() -> None:
    """It needs another one that fails, and ran all the same: it comes later, and nobody held it back."""
    found = order_failures((fail("a"), fail("b")), {"a": ("b",)})
    assert [(one.result.id, one.holds_back) for one in found] == [("b", ()), ("a", ())]


def test_circle_of_needs_has_no_cause_inside() -> None:
    """All of it is listed, and it ends."""
    skipped = Outcome.SKIPPED
    assert order(fail("a", skipped), fail("b", skipped), fail("c"), a=("b",), b=("a",)) == ["a", "b", "c"]
    assert order(fail("a", skipped), a=("a",)) == ["a"]
