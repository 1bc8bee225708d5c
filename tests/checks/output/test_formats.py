"""The report of checks in every format for other programs."""

from __future__ import annotations

import json
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from jsonschema import Draft7Validator

from handoff_tui.checks.output.formats import (
    FORMATS,
    render_check_github,
    render_check_junit,
    render_check_markdown,
    render_check_tap,
)
from handoff_tui.checks.output.json import build_check_json
from handoff_tui.checks.output.sarif import build_check_sarif
from handoff_tui.checks.report import CheckReport, CheckResult, Evidence, Finding, Outcome, Remedy
from handoff_tui.cli.commands import check
from handoff_tui.core.place import Severity
from tests.support.check_reports import (
    build_blocked_report,
    build_findings,
    build_hostile_report,
    build_passing_report,
    build_report,
    build_result,
)
from tests.support.report_formats import SARIF_SCHEMA, list_faults, read_tap


def test_forms_offered_are_the_forms_there_are() -> None:
    """The command line lists them without loading them; both lists are the same."""
    assert check.FORMATS == FORMATS


def test_every_field_of_a_result_is_told() -> None:
    """A field added to the model is not forgotten here. When a check ran is for the screen: it isn't a result."""
    [result] = json.loads(json.dumps(build_check_json(build_report(build_result()))))["results"]
    assert result.keys() == set(CheckResult.model_fields) - {"ran_at"}


def read_junit(report: CheckReport) -> Element:
    return fromstring(render_check_junit(report))  # noqa: S314 - our own output


@pytest.mark.parametrize("build", [build_blocked_report, build_passing_report, build_hostile_report, build_report])
def test_report_fits_the_schema(build: object) -> None:
    """Elements, attributes and their order are those the common readers take."""
    assert callable(build)
    assert list_faults(read_junit(build())) == []


@pytest.mark.parametrize(
    ("outcome", "blocking", "tag"),
    [
        (Outcome.PASS, True, None),
        (Outcome.FAIL, True, "failure"),
        (Outcome.FAIL, False, "failure"),
        (Outcome.ERROR, True, "error"),
        (Outcome.TIMEOUT, False, "error"),
        (Outcome.UNKNOWN, True, "error"),
        (Outcome.CANCELLED, False, "error"),
        (Outcome.SKIPPED, False, "skipped"),
        (Outcome.SKIPPED, True, "error"),
        (Outcome.NOT_APPLICABLE, True, "skipped"),
    ],
)
def test_outcomes_are_kept_apart(outcome: Outcome, tag: str | None, *, blocking: bool) -> None:
    """A failure isn't an error, neither is a skip; a skip that blocks is never green."""
    root = read_junit(build_report(build_result("x", outcome, blocking=blocking)))
    [case] = root.iter("testcase")
    assert [child.tag for child in case] == ([tag] if tag else [])
    [suite] = root.iter("testsuite")
    numbers = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for name, attribute in numbers.items():
        assert suite.attrib[attribute] == str(int(name == tag))


@pytest.mark.parametrize("outcome", [Outcome.PASS, Outcome.FAIL, Outcome.TIMEOUT])
def test_flaky_is_marked_beside_the_outcome(outcome: Outcome) -> None:
    """A wavering check is marked as such, and its present outcome stays."""
    report = build_report(build_result("x", outcome).model_copy(update={"flaky": True}))
    tags = [child.tag for child in next(read_junit(report).iter("testcase"))]
    assert "flakyFailure" in tags
    assert ("failure" in tags, "error" in tags) == (outcome is Outcome.FAIL, outcome is Outcome.TIMEOUT)
    assert list_faults(read_junit(report)) == []


VALIDATOR = Draft7Validator(SARIF_SCHEMA)


def read_sarif(report: CheckReport) -> dict[str, Any]:
    [run] = json.loads(json.dumps(build_check_sarif(report, "1.2.3")))["runs"]
    assert isinstance(run, dict)
    return run


def read_one(result: CheckResult) -> dict[str, Any]:
    [entry] = read_sarif(build_report(result))["results"]
    assert isinstance(entry, dict)
    return entry


def find(path: str | None, line: int | None = None) -> CheckResult:
    finding = Finding(message="wrong", fingerprint="f", evidence=(Evidence(path=path, line=line),))
    return build_result("x", Outcome.FAIL, finding)


@pytest.mark.parametrize("build", [build_blocked_report, build_passing_report, build_hostile_report, build_report])
def test_log_fits_the_schema(build: object) -> None:
    """Closed objects, required members, known words."""
    assert callable(build)
    VALIDATOR.validate(json.loads(json.dumps(build_check_sarif(build(), "1.2.3"))))


