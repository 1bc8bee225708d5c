"""Check results in formats for other programs, by name; those for people and in JSON have writers of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from handoff_tui import __version__
from handoff_tui.checks.output.json import render_check_jsonl
from handoff_tui.checks.output.sarif import build_check_sarif
from handoff_tui.checks.output.words import (
    describe_numbers,
    describe_place,
    find_relative_path,
    list_commands,
    list_details,
    list_notes,
    list_told_elsewhere,
    map_rules,
    name_remedy,
)
from handoff_tui.checks.report import CheckReport, CheckResult, Evidence, Finding, Outcome, RuleInfo
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Severity
from handoff_tui.core.text.labels import label_check_verdict, label_outcome, plural
from handoff_tui.core.text.markdown_text import render_code, render_commands, render_markdown
from handoff_tui.core.text.safe_text import render_safe

_NAME = "handoff-tui"
_OWN = "own"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MOST_FINDINGS = 20
_HEAD = ("| result | check | severity | blocks | summary |", "|---|---|---|---|---|")
_MOST = {"error": 10, "warning": 10, "notice": 9}
"""One notice is reserved for the summary."""


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


def render_check_markdown(report: CheckReport) -> str:
    """Renders the verdict, what is open with its details, and what passed, collapsed."""
    label = label_check_verdict(blocked=report.verdict == "blocked")
    lines = [f"## {label}: {describe_numbers(report)}", "", _describe_run(report), ""]
    still_open = (*report.blocking_failures, *report.warned)
    if still_open:
        lines += [*_HEAD, *(_render_row(result) for result in still_open), ""]
    for result in still_open:
        lines += _render_details(result)
    if report.passing:
        lines += ["<details>", f"<summary>{len(report.passing)} passed</summary>", ""]
        lines += [*_HEAD, *(_render_row(result) for result in report.passing), "", "</details>", ""]
    if report.not_applicable:
        lines += [f"{plural(len(report.not_applicable), 'check')} not applicable here.", ""]
    return "\n".join(lines).rstrip("\n")


def _describe_run(report: CheckReport) -> str:
    words = [f"mode {render_code(report.mode)}"]
    if report.handoff:
        words.append(f"handoff {render_code(report.handoff)}")
    if report.head:
        words.append(f"commit {render_code(report.head)}")
    if report.baseline:
        words.append(f"baseline {render_code(report.baseline)}")
    if report.baseline_reason:
        words.append(render_markdown(report.baseline_reason))
    if report.trust and not report.trust.trusted:
        words.append("no consent to the repository's commands")
    return " · ".join(words)


def _render_row(result: CheckResult) -> str:
    notes = "".join(f" ({render_markdown(note)})" for note in list_notes(result))
    cells = (
        str(label_outcome(result.outcome)),
        render_code(result.id),
        result.severity.value,
        "yes" if result.blocking else "no",
        render_markdown(result.summary) + notes,
    )
    return "| " + " | ".join(cells) + " |"


def _render_details(result: CheckResult) -> list[str]:
    """Renders the findings and what to do. Every line begins with our own text."""
    lines = [f"### {label_outcome(result.outcome)}: {render_code(result.id)}", ""]
    shown = result.own_findings[:_MOST_FINDINGS]
    for finding in shown:
        lines += _render_finding(finding)
    if len(result.own_findings) > len(shown):
        lines.append(f"- … and {len(result.own_findings) - len(shown)} more")
    lines += [f"- {render_markdown(note)}" for note in list_told_elsewhere(result)]
    if result.findings:
        lines.append("")
    else:
        lines += [f"- {render_markdown(result.summary)}", ""]
    if result.log:
        lines += [f"Output: {render_code(result.log)}", ""]
    if result.remedy:
        lines += [f"**{name_remedy(result)}:** {render_markdown(result.remedy.text)}", ""]
    if commands := list_commands(result):
        lines += [*render_commands(commands), ""]
    return lines


def _render_finding(finding: Finding) -> list[str]:
    lines = [f"- {render_markdown(finding.message)}"]
    for evidence in finding.evidence:
        place = describe_place(evidence)
        parts = [f"at {render_code(place)}"] if place is not None else []
        parts += [
            f"{name} {render_code(text)}"
            for name, text in (("expected", evidence.expected), ("actual", evidence.actual))
            if text is not None
        ]
        if parts:
            lines.append(f"  - {'; '.join(parts)}")
    return lines


_Scalar = str | int | bool
_Entry = Mapping[str, _Scalar]


def render_check_tap(report: CheckReport) -> str:
    """Renders the plan, one test point per result, and the numbers as a comment."""
    lines = ["TAP version 14", f"1..{len(report.results)}" if report.results else "1..0 # nothing to check"]
    for number, result in enumerate(report.results, 1):
        lines.append(_render_point(number, result))
        lines.extend(_render_diagnostics(result))
    lines.append(f"# {report.verdict}: {describe_numbers(report)}")
    return "\n".join(lines)


def _render_point(number: int, result: CheckResult) -> str:
    point = f"{number} - {_escape_point(result.id)}"
    summary = _escape_point(result.summary)
    if result.outcome is Outcome.PASS:
        return f"ok {point}"
    if result.outcome is Outcome.NOT_APPLICABLE:
        return f"ok {point} # SKIP not applicable: {summary}"
    if result.is_copy:
        return f"ok {point} # SKIP {_escape_point('; '.join(list_told_elsewhere(result)))}"
    if result.blocking:
        return f"not ok {point}: {summary}"
    if result.outcome is Outcome.SKIPPED:
        return f"ok {point} # SKIP {summary}"
    return f"not ok {point} # TODO does not block: {summary}"


def _escape_point(text: str) -> str:
    """Escapes hashes, which would begin a directive."""
    return render_safe(text).replace("\\", "\\\\").replace("#", "\\#")


def _render_diagnostics(result: CheckResult) -> Iterator[str]:
    remarkable = result.from_cache or result.flaky
    if result.outcome is Outcome.NOT_APPLICABLE or (result.outcome is Outcome.PASS and not remarkable):
        return
    yield "  ---"
    facts: dict[str, _Scalar | None] = {
        "outcome": result.outcome.value,
        "severity": result.severity.value,
        "blocking": result.blocking,
        "message": result.summary,
        "remedy": result.remedy.text if result.remedy else None,
        "from_cache": result.from_cache,
        "flaky": result.flaky,
        "rerun_because": result.rerun_because,
        "log": result.log,
    }
    for name, value in facts.items():
        if value is not None:
            yield f"  {name}: {_render_scalar(value)}"
    yield from _render_strings("commands", list_commands(result))
    yield from _render_entries("findings", list(_list_entries(result)))
    yield "  ..."


def _list_entries(result: CheckResult) -> Iterator[_Entry]:
    """Renders one flat entry per piece of evidence."""
    for finding in result.own_findings:
        for evidence in finding.evidence or (Evidence(),):
            facts: dict[str, _Scalar | None] = {
                "message": finding.message,
                "file": evidence.path,
                "line": evidence.line,
                "expected": evidence.expected,
                "actual": evidence.actual,
            }
            yield {name: value for name, value in facts.items() if value is not None}


def _render_strings(name: str, values: Sequence[str]) -> Iterator[str]:
    if values:
        yield f"  {name}:"
        yield from (f"    - {_render_scalar(value)}" for value in values)


def _render_entries(name: str, entries: Sequence[_Entry]) -> Iterator[str]:
    if entries:
        yield f"  {name}:"
    for entry in entries:
        for number, (key, value) in enumerate(entry.items()):
            yield f"    {' ' if number else '-'} {key}: {_render_scalar(value)}"


def _render_scalar(value: _Scalar) -> str:
    """Quotes text, so that none of it is taken for YAML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + render_safe(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


class _Annotation(NamedTuple):
    kind: str
    result: CheckResult
    finding: Finding | None


def render_check_github(report: CheckReport) -> str:
    """Renders what blocks as errors, the rest as warnings and notices, then the numbers."""
    lines: list[str] = []
    room = dict(_MOST)
    left_out = 0
    for annotation in _list_annotations(report):
        if room[annotation.kind]:
            room[annotation.kind] -= 1
            lines.append(_render(annotation, report.repository))
        else:
            left_out += 1
    text = f"{report.verdict}: {describe_numbers(report)}"
    if left_out:
        text += f"; {plural(left_out, 'finding')} left out here, all are in the other formats"
    lines.append(f"::notice title=handoff-tui::{_escape(text)}")
    return "\n".join(lines)


def _list_annotations(report: CheckReport) -> Iterator[_Annotation]:
    """Sorts worst first; within a severity, the first finding of every check before the second of any."""
    for results in (report.blocking_failures, report.warned):
        for _, group in groupby(results, key=lambda result: result.severity):
            turns = zip_longest(
                *(
                    [_Annotation(_choose_kind(result), result, finding) for finding in result.own_findings or (None,)]
                    for result in group
                    if not result.is_copy
                )
            )
            yield from (annotation for turn in turns for annotation in turn if annotation is not None)


def _choose_kind(result: CheckResult) -> str:
    if result.blocking:
        return "error"
    return "notice" if result.severity is Severity.LOW else "warning"


def _render(annotation: _Annotation, repository: str) -> str:
    result, finding = annotation.result, annotation.finding
    place = _render_place(finding.evidence if finding else (), repository)
    title = _escape_property(f"{result.id} ({result.severity}, {result.outcome})")
    lines = [finding.message, *list_details(finding)] if finding else [result.summary]
    if result.remedy:
        lines += [f"{name_remedy(result)}: {result.remedy.text}"]
        lines += [f"$ {command}" for command in list_commands(result)]
    return f"::{annotation.kind} {place}title={title}::{'%0A'.join(_escape(line) for line in lines)}"


def _render_place(evidence: tuple[Evidence, ...], repository: str) -> str:
    for piece in evidence:
        path = find_relative_path(piece.path, repository) if piece.path is not None else None
        if path is not None:
            line = f"line={piece.line}," if piece.line is not None and piece.line > 0 else ""
            return f"file={_escape_property(path)},{line}"
    return ""


def _escape(text: str) -> str:
    return render_safe(text).replace("%", "%25")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


_RENDERERS: dict[str, Callable[[CheckReport], str]] = {
    "jsonl": render_check_jsonl,
    "junit": render_check_junit,
    "sarif": lambda report: json.dumps(build_check_sarif(report, __version__), indent=2),
    "tap": render_check_tap,
    "github": render_check_github,
    "markdown": render_check_markdown,
}

FORMATS = ("text", "json", *_RENDERERS)


def render_report(report: CheckReport, form: str) -> str:
    return _RENDERERS[form](report)
