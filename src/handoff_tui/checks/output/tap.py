"""Check results as TAP 14. A failure that doesn't block is a TODO, which a harness shows without failing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from handoff_tui.checks.output.words import describe_numbers, list_commands, list_told_elsewhere
from handoff_tui.checks.report import CheckReport, CheckResult, Evidence, Outcome
from handoff_tui.core.text.safe_text import render_safe

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
    point = f"{number} - {_escape(result.id)}"
    summary = _escape(result.summary)
    if result.outcome is Outcome.PASS:
        return f"ok {point}"
    if result.outcome is Outcome.NOT_APPLICABLE:
        return f"ok {point} # SKIP not applicable: {summary}"
    if result.is_copy:
        return f"ok {point} # SKIP {_escape('; '.join(list_told_elsewhere(result)))}"
    if result.blocking:
        return f"not ok {point}: {summary}"
    if result.outcome is Outcome.SKIPPED:
        return f"ok {point} # SKIP {summary}"
    return f"not ok {point} # TODO does not block: {summary}"


def _escape(text: str) -> str:
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
