from __future__ import annotations

import pytest

from handoff_tui.checks.output.page import build_check_page
from handoff_tui.checks.result import Outcome, Remedy
from handoff_tui.core.severity import Severity
from tests.support.check_reports import build_blocked_report, build_findings, build_report, build_result
from tests.support.pages import render_page


def test_first_line_is_the_verdict_with_its_numbers() -> None:
    """Glyph, word, how many passed of how many, and warnings apart."""
    first = render_page(build_check_page(build_blocked_report())).splitlines()[0]
    assert first == "■ blocked  2/10 passed, 4 warnings"


def test_blocking_failures_come_first_and_worst_first() -> None:
    """What closes the gate stands above warnings, and those above what passed."""
    text = render_page(build_check_page(build_blocked_report()))
    order = ["BLOCKING FAILURES", "referenced-files-exist", "nothing-unpushed", "Warnings", "briefing-fresh", "Passed"]
    places = [text.index(word) for word in order]
    assert places == sorted(places)


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.TIMEOUT, Outcome.UNKNOWN, Outcome.SKIPPED])
def test_what_could_not_be_told_blocks_like_a_failure(outcome: Outcome) -> None:
    """No outcome but a pass leaves the list of blocking failures."""
    text = render_page(build_check_page(build_report(build_result("x", outcome, summary="no answer"))))
    assert "BLOCKING FAILURES  1" in text
    assert outcome.value in text
    assert "no answer" in text


def test_action_is_said_with_its_commands() -> None:
    """The action required, and each command on a line of its own."""
    remedy = Remedy(text="Push it.", commands=("git push", "git status"))
    lines = render_page(
        build_check_page(build_report(build_result("x", Outcome.FAIL, *build_findings(1), remedy=remedy)))
    ).splitlines()
    assert "    Action required: Push it." in lines
    assert "      $ git push" in lines
    assert "      $ git status" in lines


def test_warning_requires_no_action() -> None:
    """What does not block is not called an action required."""
    remedy = Remedy(text="Tidy up.")
    result = build_result("x", Outcome.FAIL, *build_findings(1), severity=Severity.LOW, remedy=remedy)
    text = render_page(build_check_page(build_report(result)))
    assert "✓ pass  0/1 passed, 1 warning" in text
    assert "To do: Tidy up." in text
    assert "Action required" not in text


def test_many_findings_are_cut_unless_all_are_asked_for() -> None:
    """The rest is counted, never dropped in silence."""
    report = build_report(build_result("x", Outcome.FAIL, *build_findings(9)))
    assert "… and 4 more findings; --all shows them" in render_page(build_check_page(report))
    assert "row 9 is wrong" in render_page(build_check_page(report, everything=True))


def test_many_passes_are_counted_unless_all_are_asked_for() -> None:
    """A few are listed, many are a number; one that wavers is always shown."""
    results = [build_result(f"rule-{number}") for number in range(12)]
    results.append(build_result("wavering").model_copy(update={"flaky": True}))
    report = build_report(*results)
    short, whole = render_page(build_check_page(report)), render_page(build_check_page(report, everything=True))
    assert "rule-3" not in short
    assert "wavering" in short
    assert "12 passed; --all lists them" in short
    assert "rule-3" in whole


def test_cached_run_again_and_flaky_are_marked() -> None:
    """How a result came about is said in words."""
    text = render_page(build_check_page(build_blocked_report()))
    assert "(cached)" in text
    assert "ran: state/ledger.json changed" in text
    assert "flaky: the same inputs had another outcome before" in text


def test_reason_common_to_all_is_said_once() -> None:
    """A first run does not repeat itself on each line."""
    results = [
        build_result(name).model_copy(update={"rerun_because": "no earlier result"}) for name in ("one", "two", "three")
    ]
    assert render_page(build_check_page(build_report(*results))).count("no earlier result") == 1


def test_not_applicable_is_one_line() -> None:
    """Counted; listed with reasons when all is asked for."""
    results = [build_result(f"n-{number}", Outcome.NOT_APPLICABLE, summary=f"why {number}") for number in range(3)]
    report = build_report(*results)
    assert "· 3 checks not applicable here" in render_page(build_check_page(report))
    assert "why 2" not in render_page(build_check_page(report))
    assert "why 2" in render_page(build_check_page(report, everything=True))


def test_baseline_is_named_or_its_absence_explained() -> None:
    """Against what was compared, or why against nothing."""
    report = build_report(build_result())
    none = report.model_copy(update={"baseline_reason": "nothing was approved yet", "head": None})
    text = render_page(build_check_page(none))
    assert "no baseline (nothing was approved yet)" in text
    assert "no commit yet" in text
    tagged = report.model_copy(update={"baseline": "v1.2", "baseline_reason": "as asked"})
    assert "against v1.2 (as asked)" in render_page(build_check_page(tagged))


def test_reason_stays_on_its_line_beside_cached_results() -> None:
    """Where some came from the cache, each that ran says why."""
    results = [build_result(name).model_copy(update={"rerun_because": "plan.md changed"}) for name in ("one", "two")]
    results.append(build_result("three").model_copy(update={"from_cache": True}))
    assert render_page(build_check_page(build_report(*results))).count("plan.md changed") == 2
