"""Check results as JUnit XML, in the order of elements that both Jenkins and Surefire take.

What blocks is always a failure or an error, so that a reader who knows only these two never sees a closed gate as
green. A check that failed without blocking is a failure too, and says that it does not block. One that fails only for
facts which other checks report is skipped: a fact is one failure.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from handoff_tui.checks.output.words import (
    list_commands,
    list_details,
    list_notes,
    list_told_elsewhere,
    map_rules,
    name_remedy,
)
from handoff_tui.checks.report import CheckReport, CheckResult, Outcome, RuleInfo
from handoff_tui.core.text.safe_text import render_safe

_NAME = "handoff-tui"
_OWN = "own"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def render_check_junit(report: CheckReport) -> str:
    """Renders one suite with one case per result."""
    cases = [(result, classify(result)) for result in report.results]
    numbers = {
        "tests": str(len(cases)),
        "failures": str(sum(kind == "failure" for _, kind in cases)),
        "errors": str(sum(kind == "error" for _, kind in cases)),
    }
    seconds = _render_seconds(sum(result.duration or 0.0 for result, _ in cases))
    root = Element("testsuites", {"name": _NAME, **numbers, "time": seconds})
    skipped = str(sum(kind == "skipped" for _, kind in cases))
    attributes = {"name": f"{_NAME} {report.mode}", **numbers, "skipped": skipped, "time": seconds}
    suite = SubElement(root, "testsuite", attributes)
    _add_properties(suite, report)
    rules = map_rules(report)
    for result, kind in cases:
        _add_case(suite, result, kind, rules.get(result.id))
    indent(root)
    return _DECLARATION + tostring(root, encoding="unicode")


def classify(result: CheckResult) -> str | None:
    """Returns `failure`, `error` or `skipped`; None for a pass."""
    match result.outcome:
        case Outcome.PASS:
            return None
        case Outcome.FAIL:
            return "skipped" if result.is_copy else "failure"
        case Outcome.NOT_APPLICABLE:
            return "skipped"
        case Outcome.SKIPPED if not result.blocking:
            return "skipped"
        case _:
            return "error"


def _add_properties(suite: Element, report: CheckReport) -> None:
    facts = (
        ("verdict", report.verdict),
        ("passed", str(report.passed)),
        ("total", str(report.total)),
        ("warnings", str(report.warnings)),
        ("handoff", report.handoff),
        ("head", report.head),
        ("baseline", report.baseline),
    )
    properties = SubElement(suite, "properties")
    for name, value in facts:
        if value is not None:
            SubElement(properties, "property", {"name": name, "value": render_safe(value)})


def _add_case(suite: Element, result: CheckResult, kind: str | None, rule: RuleInfo | None) -> None:
    system = rule.system if rule else _OWN
    attributes = {
        "name": render_safe(result.id),
        "classname": render_safe(f"{_NAME}.{system}"),
        "time": _render_seconds(result.duration or 0.0),
    }
    case = SubElement(suite, "testcase", attributes)
    if kind == "failure":
        _add_problem(case, kind, result)
    if result.flaky:
        flaky = SubElement(case, "flakyFailure", {"message": "the same inputs gave another outcome", "type": "flaky"})
        SubElement(flaky, "stackTrace").text = render_safe(result.summary)
    if kind == "skipped":
        words = "; ".join(list_told_elsewhere(result)) if result.is_copy else result.summary
        SubElement(case, kind, {"message": render_safe(f"{result.outcome}: {words}")})
    if kind == "error":
        _add_problem(case, kind, result)
    notes = list_notes(result)
    if result.log:
        notes.append(f"output: {render_safe(result.log)}")
    if notes:
        SubElement(case, "system-out").text = "\n".join(notes)


def _add_problem(case: Element, kind: str, result: CheckResult) -> None:
    blocks = "blocks" if result.blocking else "doesn't block"
    head = f"{result.summary} ({result.severity}, {blocks})"
    problem = SubElement(case, kind, {"message": render_safe(head), "type": result.outcome.value})
    lines: list[str] = []
    for finding in result.own_findings:
        lines.append(render_safe(finding.message))
        lines.extend(f"  {detail}" for detail in list_details(finding))
    lines.extend(list_told_elsewhere(result))
    if not result.findings:
        lines.append(render_safe(result.summary))
    if result.remedy:
        lines.append(f"{name_remedy(result)}: {render_safe(result.remedy.text)}")
        lines.extend(f"  $ {command}" for command in list_commands(result))
    problem.text = "\n".join(lines)


def _render_seconds(seconds: float) -> str:
    return f"{max(seconds, 0.0):.3f}"