@pytest.mark.parametrize(
    ("outcome", "blocking", "kind"),
    [
        (Outcome.PASS, True, "pass"),
        (Outcome.FAIL, False, "fail"),
        (Outcome.NOT_APPLICABLE, True, "notApplicable"),
        (Outcome.UNKNOWN, False, "open"),
        (Outcome.UNKNOWN, True, "fail"),
        (Outcome.ERROR, True, "fail"),
        (Outcome.TIMEOUT, True, "fail"),
        (Outcome.SKIPPED, False, "open"),
    ],
)
def test_outcome_is_a_kind(outcome: Outcome, kind: str, *, blocking: bool) -> None:
    """What blocks is a failure, even when it is only not known; only failures have a level."""
    entry = read_one(build_result("x", outcome, blocking=blocking))
    assert entry["kind"] == kind
    assert (entry["level"] == "none") == (kind != "fail")
    assert entry["properties"]["outcome"] == outcome.value


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("docs/a b.md", "docs/a%20b.md"),
        ("docs/ü.md", "docs/%C3%BC.md"),
        ("caf\udce9.md", "caf%E9.md"),
        ("\ud800.md", "%ED%A0%80.md"),
        ("notes:refs/x#1?", "notes%3Arefs/x%231%3F"),
        ("/home/me/orchard/a.md", "a.md"),
        ("/etc/passwd", "."),
        ("../a.md", "."),
        (None, "."),
    ],
)
def test_place_is_relative_and_encoded(path: str | None, uri: str) -> None:
    """No absolute path, nothing that leads out; what has no place is at the root."""
    [place] = read_one(find(path))["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}


def test_further_evidence_is_related_once() -> None:
    """The first place is the finding's; others stand beside it, none twice."""
    evidence = (Evidence(path="a.md"), Evidence(path="b.md"), Evidence(path="b.md"), Evidence(path="a.md"))
    entry = read_one(build_result("x", Outcome.FAIL, Finding(message="m", fingerprint="f", evidence=evidence)))
    uris = [place["physicalLocation"]["artifactLocation"]["uri"] for place in entry["relatedLocations"]]
    assert uris == ["b.md"]


def test_fact_of_several_checks_is_one_alert_failure_and_annotation() -> None:
    """The check that blocks has it, names the others, and no other counts it; the verdict stays."""
    where = Evidence(path="a.md", line=4, expected="tests/a.py", actual="nothing")
    fact = Finding(message="tests/a.py is missing", fingerprint="f", evidence=(where,))
    hint = build_result("a-hint", Outcome.FAIL, fact, severity=Severity.HIGH, blocking=False)
    blocks = build_result("b-blocks", Outcome.FAIL, fact, severity=Severity.HIGH)
    report = build_report().with_results([hint, blocks])
    [alert] = read_sarif(report)["results"]
    assert (alert["ruleId"], alert["level"]) == ("b-blocks", "error")
    assert alert["message"]["text"].endswith("(also a-hint)")
    suite = read_junit(report)[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "1")
    assert list_faults(read_junit(report)) == []
    assert render_check_github(report).count("tests/a.py is missing") == 1
    assert render_check_markdown(report).count("tests/a.py is missing") == 1
    assert "ok 1 - a-hint # SKIP 1 finding under b-blocks" in render_check_tap(report)
    assert report.verdict == "blocked"


def test_message_is_neither_placeholder_nor_link() -> None:
    """Braces are doubled and links taken apart, as the standard asks."""
    finding = Finding(message="{0} [here](https://e.example)", fingerprint="f")
    text = read_one(build_result("x", Outcome.FAIL, finding))["message"]["text"]
    assert text == "{{0}} [here\\](https://e.example)"


def read_point(result: Any) -> tuple[str, dict[str, Any] | None]:  # noqa: ANN401 - a result of any outcome
    [point] = read_tap(render_check_tap(build_report(result)))
    return point.line, point.diagnostics


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


def test_many_findings_are_cut_and_counted() -> None:
    """A comment stays readable."""
    text = render_check_markdown(build_report(build_result("x", Outcome.FAIL, *build_findings(23))))
    assert "- … and 3 more" in text
    assert "row 21" not in text


def test_command_cannot_close_its_fence() -> None:
    """The fence is longer than any run of backticks inside."""
    remedy = Remedy(text="Run it.", commands=("echo ````", "```"))
    text = render_check_markdown(build_report(build_result("x", Outcome.FAIL, remedy=remedy)))
    assert "`````sh\necho ````\n```\n`````" in text
