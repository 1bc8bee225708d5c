"""Check results as Markdown: for a comment, or a step's summary."""

from __future__ import annotations

from handoff_tui.checks.output.words import (
    describe_numbers,
    describe_place,
    list_commands,
    list_notes,
    list_told_elsewhere,
    name_remedy,
)
from handoff_tui.checks.report import CheckReport, CheckResult, Finding
from handoff_tui.core.text.labels import label_check_verdict, label_outcome, plural
from handoff_tui.core.text.markdown_text import render_code, render_commands, render_markdown

_MOST_FINDINGS = 20
_HEAD = ("| result | check | severity | blocks | summary |", "|---|---|---|---|---|")


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
