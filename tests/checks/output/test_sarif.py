from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator

from handoff_tui.checks.output.sarif import build_check_sarif, render_uri
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.result import CheckResult, Evidence, Finding, Outcome
from handoff_tui.core.severity import Severity
from tests.support.check_reports import (
    build_blocked_report,
    build_findings,
    build_hostile_report,
    build_passing_report,
    build_report,
    build_result,
    build_rule,
)
from tests.support.sarif_schema import SARIF_SCHEMA

VALIDATOR = Draft7Validator(SARIF_SCHEMA)


def read(report: CheckReport, *, problems_only: bool = False) -> dict[str, Any]:
    [run] = json.loads(json.dumps(build_check_sarif(report, "1.2.3", problems_only=problems_only)))["runs"]
    assert isinstance(run, dict)
    return run


def read_one(result: CheckResult) -> dict[str, Any]:
    [entry] = read(build_report(result))["results"]
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


def test_schema_finds_faults() -> None:
    """The schema used here can say no."""
    log = json.loads(json.dumps(build_check_sarif(build_blocked_report(), "1.2.3")))
    assert VALIDATOR.is_valid(log)
    log["runs"][0]["results"][0]["colour"] = "red"
    assert not VALIDATOR.is_valid(log)
    del log["runs"][0]["results"][0]["colour"]
    log["runs"][0]["results"][0]["level"] = "error"
    assert not VALIDATOR.is_valid(log)


@pytest.mark.parametrize(
    ("severity", "level"),
    [
        (Severity.CRITICAL, "error"),
        (Severity.HIGH, "error"),
        (Severity.MEDIUM, "warning"),
        (Severity.LOW, "note"),
    ],
)
def test_severity_is_a_level(severity: Severity, level: str) -> None:
    """The weight of a finding is kept."""
    assert read_one(build_result("x", Outcome.FAIL, *build_findings(1), severity=severity))["level"] == level


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


def test_all_rules_are_declared() -> None:
    """Those that ran, those that were silent, and the repository's own."""
    run = read(build_blocked_report())
    names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {"never-ran", "own-tests", "nothing-unpushed"} <= set(names)
    assert len(names) == len(set(names))
    for entry in run["results"]:
        assert names[entry["ruleIndex"]] == entry["ruleId"]


def test_rule_helps_with_its_remedy() -> None:
    """What to do is beside what is wrong."""
    run = read(build_report(build_result("tree-clean"), rules=(build_rule("tree-clean"),)))
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["help"]["text"] == "Write what is missing, then run `handoff-tui check`."


def test_fingerprint_is_the_finding_s_own() -> None:
    """A moved line is still the same finding, for GitHub too."""
    prints = [entry["partialFingerprints"] for entry in read(build_blocked_report())["results"]]
    assert {"handoffTui/v1": "aa" * 16, "primaryLocationLineHash": "aa" * 16} in prints


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


@pytest.mark.parametrize(("line", "region"), [(3, {"startLine": 3}), (0, None), (None, None)])
def test_line_is_told_where_there_is_one(line: int | None, region: object) -> None:
    """Lines count from one."""
    [place] = read_one(find("a.md", line))["locations"]
    assert place["physicalLocation"].get("region") == region


def test_further_evidence_is_related_once() -> None:
    """The first place is the finding's; others stand beside it, none twice."""
    evidence = (Evidence(path="a.md"), Evidence(path="b.md"), Evidence(path="b.md"), Evidence(path="a.md"))
    entry = read_one(build_result("x", Outcome.FAIL, Finding(message="m", fingerprint="f", evidence=evidence)))
    uris = [place["physicalLocation"]["artifactLocation"]["uri"] for place in entry["relatedLocations"]]
    assert uris == ["b.md"]


def test_message_is_neither_placeholder_nor_link() -> None:
    """Braces are doubled and links taken apart, as the standard asks."""
    finding = Finding(message="{0} [here](https://e.example)", fingerprint="f")
    text = read_one(build_result("x", Outcome.FAIL, finding))["message"]["text"]
    assert text == "{{0}} [here\\](https://e.example)"


def test_broken_run_is_told() -> None:
    """A check that raised or hung makes the run unsuccessful."""
    run = read(build_blocked_report())
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    told = [note["associatedRule"]["id"] for note in invocation["toolExecutionNotifications"]]
    assert told == ["own-tests", "wave-complete", "proofs-match"]
    assert read(build_passing_report())["invocations"][0]["executionSuccessful"] is True


def test_only_problems_where_asked() -> None:
    """For readers that take every result for a problem."""
    assert read(build_passing_report(), problems_only=True)["results"] == []
    kinds = {entry["kind"] for entry in read(build_blocked_report(), problems_only=True)["results"]}
    assert kinds == {"fail", "open"}


def test_no_absolute_path_is_in_the_log() -> None:
    """The machine's folders are nobody's business."""
    assert "/home/me" not in json.dumps(build_check_sarif(build_blocked_report(), "1.2.3"))


def test_uri_keeps_its_slashes() -> None:
    """Folders stay folders."""
    assert render_uri("a/b%c") == "a/b%25c"
