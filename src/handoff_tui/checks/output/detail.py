"""One check result in full: what it found, where, what was expected, and what to do about it."""

from __future__ import annotations

from datetime import datetime

from handoff_tui.checks.output import words
from handoff_tui.checks.report import CheckReport, CheckResult, Evidence
from handoff_tui.core.place import Place
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.ages import describe_ago
from handoff_tui.core.text.labels import label_outcome, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

_MOST_FINDINGS = 100


def build_check_detail(result: CheckResult, report: CheckReport | None = None, now: datetime | None = None) -> Page:
    """Lays out the findings with evidence, the remedy with its commands, and where the result comes from."""
    page = Page()
    _add_headline(page, result, now)
    _add_rule(page, result, report)
    _add_findings(page, result)
    _add_remedy(page, result)
    _add_origin(page, result)
    return page


def build_group_detail(group: words.CheckGroup, report: CheckReport) -> Page:
    """Describes a group of results, and what the run is based on."""
    page = Page()
    page.line(Cell(f"{group.title.capitalize()}  ", group.role), Cell(plural(len(group.results), "check")))
    page.line(Cell(words.describe_numbers(report), "heading"))
    since = f"since {render_safe(report.baseline[:SHORT_DIGEST])}: " if report.baseline else "no baseline: "
    page.line(Cell(since + render_safe(report.baseline_reason or "not said"), "muted"), indent=2)
    if report.trust is not None and not report.trust.trusted:
        page.line(Cell("! This repository's commands don't run without your consent", "warning"), indent=2)
        page.line(Cell("  $ ", "muted"), Cell(f"handoff-tui check --trust {report.trust.digest}", "key"), indent=4)
    return page


def list_places(result: CheckResult) -> tuple[Place, ...]:
    """Lists every place that the findings name, once each, in order."""
    named = (
        Place(path=evidence.path, line=evidence.line)
        for finding in result.findings
        for evidence in finding.evidence
        if evidence.path
    )
    return tuple(dict.fromkeys(named))


def _add_headline(page: Page, result: CheckResult, now: datetime | None) -> None:
    notes = [result.severity.value, "blocks" if result.blocking else "doesn't block", *words.list_notes(result)]
    if ago := describe_ago(result.ran_at, now):
        notes = [f"cached {ago}" if note == "cached" else note for note in notes]
        notes += [] if result.from_cache else [f"ran {ago}"]
    if took := words.describe_duration(result.duration):
        notes.append(f"took {took}")
    page.line(*words.build_headline(result, notes), indent=2)


def _add_rule(page: Page, result: CheckResult, report: CheckReport | None) -> None:
    rule = words.map_rules(report).get(result.id) if report is not None else None
    if rule is not None:
        page.line(Cell("holds when: ", "muted"), Cell(render_safe(rule.holds)), indent=2)
    if not result.findings:
        page.line(Cell(render_safe(result.summary)), indent=2)


def _add_findings(page: Page, result: CheckResult) -> None:
    if not result.findings:
        return
    page.heading("Findings", str(len(result.findings)))
    for finding in result.findings[:_MOST_FINDINGS]:
        label = label_outcome(result.outcome)
        page.line(Cell(f"{label.glyph} ", label.role), Cell(render_safe(finding.message)), indent=2)
        for evidence in finding.evidence:
            _add_evidence(page, evidence)
    if len(result.findings) > _MOST_FINDINGS:
        page.line(Cell(f"… and {len(result.findings) - _MOST_FINDINGS} more", "muted"), indent=2)


def _add_evidence(page: Page, evidence: Evidence) -> None:
    """Puts expected and actual one below the other, so that the difference stands out."""
    rows = (
        ("at", words.describe_place(evidence), "path"),
        ("expected", evidence.expected, "text"),
        ("actual", evidence.actual, "text"),
    )
    for name, value, role in rows:
        if value is not None:
            page.line(Cell(f"    {name:<10}", "muted"), Cell(render_safe(value), role), indent=14)


def _add_remedy(page: Page, result: CheckResult) -> None:
    if result.remedy is None:
        return
    page.heading(words.name_remedy(result))
    page.line(Cell(render_safe(result.remedy.text)), indent=2)
    for command in words.list_commands(result):
        page.line(Cell("  $ ", "muted"), Cell(command, "key"), indent=4)


def _add_origin(page: Page, result: CheckResult) -> None:
    if result.log:
        page.line(Cell("output: ", "muted"), Cell(render_safe(result.log), "path"), indent=2)
    if result.outside:
        page.line(
            Cell("depends on more than the repository: the clock, the search path, permissions or a remote", "muted")
        )
