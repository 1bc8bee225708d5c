from __future__ import annotations

import re

from handoff_tui.checks.output.github import render_check_github
from handoff_tui.checks.result import Evidence, Finding, Outcome
from handoff_tui.core.severity import Severity
from tests.support.check_reports import build_blocked_report, build_findings, build_report, build_result


def test_worst_comes_first() -> None:
    """Critical before high, what blocks before what does not."""
    lines = render_check_github(build_blocked_report()).splitlines()
    kinds = [line.split(" ")[0] for line in lines]
    assert kinds == ["::error"] * 10 + ["::warning"] * 2 + ["::notice"] * 3
    severities = [match.group(1) for line in lines if (match := re.search(r"\((critical|high|medium|low)%2C", line))]
    assert severities == ["critical"] * 7 + ["high"] * 3 + ["medium"] * 2 + ["low"] * 2


def test_each_check_speaks_before_one_speaks_twice() -> None:
    """Of one severity, many findings of one check do not push another's out."""
    report = build_report(
        build_result("loud", Outcome.FAIL, *build_findings(30)), build_result("soft", Outcome.FAIL, *build_findings(1))
    )
    assert "title=soft" in render_check_github(report).splitlines()[1]


def test_at_most_ten_of_a_kind_and_the_rest_is_counted() -> None:
    """GitHub would drop the rest without a word."""
    report = build_report(
        build_result("a", Outcome.FAIL, *build_findings(25)),
        build_result("b", Outcome.FAIL, *build_findings(13), severity=Severity.MEDIUM),
        build_result("c", Outcome.FAIL, *build_findings(12), severity=Severity.LOW),
    )
    lines = render_check_github(report).splitlines()
    for kind in ("error", "warning", "notice"):
        assert sum(line.startswith(f"::{kind} ") for line in lines) == 10
    assert lines[-1] == (
        "::notice title=handoff-tui::blocked: 0/3 passed, 2 warnings; "
        "21 findings left out here, all are in the other formats"
    )


def test_annotation_is_placed_and_escaped() -> None:
    """A path or a message cannot add a property or end the command."""
    finding = Finding(
        message="50% :: a,b\nnext", fingerprint="f", evidence=(Evidence(path="a,b:c%.md", line=4, actual="x"),)
    )
    [line, _] = render_check_github(build_report(build_result("r", Outcome.FAIL, finding))).split("\n")
    assert line == (
        "::error file=a%2Cb%3Ac%25.md,line=4,title=r (high%2C fail)::50%25 :: a,b next%0Aat a,b:c%25.md:4%0Aactual: x"
    )


def test_place_outside_the_repository_is_not_named_as_a_file() -> None:
    """No line without a file, no file that is not ours."""
    finding = Finding(message="m", fingerprint="f", evidence=(Evidence(path="/etc/hosts", line=4),))
    first = render_check_github(build_report(build_result("r", Outcome.FAIL, finding))).splitlines()[0]
    assert first.startswith("::error title=r ")


def test_pass_is_one_notice() -> None:
    """Nothing to mark, and the numbers all the same."""
    assert render_check_github(build_report(build_result())) == (
        "::notice title=handoff-tui::pass: 1/1 passed, 0 warnings"
    )
