"""Check results as GitHub annotations, worst first.

GitHub keeps ten of a kind per step and drops the rest without a word; the last line says how many were left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import NamedTuple

from handoff_tui.checks.output.words import (
    describe_numbers,
    find_relative_path,
    list_commands,
    list_details,
    name_remedy,
)
from handoff_tui.checks.report import CheckReport, CheckResult, Evidence, Finding
from handoff_tui.core.severity import Severity
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.safe_text import render_safe

_MOST = {"error": 10, "warning": 10, "notice": 9}
"""One notice is reserved for the summary."""


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
