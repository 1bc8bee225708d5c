"""Check results as SARIF 2.1.0. All rules are declared, so that alerts close when a finding is gone."""

from __future__ import annotations

from urllib.parse import quote

from handoff_tui.checks.output.words import find_relative_path, list_details, list_messages
from handoff_tui.checks.report import CheckReport, CheckResult, Evidence, Finding, Outcome, RuleInfo, is_open
from handoff_tui.core.place import Severity
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "handoffTui/v1"
_GITHUB_FINGERPRINT = "primaryLocationLineHash"
"""The only fingerprint by which GitHub recognises a finding."""
_ROOT = "%SRCROOT%"
_LEVELS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note"}
_PROBLEM_SEVERITIES = {"error": "error", "warning": "warning", "note": "recommendation"}
_BROKEN = frozenset({Outcome.ERROR, Outcome.TIMEOUT, Outcome.CANCELLED})


def build_check_sarif(report: CheckReport, version: str) -> dict[str, object]:
    """Builds one run with a result per finding, and one per check without findings."""
    rules = _list_rules(report)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    run: dict[str, object] = {
        "tool": {"driver": {"name": "handoff-tui", "version": version, "rules": rules}},
        "automationDetails": {"id": render_safe(f"handoff-tui/{report.mode}/{report.handoff or 'all'}/")},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_build_invocation(report, index)],
        "results": [
            entry
            for result in report.results
            if not result.is_copy
            for entry in _build_results(result, index[_rule_id(result.id)], report.repository)
        ],
        "properties": {
            "verdict": report.verdict,
            "passed": report.passed,
            "total": report.total,
            "warnings": report.warnings,
            "head": report.head,
            "baseline": report.baseline,
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _list_rules(report: CheckReport) -> list[dict[str, object]]:
    """Lists the built-in rules, then the repository's own checks, known only from their results."""
    rules = {_rule_id(rule.id): _build_rule(rule) for rule in report.rules}
    for result in report.results:
        rules.setdefault(_rule_id(result.id), _build_own_rule(result))
    return list(rules.values())


def _rule_id(identifier: str) -> str:
    return render_safe(identifier)


def _build_rule(rule: RuleInfo) -> dict[str, object]:
    return {
        "id": _rule_id(rule.id),
        "shortDescription": {"text": _text(rule.holds)},
        "fullDescription": {"text": _text(f"{rule.holds} Reads {rule.reads}.")},
        "help": {"text": _text(rule.remedy)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": _build_properties(rule, *(render_safe(word) for word in (rule.system, *rule.moments))),
    }


def _build_properties(rule: RuleInfo | CheckResult, *tags: str) -> dict[str, object]:
    return {
        "tags": list(dict.fromkeys(tags)),
        "problem.severity": _PROBLEM_SEVERITIES[_LEVELS[rule.severity]],
        "severity": rule.severity.value,
        "blocking": rule.blocking,
    }


def _build_own_rule(result: CheckResult) -> dict[str, object]:
    rule: dict[str, object] = {
        "id": _rule_id(result.id),
        "shortDescription": {"text": _text(f"The check {result.id} of this repository passes.")},
        "defaultConfiguration": {"level": _LEVELS[result.severity]},
        "properties": _build_properties(result, "own"),
    }
    if result.remedy:
        rule["help"] = {"text": _text(result.remedy.text)}
    return rule


def _build_invocation(report: CheckReport, index: dict[object, int]) -> dict[str, object]:
    """Describes the run and the checks that did not finish, which are not findings about a file."""
    broken = [result for result in report.results if result.outcome in _BROKEN]
    return {
        "executionSuccessful": not broken,
        "toolExecutionNotifications": [
            {
                "level": "error" if result.blocking else "warning",
                "message": {"text": _text(f"{result.id}: {result.outcome}: {result.summary}")},
                "associatedRule": {"id": _rule_id(result.id), "index": index[_rule_id(result.id)]},
            }
            for result in broken
        ],
    }


def _choose_kind(result: CheckResult) -> str:
    """Returns the kind: what blocks is a failure; what can't be told and doesn't block is open."""
    if result.outcome is Outcome.PASS:
        return "pass"
    if result.outcome is Outcome.NOT_APPLICABLE:
        return "notApplicable"
    return "fail" if result.outcome is Outcome.FAIL or result.blocking else "open"


def _build_results(result: CheckResult, index: int, repository: str) -> list[dict[str, object]]:
    kind = _choose_kind(result)
    shared: dict[str, object] = {
        "ruleId": _rule_id(result.id),
        "ruleIndex": index,
        "kind": kind,
        "level": _LEVELS[result.severity] if kind == "fail" else "none",
        "properties": {
            "outcome": result.outcome.value,
            "severity": result.severity.value,
            "blocking": result.blocking,
            "fromCache": result.from_cache,
            "flaky": result.flaky,
        },
    }
    if not result.findings:
        text = f"{result.outcome}: {result.summary}" if is_open(result) else list_messages(result)[0]
        bare = {"message": {"text": _text(text)}, "locations": _build_locations((), repository)}
        return [{**shared, **bare, "partialFingerprints": _build_fingerprints(_rule_id(result.id))}]
    return [{**shared, **_build_finding(finding, repository)} for finding in result.own_findings]


def _build_finding(finding: Finding, repository: str) -> dict[str, object]:
    details = "; ".join(detail for detail in list_details(finding) if not detail.startswith("at "))
    text = f"{finding.message} ({details})" if details else finding.message
    text += f" (also {', '.join(finding.rules[1:])})" if finding.rules else ""
    first, *others = _build_locations(finding.evidence, repository)
    entry: dict[str, object] = {"message": {"text": _text(text)}, "locations": [first]}
    if others:
        entry["relatedLocations"] = [{"id": number, **place} for number, place in enumerate(others, 1)]
    return {**entry, "partialFingerprints": _build_fingerprints(render_safe(finding.fingerprint))}


def _build_fingerprints(fingerprint: str) -> dict[str, str]:
    return {FINGERPRINT: fingerprint, _GITHUB_FINGERPRINT: fingerprint}


def _build_locations(evidence: tuple[Evidence, ...], repository: str) -> list[dict[str, object]]:
    """Builds at least one location, the root if there is no other: GitHub refuses a log without one."""
    places: list[dict[str, object]] = []
    for piece in evidence:
        path = find_relative_path(piece.path, repository) if piece.path is not None else None
        if path is None:
            continue
        physical: dict[str, object] = {"artifactLocation": {"uri": render_uri(path), "uriBaseId": _ROOT}}
        if piece.line is not None and piece.line > 0:
            physical["region"] = {"startLine": piece.line}
        place: dict[str, object] = {"physicalLocation": physical}
        if place not in places:
            places.append(place)
    return places or [{"physicalLocation": {"artifactLocation": {"uri": ".", "uriBaseId": _ROOT}}}]


def render_uri(path: str) -> str:
    """Renders a path as a relative reference; bytes that aren't text keep their value."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "surrogatepass")
    return quote(raw, safe="/")


def _text(text: str) -> str:
    """Escapes a message, so that nothing in it is a placeholder or a link."""
    return render_safe(text).replace("{", "{{").replace("}", "}}").replace("](", "\\](")
