from __future__ import annotations

from typing import Any

import pytest

from handoff_tui.checks.output.tap import render_check_tap
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import Outcome
from tests.support.check_reports import build_blocked_report, build_hostile_report, build_report, build_result
from tests.support.tap import read_directive, read_tap


def read_point(result: Any) -> tuple[str, dict[str, Any] | None]:  # noqa: ANN401 - a result of any outcome
    [point] = read_tap(render_check_tap(build_report(result)))
    return point.line, point.diagnostics


def test_plan_counts_the_points() -> None:
    """Version, plan and as many points as results."""
    report = build_blocked_report()
    lines = render_check_tap(report).splitlines()
    assert lines[:2] == ["TAP version 14", f"1..{len(report.results)}"]
    assert len(read_tap("\n".join(lines))) == len(report.results)


def test_nothing_to_check_is_an_empty_plan() -> None:
    """No result is said to be none."""
    assert "1..0 # nothing to check" in render_check_tap(build_report())


@pytest.mark.parametrize(
    ("outcome", "blocking", "line"),
    [
        (Outcome.PASS, True, "ok 1 - x"),
        (Outcome.FAIL, True, "not ok 1 - x: why"),
        (Outcome.FAIL, False, "not ok 1 - x # TODO does not block: why"),
        (Outcome.TIMEOUT, True, "not ok 1 - x: why"),
        (Outcome.UNKNOWN, True, "not ok 1 - x: why"),
        (Outcome.SKIPPED, True, "not ok 1 - x: why"),
        (Outcome.SKIPPED, False, "ok 1 - x # SKIP why"),
        (Outcome.NOT_APPLICABLE, True, "ok 1 - x # SKIP not applicable: why"),
    ],
)
def test_only_what_blocks_fails_the_harness(outcome: Outcome, line: str, *, blocking: bool) -> None:
    """A warning is a TODO, which no harness counts as a failure."""
    assert read_point(build_result("x", outcome, blocking=blocking, summary="why"))[0] == line


def test_diagnostics_hold_findings_and_commands() -> None:
    """The block under a point is YAML with everything a person needs."""
    points = {point.line.split(":")[0]: point for point in read_tap(render_check_tap(build_blocked_report()))}
    block = points["not ok 3 - referenced-files-exist"].diagnostics
    assert block is not None
    assert block["commands"] == ["git status", "ls notes"]
    assert block["rerun_because"] == "state/ledger.json changed"
    assert block["findings"][0] == {
        "message": "notes/apples.md is named and not there",
        "file": "state/ledger.json",
        "line": 10,
        "expected": "a file",
        "actual": "nothing",
    }


def test_cached_and_flaky_passes_are_told() -> None:
    """A pass with a past has a block too; a plain one has none."""
    assert read_point(build_result())[1] is None
    block = read_point(build_result().model_copy(update={"from_cache": True, "flaky": True}))[1]
    assert block is not None
    assert (block["from_cache"], block["flaky"]) == (True, True)


def test_hostile_text_stays_text() -> None:
    """No directive, no point, no end of a block comes out of a message."""
    report: CheckReport = build_hostile_report()
    points = read_tap(render_check_tap(report))
    assert [read_directive(point.line) for point in points] == [None, "SKIP", None]
